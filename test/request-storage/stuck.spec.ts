import {
  ApiClient,
  eventually,
  orderOf,
  paymentOf,
  type Service,
  TestEnvironment,
  type PspName,
} from '../support/test-environment.js';

/**
 * Charges whose answers were lost, at PSPs that were away until every way to learn was used up. What an
 * operator may do about them then; the ledgers judge.
 */
const names = ['done', 'nothing', 'retried'] as const;
type Name = `${(typeof names)[number]} at ${'stripe' | 'adyen'}`;

/** Beyond every schedule, and the time for which a PSP knows our keys. */
const LATER_MS = 8 * 24 * 3_600_000;
/** A route that was ruled out by a person is looked at after 5 minutes. */
const LOOK_MS = 6 * 60_000;
const BY = ['--by', 'ada'];

let environment: TestEnvironment;
let service: Service;
let client: ApiClient;
const ids = new Map<Name, string>();
const id = (name: Name) => ids.get(name)!;

beforeAll(async () => {
  environment = await TestEnvironment.open({
    env: { PAYONCE_DEADLINE_MS: '2000' },
  });
  client = new ApiClient(() => service.url, await environment.merchant());
  service = await environment.start();
  for (const first of ['stripe', 'adyen'] as const) {
    for (const name of names) {
      const fault = name === 'nothing' ? 'reset_before' : 'reset_after';
      environment.simulator.faults(first, { fault, next: 1 });
      environment.simulator.faults(first, { fault: 'reset_before', on: 'any', rate: 1 });
      const reply = await client.post(
        '/v1/payments',
        orderOf({ first, reference: name }),
        `${name} ${first}`,
      );
      ids.set(`${name} at ${first}`, paymentOf(reply).id);
      await environment.simulator.clearFaults(first);
    }
    environment.simulator.faults(first, { fault: 'reset_before', on: 'any', rate: 1 });
  }
  await service.stop();
  environment.simulator.advance(LATER_MS);
  await environment.travel(LATER_MS);
  service = await environment.start({ role: 'all' });
  await eventually(async () => (await stuck()).length === ids.size, 'all of them to be stuck');
  await environment.simulator.clearFaults();
});
afterAll(() => environment.close());

const stuck = () => environment.sql('SELECT entity_key FROM psp_requests WHERE stuck_at IS NOT NULL');
const referenceOf = (name: Name) => environment.effects(id(name))[0]!.psp_reference;
const orders = () =>
  (['stripe', 'adyen', 'keyless'] as const).flatMap((psp) => environment.orders(psp)).length;
const audited = (name: Name) =>
  environment.acts({ action: 'route.resolved', subject: `payment:${id(name)}` });
const resolve = async (name: Name, as: 'done' | 'not-done', ...more: readonly string[]) =>
  environment.command(
    'stuck',
    'resolve',
    id(name),
    ...(await environment.seen(id(name))),
    '--as',
    as,
    '--evidence',
    'Seen in the dashboard',
    ...BY,
    ...more,
  );

describe('an operation that is stuck', () => {
  it.each(['stripe', 'adyen'] as const)(
    'is done where a person found it at %s, by the id that it has there',
    async (psp) => {
      const name = `done at ${psp}` as const;
      const before = orders();
      expect(await resolve(name, 'done')).toMatchObject({ error: { code: 'validation_failed' } });
      expect(await resolve(name, 'done', '--psp-reference', referenceOf(name))).toEqual({
        entity_key: `payment-${id(name)}-charge`,
        route: 1,
        psp,
        verdict: 'effective',
      });
      expect(await client.payment(id(name))).toMatchObject({ status: 'captured', psp });
      expect(await audited(name)).toMatchObject([
        { actor: 'cli:ada', detail: { as: 'done', evidence: 'Seen in the dashboard' } },
      ]);
      const refund = { amount: 500, reference: 'one' };
      const refunded = await client.post(`/v1/payments/${id(name)}/refunds`, refund, `refund ${psp}`);
      expect(JSON.parse(refunded.text)).toMatchObject({ amount: 500 });
      expect(environment.effects(id(name)).map(({ operation }) => operation)).toEqual(['charge', 'refund']);
      expect(orders()).toBe(before + 1);
    },
  );

  it.each(['stripe', 'adyen'] as const)(
    'has failed where a person found nothing at %s, and is asked for nowhere else',
    async (psp) => {
      const name = `nothing at ${psp}` as const;
      const before = orders();
      expect(await resolve(name, 'not-done')).toMatchObject({ verdict: 'ruled_out' });
      expect(await client.payment(id(name))).toMatchObject({
        status: 'failed',
        failure: { code: 'not_executed' },
      });
      const again = await client.post(
        '/v1/payments',
        orderOf({ first: psp, reference: 'nothing' }),
        `nothing ${psp}`,
      );
      expect(paymentOf(again)).toMatchObject({ id: id(name), status: 'failed' });
      expect(orders()).toBe(before);
      expect(environment.effects(id(name))).toEqual([]);
      expect(await audited(name)).toMatchObject([{ actor: 'cli:ada', detail: { as: 'not-done' } }]);
    },
  );

  it('is decided by a person only while it is stuck', async () => {
    const name = 'nothing at adyen';
    expect(await resolve(name, 'done', '--psp-reference', 'ABC')).toMatchObject({
      error: { code: 'invalid_state' },
    });
    expect(await client.payment(id(name))).toMatchObject({ status: 'failed' });
    expect(await audited(name)).toHaveLength(1);
  });

  it('is not done by what the PSP made for another operation', async () => {
    const reference = referenceOf('done at adyen');
    expect(await resolve('retried at adyen', 'done', '--psp-reference', reference)).toMatchObject({
      error: { code: 'validation_failed', message: expect.stringContaining('another operation') as string },
    });
    expect(await audited('retried at adyen')).toEqual([]);
  });

  it('takes no card number for evidence', async () => {
    const seen = await environment.seen(id('retried at adyen'));
    const line = ['stuck', 'resolve', id('retried at adyen'), ...seen, '--as', 'not-done', '--evidence'];
    const answer = await environment.command(...line, 'card 4242 4242 4242 4242 has nothing');
    expect(answer).toMatchObject({ error: { code: 'card_number_refused' } });
    expect(await audited('retried at adyen')).toEqual([]);
  });

  it('is asked about again by an operator, and sent to nobody once the key may be forgotten', async () => {
    const name = 'retried at stripe';
    const before = orders();
    environment.simulator.faults('stripe', { fault: 'error_500_before', on: 'lookup', rate: 1 });
    // The PSP has been heard of since, which is one more round of every route that was in doubt.
    await environment.sql('UPDATE psp_returns SET back_at = NULL');
    expect(await environment.command('stuck', 'retry', id(name))).toMatchObject({
      calls: [{ kind: 'lookup', outcome: 'unknown' }],
      stuck: true,
    });
    await environment.simulator.clearFaults();
    expect(await environment.command('stuck', 'retry', id(name))).toMatchObject({
      calls: [{ kind: 'lookup', outcome: 'succeeded' }],
      stuck: false,
    });
    expect(await client.payment(id(name))).toMatchObject({ status: 'captured' });
    expect(orders()).toBe(before);
    const retries = await environment.acts({ action: 'route.retried', subject: `payment:${id(name)}` });
    expect(retries.map(({ actor, detail }) => [actor, detail])).toMatchObject([
      [expect.stringMatching(/^cli:/), { calls: [{ kind: 'lookup', outcome: 'unknown' }] }],
      [expect.stringMatching(/^cli:/), { calls: [{ kind: 'lookup', outcome: 'succeeded' }] }],
    ]);
    // This PSP answers no questions; what it knows of our key it may have forgotten.
    expect(await environment.command('stuck', 'retry', id('retried at adyen'))).toMatchObject({
      calls: [],
      stuck: true,
    });
    expect(orders()).toBe(before);
  });
});

describe('a person who was wrong', () => {
  /** What is alerted on. */
  async function figure(): Promise<number> {
    const text = await (await fetch(`${service.url}/metrics`)).text();
    return Number(/^payonce_orphan_effects (\d+)$/m.exec(text)?.[1]);
  }

  it('leaves an orphan effect, which a person who gave it back by hand takes off the list', async () => {
    const first: PspName = 'stripe';
    // Another one at the PSP that can be asked: it was done, and the person did not find it.
    environment.simulator.faults(first, { fault: 'reset_after', next: 1 });
    environment.simulator.faults(first, { fault: 'reset_before', on: 'any', rate: 1 });
    const reply = await client.post('/v1/payments', orderOf({ first, reference: 'wrong' }), 'wrong');
    const { id: paymentId } = paymentOf(reply);
    await service.stop();
    await environment.travel(LATER_MS);
    service = await environment.start({ role: 'all', env: { PAYONCE_ORPHANS: 'approve' } });
    const isStuck = 'SELECT FROM psp_requests WHERE payment_id = $1 AND stuck_at IS NOT NULL';
    await eventually(async () => (await environment.sql(isStuck, [paymentId])).length > 0, 'it is stuck');
    const seen = await environment.seen(paymentId);
    const statement = [...seen, '--as', 'not-done', '--evidence', 'Not in the dashboard'];
    expect(await environment.command('stuck', 'resolve', paymentId, ...statement)).toMatchObject({
      verdict: 'ruled_out',
    });
    expect(await client.payment(paymentId)).toMatchObject({ status: 'failed' });

    await environment.simulator.clearFaults();
    await service.stop();
    await environment.travel(LOOK_MS);
    service = await environment.start({ role: 'all', env: { PAYONCE_ORPHANS: 'approve' } });
    const [orphan] = await eventually(async () => {
      const list = (await environment.command('orphans', 'list')) as {
        merchant_id: string;
        entity_key: string;
      }[];
      return list.length > 0 && list;
    }, 'the orphan effect');
    expect(orphan).toMatchObject({ entity_key: `payment-${paymentId}-charge`, route: 1, status: 'open' });
    await eventually(async () => (await figure()) === 1, 'the figure with it');

    const which = ['--merchant', orphan!.merchant_id, '--entity-key', orphan!.entity_key, '--route', '1'];
    const close = () =>
      environment.command('orphans', 'close', ...which, '--note', 'Refunded by hand', ...BY);
    expect(await close()).toMatchObject({ status: 'closed' });
    expect(await environment.command('orphans', 'list')).toEqual([]);
    await eventually(async () => (await figure()) === 0, 'the figure without it');
    expect(await close()).toMatchObject({ error: { code: 'not_found' } });
    const approve = await environment.command('orphans', 'approve', ...which);
    expect(approve).toMatchObject({ error: { code: 'not_found' } });
    expect(await environment.acts({ action: 'orphan.closed' })).toMatchObject([
      { actor: 'cli:ada', subject: orphan!.entity_key, detail: { route: 1, note: 'Refunded by hand' } },
    ]);
    // The command itself sends nothing.
    expect(environment.effects(paymentId).map(({ operation }) => operation)).toEqual(['charge']);
  });
});
