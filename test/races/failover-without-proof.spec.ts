import { Client, DatabaseError } from 'pg';
import { atRest, orderOf, paymentOf, ApiClient, TestEnvironment } from '../support/test-environment.js';

let environment: TestEnvironment;
let client: ApiClient;
let connection: Client;
let paymentId: string;
let entityKey: string;

const body = orderOf({ first: 'stripe' });

/** A real charge in doubt: nothing answers, so its route stays open. */
beforeAll(async () => {
  environment = await TestEnvironment.open({ env: { PAYONCE_ROLE: 'api' } });
  const apiKey = await environment.merchant();
  const service = await environment.start();
  client = new ApiClient(() => service.url, apiKey);
  environment.simulator.faults('stripe', { fault: 'hang_before', on: 'any', times: 1_000 });
  const reply = await client.post('/v1/payments', body, 'in-doubt');
  expect(reply.status).toBe(202);
  paymentId = paymentOf(reply).id;
  const [route] = await environment.sql<{ entity_key: string; route: number; verdict: string }>(
    'SELECT entity_key, route, verdict FROM psp_requests WHERE payment_id = $1',
    [paymentId],
  );
  expect(route).toMatchObject({ route: 1, verdict: 'open' });
  entityKey = route!.entity_key;
  connection = new Client({
    connectionString: environment.database.url,
    application_name: 'payonce-operator',
  });
  await connection.connect();
});

afterAll(async () => {
  await connection.end();
  await environment.close();
});

// Whatever is done by hand is taken back: the charge goes on as it was.
beforeEach(() => connection.query('BEGIN'));
afterEach(() => connection.query('ROLLBACK'));

/** The rule that refuses the statement; null when it is written. */
async function ruleAgainst(text: string, values: readonly unknown[] = []): Promise<string | null> {
  await connection.query('SAVEPOINT before_it');
  try {
    await connection.query(text, [...values]);
    return null;
  } catch (error) {
    await connection.query('ROLLBACK TO SAVEPOINT before_it');
    if (error instanceof DatabaseError) return error.constraint ?? error.message;
    throw error;
  }
}

/** Route 2 at another PSP, as the service would open it. */
function openRouteTwo(restsOn: number | null = 1): Promise<string | null> {
  return ruleAgainst(
    `INSERT INTO psp_requests (merchant_id, entity_key, route, operation, payment_id, psp, amount, currency,
       psp_idempotency_key, verdict, next_step_at, fence, rests_on_route, opened_at)
     SELECT merchant_id, entity_key, 2, operation, payment_id, 'adyen', amount, currency,
            'by-hand', 'open', now(), 1, $2::smallint, now()
       FROM psp_requests WHERE entity_key = $1 AND route = 1`,
    [entityKey, restsOn],
  );
}

function ruleOutByHand(): Promise<string | null> {
  return ruleAgainst(
    `UPDATE psp_requests SET verdict = 'ruled_out', decided_at = now(), next_step_at = NULL, stuck_at = NULL,
            leased_by = NULL, leased_until = NULL
      WHERE entity_key = $1 AND route = 1`,
    [entityKey],
  );
}

function prove(kind: string, attempt: number): Promise<string | null> {
  return ruleAgainst(
    `INSERT INTO non_execution_proofs (merchant_id, entity_key, route, kind, attempt, proved_at)
     SELECT merchant_id, entity_key, route, $2, $3::smallint, now()
       FROM psp_requests WHERE entity_key = $1 AND route = 1`,
    [entityKey, kind, attempt],
  );
}

describe('a charge in doubt, handled with SQL', () => {
  it('cannot be routed elsewhere while its route is open', async () => {
    expect(await openRouteTwo()).toBe('psp_requests_one_live_route');
  });

  it('cannot be routed elsewhere when its route is ruled out without a proof', async () => {
    expect(await ruleOutByHand()).toBeNull();
    expect(await openRouteTwo()).toBe('psp_requests_rests_on_proof');
  });

  it('cannot be routed elsewhere by leaving out what the route rests on', async () => {
    expect(await ruleOutByHand()).toBeNull();
    expect(await openRouteTwo(null)).toBe('psp_requests_needs_proof');
  });

  it.each(['not_sent', 'declined', 'rejected', 'cancel_acknowledged', 'lookup_final'])(
    'cannot be proved not to have happened by an attempt that does not say so (%s)',
    async (kind) => {
      expect(await ruleOutByHand()).toBeNull();
      const attempts = await connection.query<{ attempt: number; kind: string; outcome: string }>(
        'SELECT attempt, kind, outcome FROM psp_attempts WHERE entity_key = $1 ORDER BY attempt',
        [entityKey],
      );
      expect([...new Set(attempts.rows.map((row) => row.kind))].toSorted()).toEqual(['execute', 'lookup']);
      for (const { attempt, outcome } of attempts.rows) {
        expect(outcome).toBe('unknown');
        expect(await prove(kind, attempt)).toBe('non_execution_proofs_hold');
      }
      expect(await openRouteTwo()).toBe('psp_requests_rests_on_proof');
    },
  );

  it('cannot be proved by an attempt that was never made', async () => {
    expect(await prove('not_sent', 99)).not.toBeNull();
  });

  it('can be routed elsewhere with a proof that holds', async () => {
    await connection.query(
      "UPDATE psp_attempts SET outcome = 'not_sent', ended_at = now() WHERE entity_key = $1 AND attempt = 1",
      [entityKey],
    );
    expect(await ruleOutByHand()).toBeNull();
    expect(await prove('not_sent', 1)).toBeNull();
    expect(await openRouteTwo()).toBeNull();
  });

  it('is charged once in the end, at the PSP that it was bound to', async () => {
    await connection.query('ROLLBACK');
    await environment.simulator.clearFaults('stripe');

    const reply = await client.until(() => client.post('/v1/payments', body, 'in-doubt'), atRest);

    expect(paymentOf(reply)).toMatchObject({ id: paymentId, status: 'captured', psp: 'stripe' });
    expect(environment.effects().map(({ psp, operation }) => [psp, operation])).toEqual([
      ['stripe', 'charge'],
    ]);
  });
});
