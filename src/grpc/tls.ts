import { ServerCredentials } from '@grpc/grpc-js';
import { readFileSync } from 'node:fs';
import { type Config, ConfigError } from '../config/config.js';
import { type ServiceClient, serviceClientOf } from '../merchants/service-client.js';
import { ClientCertificates } from './client-certificates.js';

/** @throws ConfigError for a file that cannot be read */
export function credentialsOf({
  grpcTlsCert: cert,
  grpcTlsKey: key,
  grpcClientCa,
}: Config): ServerCredentials {
  if (cert === null || key === null) return ServerCredentials.createInsecure();
  const pair = {
    cert_chain: read('PAYONCE_GRPC_TLS_CERT', cert),
    private_key: read('PAYONCE_GRPC_TLS_KEY', key),
  };
  const clientCa = grpcClientCa === null ? null : read('PAYONCE_GRPC_CLIENT_CA', grpcClientCa);
  return ServerCredentials.createSsl(clientCa, [pair], clientCa !== null);
}

/** @throws ConfigError for a file that says something else */
export function clientCertificatesOf({ grpcClientsFile: file }: Config): ClientCertificates {
  if (file === null) return new ClientCertificates(null);
  const text = read('PAYONCE_GRPC_CLIENTS_FILE', file).toString('utf8');
  const bindings = parsed(text);
  if (bindings === null) {
    throw new ConfigError([
      'PAYONCE_GRPC_CLIENTS_FILE is not valid; it takes a JSON object of names of certificates, each with the id of a merchant, or with "merchant" and "scopes"',
    ]);
  }
  return new ClientCertificates(bindings);
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

function parsed(text: string): Map<string, string | ServiceClient> | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
  const entries = Object.entries(value).map(([name, bound]) => [name, bindingOf(name, bound)] as const);
  return entries.some(([, binding]) => binding === null)
    ? null
    : new Map(entries as readonly (readonly [string, string | ServiceClient])[]);
}

function bindingOf(name: string, bound: unknown): string | ServiceClient | null {
  if (typeof bound === 'string') return UUID.test(bound) ? bound : null;
  return serviceClientOf(name, bound);
}

function read(variable: string, file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    const { code = 'unreadable' } = error as NodeJS.ErrnoException;
    throw new ConfigError([`${variable} is ${JSON.stringify(file)}, which cannot be read: ${code}`]);
  }
}
