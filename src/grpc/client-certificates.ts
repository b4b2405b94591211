import { type PeerCertificate } from 'node:tls';
import { Problem } from '../core/problem.js';
import { type Caller } from '../merchants/caller.js';
import { type ServiceClient } from '../merchants/service-client.js';

/**
 * Which merchant each client certificate belongs to, by a name among its subject alternative names. Where there are
 * such bindings, an API key is taken only over a connection with a certificate of the same merchant.
 */
export class ClientCertificates {
  /**
   * `bindings`: the id of the merchant by name, or a service that may go without an API key. null: a certificate says
   * nothing of the merchant.
   */
  constructor(private readonly bindings: ReadonlyMap<string, string | ServiceClient> | null) {}

  /** The service that the certificate names; null where it names none, or several. */
  clientOf(certificate: PeerCertificate | undefined): ServiceClient | null {
    const bound = namesOf(certificate?.subjectaltname ?? '').map((name) => this.bindings?.get(name));
    const clients = bound.filter((binding) => typeof binding === 'object');
    return clients.length === 1 ? clients[0]! : null;
  }

  /** Throws Problem `unauthorized` where no name of the certificate is bound to the caller's merchant. */
  require({ merchantId }: Caller, certificate: PeerCertificate | undefined): void {
    if (this.bindings === null) return;
    const names = namesOf(certificate?.subjectaltname ?? '');
    if (names.some((name) => merchantOf(this.bindings!.get(name)) === merchantId)) return;
    throw new Problem('unauthorized', 'The client certificate is not bound to the merchant of the API key.');
  }
}

function merchantOf(binding: string | ServiceClient | undefined): string | undefined {
  return typeof binding === 'object' ? binding.merchantId : binding;
}

/** `DNS:checkout.shop.internal, URI:spiffe://shop/checkout`; Node quotes names that hold a comma. */
function namesOf(subjectAltName: string): string[] {
  return subjectAltName.split(', ').flatMap((name) => /^(?:DNS|URI):([^"]+)$/.exec(name)?.[1] ?? []);
}
