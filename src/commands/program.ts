import { Command, type OutputConfiguration } from 'commander';
import { VERSION } from '../core/version.js';
import { addApiKeys } from './api-keys.command.js';
import { addAudit } from './audit.command.js';
import { addBank } from './bank.command.js';
import { addBreaks } from './breaks.command.js';
import { type RunCommand, withExamples } from './command.js';
import { addCompletion } from './completion.js';
import { addDeadLetters } from './dead-letters.command.js';
import { addExplain } from './explain.command.js';
import { addFailover } from './failover.command.js';
import { addLedger } from './ledger.command.js';
import { addMerchants } from './merchants.command.js';
import { addMigrate, type Migrate } from './migrate.command.js';
import { addOperators } from './operators.command.js';
import { addOrders } from './orders.command.js';
import { addOrphans } from './orphans.command.js';
import { addPayments } from './payments.command.js';
import { addPayoutLimits } from './payout-limits.command.js';
import { addPeriodicTasks } from './periodic-tasks.command.js';
import { addPsps } from './psps.command.js';
import { addReconcile } from './reconcile.command.js';
import { addSealKey } from './seal-key.command.js';
import { addStatus } from './status.command.js';
import { addStuck } from './stuck.command.js';

/** In the order in which the help lists them. */
const groups = [
  addStatus,
  addMerchants,
  addApiKeys,
  addPayoutLimits,
  addPsps,
  addOperators,
  addAudit,
  addOrders,
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
export function programOf(perform: RunCommand, migrate: Migrate, output: OutputConfiguration = {}): Command {
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
