import { type LoggerService } from '@nestjs/common';
import { type Logger } from 'pino';

/** Nest's own words: its warnings and errors are ours, the rest is for debugging. */
export function nestLogger(logger: Logger): LoggerService {
  return {
    log: (message: unknown) => logger.debug({ from: 'nest' }, String(message)),
    debug: (message: unknown) => logger.debug({ from: 'nest' }, String(message)),
    verbose: (message: unknown) => logger.trace({ from: 'nest' }, String(message)),
    warn: (message: unknown) => logger.warn({ from: 'nest' }, String(message)),
    error: (message: unknown) => logger.error({ from: 'nest' }, String(message)),
    fatal: (message: unknown) => logger.fatal({ from: 'nest' }, String(message)),
  };
}
