/**
 * api: the surfaces. Parse, call one flow, present; no rule about money lives here.
 *
 * `createApi(dependencies)` makes the REST surface (version 1), ready to listen; `createMonitoring`
 * makes what a worker serves, health and metrics alone. `createLogger` makes the logger that the whole
 * process should write through: one line of JSON each, scrubbed.
 */
export { findCardNumber } from './card-number.js';
export { ApiModule } from './api.module.js';
export { createApi, createMonitoring } from './create-api.js';
export {
  defaultLimits,
  type ApiDependencies,
  type ApiLimits,
  type MonitoringDependencies,
  type Readiness,
} from './dependencies.js';
export { createLogger, loggableError, type LoggerOptions } from './logger.js';
export { openApiDocument } from './openapi.js';
export { scrub } from './scrub.js';
