import { ConfigError } from './config/config.js';
import { DatabaseUnavailable } from './database/database.js';
import { EmbeddedPostgresError } from './database/embedded/embedded-error.js';
import { PspsFileError } from './psp/psps-file.js';

/** Why the service did not start: a sentence where something can be done, else where it went wrong. */
export function reasonForPeople(error: unknown): string {
  const isKnown =
    error instanceof ConfigError ||
    error instanceof DatabaseUnavailable ||
    error instanceof EmbeddedPostgresError ||
    error instanceof PspsFileError;
  if (isKnown) return error.message;
  const port = portTaken(error);
  if (port !== null)
    return `port ${port} is taken: end what listens there, or choose others (${VARIABLES}; docs/configuration.md)`;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

const VARIABLES = 'PORT, GRPC_PORT, PAYONCE_OPS_PORT, PAYONCE_MONITORING_PORT';

/** The port of `listen EADDRINUSE: address already in use 127.0.0.1:3000`, which gRPC says in a message alone. */
function portTaken(error: unknown): string | null {
  const { message } = error as { message?: unknown };
  if (typeof message !== 'string') return null;
  return /\bEADDRINUSE\b.{0,200}?:(\d{1,5})(?!\d)/.exec(message)?.[1] ?? null;
}
