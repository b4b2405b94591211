import { type PeerCertificate } from 'node:tls';
import { type ShownCertificate } from '../http/admission.js';
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

  /** The service that the certificate of a connection names; null unless it names exactly one. */
  shown(certificate: PeerCertificate | undefined): ShownCertificate {
    const bound = namesOf(certificate?.subjectaltname ?? '').map((name) => this.bindings?.get(name));
    const services = bound.filter((binding) => typeof binding === 'object');
    return {
      service: services.length === 1 ? services[0]! : null,
      isNeeded: this.bindings !== null,
      isOf: (merchantId) => bound.some((binding) => merchantOf(binding) === merchantId),
    };
  }
}

function merchantOf(binding: string | ServiceClient | undefined): string | undefined {
  return typeof binding === 'object' ? binding.merchantId : binding;
}

/** `DNS:checkout.shop.internal, URI:spiffe://shop/checkout`; Node quotes names that hold a comma. */
function namesOf(subjectAltName: string): string[] {
  return subjectAltName.split(', ').flatMap((name) => /^(?:DNS|URI):([^"]+)$/.exec(name)?.[1] ?? []);
}
