import { setTimeout as sleep } from 'node:timers/promises';
import { type PspName } from '@payonce/simulator';
import {
  atRest,
  codeOf,
  type Order,
  orderOf,
  paymentOf,
  type Reply,
  type Service,
  ApiClient,
  TestEnvironment,
} from '../support/test-environment.js';

/**
 * A call of which nobody knows what became of it binds the payment to its PSP: refusals that come
 * later, and restarts, change nothing about that. A lookup may, once it is final.
 */

/** By now nothing that was sent to a Stripe-like PSP can still arrive (`settlesAfterMs`, and a margin). */
const ARRIVED_MS = 120_000;
/** By now it has put right what it answered with an error (`settlesAfterServerErrorMs`, and a margin). */
const RECONCILED_MS = 25 * 3_600_000;

let environment: TestEnvironment;
let service: Service;
let client: ApiClient;

beforeEach(async () => {
  environment = await TestEnvironment.open({ timeoutMs: 600, lockTtlMs: 1_700 });
  const apiKey = await environment.merchant();
  client = new ApiClient(() => service.url, apiKey);
});
afterEach(() => environment.close());

const ask = (order: Order) => () => client.post('/v1/payments', orderOf(order), 'the-key');

/** An answer about the payment, once nobody else holds its key. */
function answerTo(order: Order): Promise<Reply> {
  const isAbout = (reply: Reply) => reply.status < 300 || codeOf(reply) !== 'request_in_progress';
  return client.until(ask(order), isAbout);
}

/** The answer of the first call is lost, and the process dies before it can write that down. */
async function fallIntoDoubt(order: Order, fault: 'reset_after' | 'reset_before'): Promise<void> {
  const dying = await environment.startProcess({
    at: { place: 'commit:before:accepted' },
    env: { PAYONCE_ROLE: 'api' },
  });
  service = dying;
  environment.simulator.faults(order.first!, { fault, next: 1 });
  await expect(ask(order)()).rejects.toThrow();
  expect((await dying.exit).signal).toBe('SIGKILL');
}

const attemptsOf = async (id: string) =>
  (await client.attempts(id)).map(({ kind, outcome }) => `${kind} ${outcome}`);

describe('doubt first, refusal second', () => {
  it.each([
    ['stripe', 'reset_before', 'execute succeeded'],
    ['adyen', 'reset_before', 'execute succeeded'],
    ['keyless', 'reset_after', 'lookup succeeded'],
  ] as const)('stays at %s (%s), until it is known there', async (first, fault, last) => {
    const others = (['stripe', 'adyen', 'keyless'] as PspName[]).filter((psp) => psp !== first);
    await fallIntoDoubt({ first }, fault);

    // It comes back to a PSP that refuses connections: for this call a proof, for the lost one none.
    environment.simulator.faults(first, { fault: 'refuse' });
    service = await environment.start();
    for (let tries = 0; tries < 3; tries++) {
      const reply = await answerTo({ first });
      expect(reply.status).toBe(202);
      const payment = paymentOf(reply);
      expect(payment).toMatchObject({ status: 'processing', psp: null, failure: null });
      expect(payment.routes).toMatchObject([{ route: 1, psp: first, verdict: 'open' }]);
      await sleep(1_100); // a PSP is not asked more than once a second
    }
    const { id } = paymentOf(await answerTo({ first }));
    const meanwhile = (await attemptsOf(id)).slice(1);
    expect(meanwhile.length).toBeGreaterThanOrEqual(2);
    expect(meanwhile.every((told) => /^(lookup|execute) (unknown|not_sent)$/.test(told))).toBe(true);
    for (const other of others) expect(environment.simulator.calls(other)).toEqual([]);
    const proofs = await environment.sql('SELECT 1 FROM non_execution_proofs');
    expect(proofs).toEqual([]);

    await environment.simulator.clearFaults();
    const settled = paymentOf(await client.until(ask({ first }), atRest));
    expect(settled).toMatchObject({ id, status: 'captured', psp: first });
    expect((await attemptsOf(id)).at(-1)).toBe(last);
    expect(environment.effects().map(({ psp, operation }) => [psp, operation])).toEqual([[first, 'charge']]);
    for (const other of others) expect(environment.simulator.calls(other)).toEqual([]);
  });
});

describe('an error that Stripe keeps for the key', () => {
  it('is no proof while Stripe may still put it right; only then another PSP is asked', async () => {
    service = await environment.start({ env: { PAYONCE_ROLE: 'api' } });
    environment.simulator.faults('stripe', { fault: 'error_500_before', next: 1 });
    const reply = await answerTo({ first: 'stripe' });
    expect(reply.status).toBe(202);
    const { id } = paymentOf(reply);
    // Sent again under its key, Stripe says the same again; "not found" may only be early. A pause that
    // its draw made short is slept through, and then there is another round before the answer.
    const rounds = await attemptsOf(id);
    expect(rounds.slice(0, 3)).toEqual(['execute unknown', 'lookup not_found', 'execute unknown']);
    expect(new Set(rounds)).toEqual(new Set(['execute unknown', 'lookup not_found']));
    const [first, ...again] = environment.orders('stripe').map(({ replayed, status }) => [replayed, status]);
    expect(first).toEqual([false, 500]);
    expect(again.length).toBeGreaterThanOrEqual(1);
    expect(again.every(([replayed, status]) => replayed && status === 500)).toBe(true);
    await sleep(1_100);
    expect((await answerTo({ first: 'stripe' })).status).toBe(202);
    expect(environment.simulator.calls('adyen')).toEqual([]);

    const restartAfter = async (ms: number) => {
      await service.stop();
      environment.simulator.advance(ms);
      await environment.travel(ms);
      service = await environment.start({ env: { PAYONCE_ROLE: 'api' } });
    };
    // Time enough for a request that was lost on its way. This one arrived.
    await restartAfter(ARRIVED_MS);
    expect((await answerTo({ first: 'stripe' })).status).toBe(202);
    expect((await attemptsOf(id)).at(-1)).toMatch(/lookup not_found|execute unknown/);
    expect(environment.simulator.calls('adyen')).toEqual([]);

    await restartAfter(RECONCILED_MS);
    const settled = paymentOf(await client.until(ask({ first: 'stripe' }), atRest));
    expect(settled).toMatchObject({ id, status: 'captured', psp: 'adyen' });
    expect(settled.routes).toEqual([
      { route: 1, psp: 'stripe', verdict: 'ruled_out', outcome: 'not_found' },
      { route: 2, psp: 'adyen', verdict: 'effective', outcome: 'succeeded' },
    ]);
    const proofs = await environment.sql('SELECT route, kind FROM non_execution_proofs');
    expect(proofs).toEqual([{ route: 1, kind: 'lookup_final' }]);
    expect(environment.effects().map(({ psp }) => psp)).toEqual(['adyen']);
  });
});
