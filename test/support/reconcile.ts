import { type Planted } from '@payonce/simulator';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { postDue } from './ledger.js';
import { eventually, type TestEnvironment, type PspName } from './test-environment.js';

/** Posts what is due, and imports the report of a PSP with these differences in it. */
export async function reconcile(
  environment: TestEnvironment,
  psp: PspName,
  planted: readonly Planted[],
  ...more: readonly string[]
): Promise<void> {
  await postDue(environment);
  const folder = mkdtempSync(join(tmpdir(), 'payonce-report-'));
  const file = join(folder, 'report.csv');
  writeFileSync(file, environment.simulator.report(psp, { planted }));
  await environment.command('reconcile', 'run', '--psp', psp, '--file', file, ...more);
  rmSync(folder, { recursive: true });
}

/** Reconciles what is due. A scheduled pass may be at it, and this one then says that it did not run. */
export const reconcileDue = (environment: TestEnvironment) =>
  eventually(async () => {
    const ran = (await environment.command('tasks', 'run', 'reconciliation')) as { error?: object };
    return ran.error === undefined;
  }, 'the task runs');
