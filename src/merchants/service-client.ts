import { type Scope, scopes as knownScopes } from '../core/caller.js';

/** A service that is known by a signed token or a certificate, and has no API key. */
export interface ServiceClient {
  /** The name in the token or the certificate. */
  readonly name: string;
  readonly merchantId: string;
  readonly scopes: readonly Scope[];
}

/** Used in the log, in audit records and in the name of its rate bucket. */
const NAME = /^[A-Za-z0-9._:/@+-]{1,80}$/;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export const CLIENTS_FORM =
  'names (1 to 80 of A-Z a-z 0-9 . _ : / @ + -), each with "merchant", the id of one, and "scopes", one or more of ' +
  knownScopes.join(', ');

/** The clients of a file by their names; null where one is not in `CLIENTS_FORM`. */
export function serviceClientsOf(given: unknown): ReadonlyMap<string, ServiceClient> | null {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return null;
  const clients = Object.entries(given).map(([name, client]) => serviceClientOf(name, client));
  if (clients.includes(null)) return null;
  return new Map((clients as ServiceClient[]).map((client) => [client.name, client]));
}

export function serviceClientOf(name: string, given: unknown): ServiceClient | null {
  if (!NAME.test(name) || typeof given !== 'object' || given === null) return null;
  const { merchant, scopes, ...rest } = given as Readonly<Record<string, unknown>>;
  if (Object.keys(rest).length > 0 || typeof merchant !== 'string' || !UUID.test(merchant)) return null;
  if (!Array.isArray(scopes) || scopes.length === 0) return null;
  if (!scopes.every((scope) => knownScopes.includes(scope as Scope))) return null;
  return { name, merchantId: merchant, scopes: scopes as Scope[] };
}
