/**
 * psp: the outside world. One contract, one folder per PSP, a router, a breaker, a guard around
 * every call. Nobody but request storage calls money verbs.
 *
 * - an *account* is one login at one PSP under a name of ours; two at the same PSP are two accounts
 * - an *adapter* is the code that speaks to one kind of PSP (registry.ts lists them)
 * - the *directory* guards every call to every account, and is what request storage is given
 */
export * from './contract.js';
export { adviceFor } from './decline.js';
export { type BreakerOptions, breakerDefaults } from './breaker.js';
export { type PspAccount, PspDirectory, type PspDirectoryOptions } from './psp-directory.js';
export {
  type Fact,
  type Notice,
  type NoticeReader,
  type NoticeReading,
  type NoticeRefusal,
} from './notice.js';
export { isHandedBackAs } from './adyen/adyen.mapping.js';
export { adapters } from './registry.js';
export {
  accountsOf,
  defaultPsps,
  noticeReadersOf,
  parsePsps,
  type PspConfig,
  type PspsConfig,
  PspsFileError,
  readPspsFile,
} from './psps-file.js';
export {
  candidates,
  mayFence,
  type RoutingConditions,
  type RoutingFacts,
  type RoutingRule,
} from './router.js';
