import { DataSource } from 'typeorm';
import { OneTableOfBreaks1700000000078 } from '../../migrations/0078-one-table-of-breaks.js';
import { type FreshDatabase, freshDatabase } from '../support/database.js';

/** Breaks that were found before they had one table are in it afterwards, with what people said of them. */
let fresh: FreshDatabase;
let source: DataSource;
beforeAll(async () => {
  fresh = await freshDatabase();
  source = await new DataSource({ type: 'postgres', url: fresh.url }).initialize();
});
afterAll(async () => {
  await source.destroy();
  await fresh.drop();
});

const fact = (pspReference: string) => ({
  entityKey: null,
  pspReference,
  parentReference: null,
  about: 'operation',
  answer: { outcome: 'declined', money: { amount: 1234, currency: 'EUR' } },
});

it('keeps the old rows, there and back', async () => {
  const runner = source.createQueryRunner();
  const migration = new OneTableOfBreaks1700000000078();
  await migration.down(runner);
  await runner.query(
    `INSERT INTO webhook_inbox (psp, event_id, type, facts, entity_key, received_at, trace_id, state, reason, taken, tries,
                                decided_at, resolved_at, resolution)
     VALUES ('stripe', 'evt_1', 'x', $1, 'payment-1-charge', now(), 't-1', 'break', 'contradiction',
             '{known,contradiction}', 1, now(), NULL, NULL),
            ('stripe', 'evt_2', 'x', '[]', NULL, now(), 't-2', 'break', 'operation_unknown', '{}', 9, now(), now(), 'A test.'),
            ('stripe', 'evt_3', 'x', '[]', NULL, now(), 't-3', 'ignored', NULL, '{}', 1, now(), NULL, NULL)`,
    [JSON.stringify([fact('pi_other'), fact('pi_1')])],
  );
  await runner.query(
    `INSERT INTO audit_records (merchant_id, id, at, actor, action, subject, detail)
     VALUES ('00000000-0000-0000-0000-000000000000', gen_random_uuid(), now(), 'cli:ada', 'break.resolved', 'notice:t-2',
             '{"psp": "stripe", "event_id": "evt_2"}')`,
  );
  await migration.up(runner);
  const found = await runner.query(
    `SELECT category, event_id, entity_key, psp_reference, currency, reported::int, closed_by, resolution
       FROM reconciliation_breaks ORDER BY event_id`,
  );
  expect(found).toEqual([
    {
      category: 'contradiction',
      event_id: 'evt_1',
      entity_key: 'payment-1-charge',
      psp_reference: 'pi_1',
      currency: 'EUR',
      reported: 1234,
      closed_by: null,
      resolution: null,
    },
    {
      category: 'operation_unknown',
      event_id: 'evt_2',
      entity_key: null,
      psp_reference: null,
      currency: null,
      reported: null,
      closed_by: 'cli:ada',
      resolution: 'A test.',
    },
  ]);
  await migration.down(runner);
  const back = await source.query<{ count: number }[]>(
    "SELECT count(*)::int AS count FROM webhook_inbox WHERE resolution = 'A test.' AND resolved_at IS NOT NULL",
  );
  expect(back).toEqual([{ count: 1 }]);
  await runner.release();
});
