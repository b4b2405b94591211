import { type Pool } from 'pg';
import { type Logger } from 'pino';
import { SystemClock } from '../core/clock.js';
import { ReportEvidence } from './report-evidence.js';
import { type Reports } from './reports.js';

it('applies the lines behind one that cannot be applied', async () => {
  const due = ['first', 'second'].map((key) => ({ psp: 'stripe', key, gross: 100, currency: 'EUR' }));
  const applied: unknown[] = [];
  const errors: unknown[] = [];
  const query = (sql: string, values: readonly unknown[] = []) => {
    if (sql.includes('UPDATE report_lines')) applied.push(values[1]);
    return Promise.resolve({ rows: sql.includes("l.evidence = 'due'") ? due : [] });
  };
  const recordNotification = (_psp: string, _item: unknown, trace: string) =>
    trace.endsWith('-1') ? Promise.reject(new Error('poison')) : Promise.resolve('applied' as const);
  const evidence = new ReportEvidence(
    { query } as unknown as Pool,
    { recordNotification },
    new SystemClock(),
    { importer: {} } as unknown as Reports,
    { error: (said: unknown) => errors.push(said) } as unknown as Logger,
  );
  due.forEach((line, index) => Object.assign(line, { runId: 'run', line: index + 1 }));
  await evidence.runOnce();
  expect(applied).toEqual(['second']);
  expect(errors).toMatchObject([{ psp: 'stripe', line: 'first', err: { message: 'poison' } }]);
});
