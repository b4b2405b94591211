import { type PspName } from '@payonce/simulator';
import { openDatabase } from '../../src/database/database.js';
import { entities } from '../../src/entities.js';
import { SystemClock } from '../../src/core/clock.js';
import { SystemIds } from '../../src/core/ids.js';
import { OrphanEffects } from '../../src/request-storage/orphan-effects.js';
import { OrphanEffect } from '../../src/request-storage/psp-request.entity.js';
import {
  atRest,
  eventually,
  orderOf,
  paymentOf,
  type Reply,
  type Service,
  ApiClient,
  TestEnvironment,
} from '../support/test-environment.js';

/**
 * A PSP without keys says that it knows nothing of a charge, when that is final by its own promise, so
 * another PSP makes it. Then the first one does it after all. The ledgers judge.
 */
const FIRST: PspName = 'keyless';
const AMOUNT = 1_999;
/** When "not found" is final there, and a margin. */
const PROOF_MS = 100_000;
/** Later than that: a promise that is broken. */
const LATE_MS = 200_000;
/** A route that was ruled out by a lookup is looked at again after 5 minutes. */
const LOOK_MS = 6 * 60_000;

let environment: TestEnvironment;
let apiKey: string;
let service: Service;
let client: ApiClient;

beforeEach(async () => {
  environment = await TestEnvironment.open({ timeoutMs: 800, lockTtlMs: 2_000 });
  apiKey = await environment.merchant();
  client = new ApiClient(() => service.url, apiKey);
});
afterEach(() => environment.close());

/** Another process, so much later. */
async function later(ms: number, env: Readonly<Record<string, string>> = {}): Promise<void> {
  await service?.stop();
  await environment.travel(ms);
  service = await environment.start({ env });
}

/** The payment as it was answered: made by another PSP, and the first one has made it as well. */
async function doneTwice(capture: 'automatic' | 'manual'): Promise<{ reply: Reply; id: string }> {
  // Nobody works by itself here: it is the client's own request that goes elsewhere.
  const alone = { PAYONCE_ROLE: 'api' };
  await later(0, alone);
  environment.simulator.faults(FIRST, { fault: 'late_effect', delay_ms: LATE_MS, next: 1 });
  const ask = () => client.post('/v1/payments', orderOf({ first: FIRST, capture, amount: AMOUNT }), 'key');
  await client.until(ask, ({ status }) => status === 202);
  await later(PROOF_MS, alone);
  const reply = await client.until(ask, atRest);
  const payment = paymentOf(reply);
  expect(payment).toMatchObject({
    psp: 'stripe',
    routes: [
      { psp: FIRST, verdict: 'ruled_out', outcome: 'not_found' },
      { psp: 'stripe', verdict: 'effective', outcome: 'succeeded' },
    ],
  });
  expect(environment.simulator.ledger(FIRST).effects).toEqual([]);
  environment.simulator.advance(LATE_MS);
  return { reply, id: payment.id };
}

const ledger = (psp: PspName) =>
  environment.simulator.ledger(psp).effects.map(({ operation, amount }) => `${operation} ${amount}`);

const orphans = () =>
  environment.sql<OrphanEffect>(
    `SELECT merchant_id AS "merchantId", entity_key AS "entityKey", route, psp, operation, amount::int, status
       FROM orphan_effects`,
  );

const hasStatus = (status: string) =>
  eventually(async () => (await orphans()).find((orphan) => orphan.status === status), `it is ${status}`);

/** What is alerted on, which may be shown as it was 3 s ago. */
async function figureIs(count: number): Promise<void> {
  await eventually(async () => {
    const { text } = await client.get('/metrics');
    return Number(/^payonce_orphan_effects (\d+)$/m.exec(text)?.[1]) === count;
  }, `the figure ${count}`);
}

/** Nothing but what is known of the first route has changed, and the key is answered as before. */
async function expectUntouched({ reply, id }: { reply: Reply; id: string }): Promise<void> {
  const before = paymentOf(reply);
  const after = await client.payment(id);
  const known = before.routes.map((one) => (one.psp === FIRST ? { ...one, outcome: 'succeeded' } : one));
  expect(after).toEqual({ ...before, routes: known });
}

const ofMerchants = (policy: string | null) => environment.sql('UPDATE merchants SET orphans = $1', [policy]);

async function approve({ merchantId, entityKey, route }: OrphanEffect): Promise<OrphanEffect> {
  const clock = new SystemClock();
  const { url } = environment.database;
  const tables = { entities, migrations: [] };
  const database = await openDatabase({ url, ...tables, poolSize: 1, applicationName: 'orphan-spec' });
  try {
    const by = { actor: 'operator:ada', auditId: new SystemIds(clock).uuid(), at: clock.now() };
    return await new OrphanEffects(database.dataSource.getRepository(OrphanEffect)).approve(
      { merchantId, entityKey, route, pspReference: null },
      by,
    );
  } finally {
    await database.close();
  }
}

describe('what a PSP did after it was ruled out', () => {
  it.each([
    ['automatic', 'charge', 'refund', 'as configured', null],
    ['manual', 'authorize', 'void', "by the merchant's own policy", 'automatic'],
  ] as const)(
    'is given back by itself, once (capture %s, a %s, a %s: %s)',
    async (capture, done, undone, _, own) => {
      const made = await doneTwice(capture);
      expect(ledger(FIRST)).toEqual([`${done} ${AMOUNT}`]);
      await ofMerchants(own);
      await later(LOOK_MS, own === null ? {} : { PAYONCE_ORPHANS: 'approve' });
      const orphan = await hasStatus('compensated');
      expect(await orphans()).toEqual([orphan]);
      expect(orphan).toMatchObject({ route: 1, psp: FIRST, operation: done, amount: AMOUNT });

      expect(ledger(FIRST)).toEqual([`${done} ${AMOUNT}`, `${undone} ${AMOUNT}`]);
      expect(ledger('stripe')).toEqual([`${done} ${AMOUNT}`]);
      const [late, back] = environment.simulator.ledger(FIRST).effects;
      expect(back!.parent_reference).toBe(late!.psp_reference);
      const routes = await environment.sql(
        "SELECT entity_key, psp, operation, verdict FROM psp_requests WHERE entity_key LIKE '%-orphan-%'",
      );
      const entityKey = `payment-${made.id}-orphan-1`;
      expect(routes).toEqual([
        { entity_key: entityKey, psp: FIRST, operation: undone, verdict: 'effective' },
      ]);
      await figureIs(0);
      await expectUntouched(made);

      // Another process, a day later, finds nothing more to do.
      await later(24 * 3_600_000);
      const looks = await environment.sql('SELECT 1 FROM psp_requests WHERE look_again_at IS NOT NULL');
      expect(looks).toEqual([]);
      expect(ledger(FIRST)).toHaveLength(2);
    },
  );

  it.each([
    ['as configured', null, { PAYONCE_ORPHANS: 'approve' }],
    ["by the merchant's own policy", 'approve', {}],
  ])('waits for a person, and shows (%s)', async (_, own, env) => {
    const made = await doneTwice('automatic');
    await ofMerchants(own);
    await later(LOOK_MS, env);
    const open = await hasStatus('open');
    await figureIs(1);
    // Said at the end of a pass, in which what was found is given back where that is automatic.
    const pass = /"task":"orphans-\w+","looked":1,"compensated":(\d)/;
    const [, compensated] = await eventually(() => pass.exec(service.output()), 'the pass that found it');
    expect(compensated).toBe('0');
    expect(ledger(FIRST)).toEqual([`charge ${AMOUNT}`]);
    expect((await orphans())[0]!.status).toBe('open');

    expect((await approve(open)).status).toBe('approved');
    await hasStatus('compensated');
    expect(ledger(FIRST)).toEqual([`charge ${AMOUNT}`, `refund ${AMOUNT}`]);
    expect(ledger('stripe')).toEqual([`charge ${AMOUNT}`]);
    await figureIs(0);
    await expect(approve(open)).rejects.toMatchObject({ code: 'not_found' });
    const audit = await environment.sql(
      "SELECT actor, subject FROM audit_records WHERE action = 'orphan.approved'",
    );
    expect(audit).toEqual([{ actor: 'operator:ada', subject: `payment-${made.id}-charge` }]);
    await expectUntouched(made);
  });
});
