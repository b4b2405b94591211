import { type startSimulator } from '@payonce/simulator';
import { type startApplication } from '../../src/application.js';
import { type Installation } from '../../src/commands/command.js';
import { type run } from '../../src/commands/run.js';
import { type loadConfig } from '../../src/config/config.js';
import { type pspsOf } from '../../src/configured-psps.js';
import { type createLogger } from '../../src/http/logger.js';

/** The parts of the built service that specs use, packed into dist/src/for-tests.cjs by global-setup.ts. */
export interface BuiltService {
  readonly loadConfig: typeof loadConfig;
  readonly pspsOf: typeof pspsOf;
  readonly createLogger: typeof createLogger;
  readonly startApplication: typeof startApplication;
  readonly runCommand: typeof run;
  readonly installation: Installation;
  readonly startSimulator: typeof startSimulator;
  /** The global object that listeners of checkpoints are put on: the built service does not see that of a spec. */
  readonly outerGlobals: object;
}

/**
 * The built service, loaded by Node itself and not by Jest: once in each worker of Jest for all of its spec files, so that
 * a service starts in the worker in a tenth of a second and its code stays compiled.
 */
export function builtService(): BuiltService {
  const { requireOutsideJest } = globalThis as { requireOutsideJest?: (file: string) => unknown };
  if (!requireOutsideJest)
    throw new Error('jest.config.mjs names the environment that loads the built service');
  return requireOutsideJest('dist/src/for-tests.cjs') as BuiltService;
}
