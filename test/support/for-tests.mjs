/** Entry of dist/src/for-tests.cjs: the parts of the built service that specs run in their worker, see built-service.ts. */
export { startApplication } from '../../dist/src/application.js';
export * as installation from '../../dist/src/cli.js';
export { run as runCommand } from '../../dist/src/commands/run.js';
export { loadConfig } from '../../dist/src/config/config.js';
export { pspsOf } from '../../dist/src/configured-psps.js';
export { createLogger } from '../../dist/src/http/logger.js';
export { startSimulator } from '../../packages/simulator/dist/index.js';
/** The seam of checkpoints is on the global object of Node, which is not that of a spec. */
export const outerGlobals = globalThis;
