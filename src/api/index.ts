/**
 * api: the surfaces. Parse, call one flow, present; no rule about money lives here.
 *
 * `createApi(dependencies)` makes the REST surface (version 1), ready to listen. `createLogger` makes
 * the logger that the whole process should write through: one line of JSON each, scrubbed.
 */
export { findCardNumber } from './card-number.js';
export { ApiModule } from './api.module.js';
export { createApi } from './create-api.js';
export { defaultLimits, type ApiDependencies, type ApiLimits, type Readiness } from './dependencies.js';
export { createLogger, loggableError, type LoggerOptions } from './logger.js';
export { createOperationsServer, type OperationsServerOptions } from './operations-server.js';
export { openApiDocument } from './openapi.js';
export { scrub } from './scrub.js';
