/**
 * commands: what `npx payonce` can be told, a file for each group. A command opens nothing and prints
 * nothing: it says what is to be done with an open installation, and what that came to.
 */
export { addApiKeys } from './api-keys.js';
export { addBreaks } from './breaks.js';
export { addChores } from './chores.js';
export { type Opened, type Outcome, type Perform } from './command.js';
export { addDeadLetters } from './dead-letters.js';
export { addMerchants } from './merchants.js';
export { addMigrate } from './migrate.js';
export { addOrphans } from './orphans.js';
export { addStuck } from './stuck.js';
