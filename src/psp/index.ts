/**
 * psp: the outside world. One contract, one folder per PSP, a router, a breaker, a guard around
 * every call. Nobody but request storage calls money verbs.
 */
export * from './contract.js';
export { adviceFor } from './decline.js';
