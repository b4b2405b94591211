import { Command, type OutputConfiguration } from 'commander';
import { VERSION } from '../core/version.js';
import { addApiKeys } from './api-keys.js';
import { addAudit } from './audit.js';
import { addBank } from './bank.js';
import { addBreaks } from './breaks.js';
import { type Perform, withExamples } from './command.js';
import { addCompletion } from './completion.js';
import { addDeadLetters } from './dead-letters.js';
import { addExplain } from './explain.js';
import { addFailover } from './failover.js';
import { addLedger } from './ledger.js';
import { addMerchants } from './merchants.js';
import { addMigrate, type Migrate } from './migrate.js';
import { addOperators } from './operators.js';
import { addOrphans } from './orphans.js';
import { addPayments } from './payments.js';
import { addPayoutLimits } from './payout-limits.js';
import { addPeriodicTasks } from './periodic-tasks.js';
import { addPsps } from './psps.js';
import { addReconcile } from './reconcile.js';
import { addSealKey } from './seal-key.js';
import { addStatus } from './status.js';
import { addStuck } from './stuck.js';

/** In the order in which the help lists them. */
const groups = [
  addStatus,
  addMerchants,
  addApiKeys,
  addPayoutLimits,
  addPsps,
  addOperators,
  addAudit,
  addPayments,
  addExplain,
  addStuck,
  addOrphans,
  addFailover,
  addSealKey,
  addBreaks,
  addLedger,
  addReconcile,
  addBank,
  addDeadLetters,
  addPeriodicTasks,
];

/**
 * `payonce` with all its commands. Their files import what a command works with when it is performed, and
 * nothing of it before: help, the version and completion take no longer than Node does.
 */
export function programOf(perform: Perform, migrate: Migrate, output: OutputConfiguration = {}): Command {
  const payonce = new Command('payonce')
    .description(
      'Administers a Payonce installation: the database in DATABASE_URL, or the embedded one in this folder.',
    )
    .version(VERSION)
    .exitOverride() // subcommands inherit this and the next two
    .configureOutput(output)
    .configureHelp({ minWidthToWrap: 20 })
    .showHelpAfterError('Add --help to see what the command takes, with examples.');
  addMigrate(payonce, migrate);
  for (const add of groups) add(payonce, perform);
  addCompletion(payonce);
  return withExamples(payonce, 'status', 'merchants create --name Shop', 'stuck list --help');
}
