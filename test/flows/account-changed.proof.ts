import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  atRest,
  codeOf,
  eventually,
  orderOf,
  paymentOf,
  type ServiceProcess,
  ApiClient,
  TestEnvironment,
} from '../support/test-environment.js';

/** Started again with another account under the same name: what the first one did, it knows nothing of. */
const SETTLED_MS = 120_000;

let environment: TestEnvironment;
let service: ServiceProcess;
let client: ApiClient;
let directory: string;

beforeAll(async () => {
  environment = await TestEnvironment.open({ timeoutMs: 800, lockTtlMs: 2_000 });
  directory = mkdtempSync(join(tmpdir(), 'payonce-accounts-'));
  client = new ApiClient(() => service.url, await environment.merchant());
});
afterAll(async () => {
  await environment.close();
  rmSync(directory, { recursive: true, force: true });
});

/** The name `stripe` stands for an account with a ledger of its own. */
function otherAccount(): string {
  const file = join(directory, 'psps.json');
  const { keyless, adyen } = environment.simulator.urls;
  const [secretKey, merchantAccount] = ['sk_test_another', 'PayonceStage'];
  const psps = [
    { name: 'stripe', adapter: 'stripe', baseUrl: keyless, timeoutMs: 800, credentials: { secretKey } },
    {
      name: 'adyen',
      adapter: 'adyen',
      baseUrl: `${adyen}/v71`,
      timeoutMs: 800,
      credentials: { apiKey: 'stage-adyen-api-key', merchantAccount },
    },
  ];
  writeFileSync(file, JSON.stringify({ psps, routing: [{ order: ['stripe', 'adyen'] }] }));
  return file;
}

it('nothing is promised for its routes: neither sent again, nor proved, nor failed over, nor refunded', async () => {
  const order = orderOf({ first: 'stripe' });
  service = await environment.startProcess({ env: { PAYONCE_ROLE: 'api' }, watched: true });
  const held = paymentOf(await client.post('/v1/payments', order, 'held'));
  expect(held.status).toBe('captured');
  await service.arm({ place: 'commit:before:accepted' });
  environment.simulator.faults('stripe', { fault: 'reset_after', next: 1 });
  await expect(client.post('/v1/payments', order, 'in-doubt')).rejects.toThrow();
  await service.exit;
  expect(environment.effects()).toHaveLength(2);
  const asked = environment.orders('stripe').length;

  await environment.travel(SETTLED_MS);
  service = await environment.startProcess({ env: { PAYONCE_PSPS_FILE: otherAccount() } });
  const reply = await client.until(
    () => client.post('/v1/payments', order, 'in-doubt'),
    ({ status }) => status < 300,
  );
  expect(reply.status).toBe(202);
  expect(paymentOf(reply).routes).toMatchObject([{ route: 1, psp: 'stripe', verdict: 'open' }]);
  const stuck = await eventually(async () => {
    const rows = await environment.sql('SELECT stuck_reason FROM psp_requests WHERE stuck_at IS NOT NULL');
    return rows.length > 0 && rows;
  }, 'stuck');
  expect(stuck).toEqual([{ stuck_reason: 'another account is configured under the name of this PSP' }]);

  const refund = await client.post(`/v1/payments/${held.id}/refunds`, {}, 'refund');
  expect([refund.status, codeOf(refund)]).toEqual([409, 'psp_account_changed']);
  for (const psp of ['keyless', 'adyen'] as const) expect(environment.simulator.calls(psp)).toEqual([]);
  expect(environment.orders('stripe')).toHaveLength(asked);

  // The account is configured as it was: it goes on from there.
  await service.stop();
  service = await environment.startProcess();
  const settled = await client.until(() => client.post('/v1/payments', order, 'in-doubt'), atRest);
  expect(paymentOf(settled)).toMatchObject({ status: 'captured', psp: 'stripe' });
  expect((await client.post(`/v1/payments/${held.id}/refunds`, {}, 'refund')).status).toBe(409);
  expect((await client.post(`/v1/payments/${held.id}/refunds`, {}, 'refund-again')).status).toBe(201);
  expect(environment.effects().map(({ psp, operation }) => `${psp} ${operation}`)).toEqual([
    'stripe charge',
    'stripe charge',
    'stripe refund',
  ]);
});
