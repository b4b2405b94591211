import { type Sink } from './logger.js';

/** Lines for people at a terminal, at once and in the order in which they were written. */
export async function peopleLog(): Promise<Sink> {
  const { default: pretty } = await import('pino-pretty');
  return pretty({ colorize: true, translateTime: 'SYS:HH:MM:ss', singleLine: true, sync: true });
}
