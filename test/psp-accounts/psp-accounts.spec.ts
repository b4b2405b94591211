import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, request, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  ApiClient,
  atRest,
  codeOf,
  eventually,
  orderOf,
  paymentOf,
  type Service,
  TestEnvironment,
} from '../support/test-environment.js';

/** A PSP account that is stored: what administrators change holds in every process, and no payment fails of it. */

const SOON_MS = 10_000;
// Keys of the older kind, of which the simulator takes the first word for their account.
const [oldKey, newKey] = ['sk_test_1Shop_before0000000000', 'sk_test_1Shop_after00000000000'];
const strangersKey = 'sk_test_1Another_after00000000';
const [oldSecret, newSecret] = ['whsec_ofTheShopBefore', 'whsec_ofTheShopAfter'];

/** Stands in front of the simulated Stripe: notes the keys that come, and refuses those that were revoked. */
class Door {
  readonly seen: { readonly key: string; readonly method: string }[] = [];
  readonly revoked = new Set<string>();
  refusals = 0;
  private readonly server: Server;

  constructor(private readonly behind: string) {
    this.server = createServer((incoming, outgoing) => {
      const key = incoming.headers.authorization?.replace(/^Bearer /, '') ?? '';
      this.seen.push({ key, method: incoming.method! });
      if (this.revoked.has(key)) {
        this.refusals += 1;
        outgoing
          .writeHead(401, { 'content-type': 'application/json' })
          .end('{"error":{"message":"Expired key"}}');
        return;
      }
      const { method, headers, url } = incoming;
      const onward = request(new URL(url!, this.behind), { method: method!, headers }, (answer) => {
        outgoing.writeHead(answer.statusCode!, answer.headers);
        answer.pipe(outgoing);
      });
      onward.on('error', () => outgoing.destroy());
      incoming.pipe(onward);
    });
  }

  async open(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.server.closeAllConnections();
    this.server.close();
  }
}

let environment: TestEnvironment;
let services: readonly [Service, Service];
let shops: readonly [ApiClient, ApiClient];
let apiKey: string;
let merchantId: string;
let door: Door;
let directory: string;
let entry: Readonly<Record<string, unknown>>;
let orders = 0;

const order = () =>
  orderOf({
    reference: `order-${(orders += 1)}`,
    tokens: { 'shop-stripe': 'pm_card_visa_ofTheShop' } as never,
  });
const pay = (shop: ApiClient) => shop.post('/v1/payments', order(), `key-${(orders += 1)}`);

async function psps(verb: string, options: readonly string[], content?: unknown): Promise<unknown> {
  const file = join(directory, `written-${(orders += 1)}.json`);
  if (content !== undefined) writeFileSync(file, JSON.stringify(content));
  return environment.command('psps', verb, ...options, ...(content === undefined ? [] : ['--file', file]));
}

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'payonce-psps-'));
  environment = await TestEnvironment.open({ hangs: true });
  environment.hide(oldKey, newKey, strangersKey, oldSecret, newSecret);
  apiKey = await environment.merchant(['payments:read', 'payments:write']);
  [{ merchant_id: merchantId }] = (await environment.sql<{ merchant_id: string }>(
    'SELECT merchant_id FROM api_keys',
  )) as [{ merchant_id: string }];
  door = new Door(environment.simulator.urls.stripe);
  const baseUrl = await door.open();
  entry = {
    name: 'shop-stripe',
    adapter: 'stripe',
    baseUrl,
    account: 'acct_1Shop',
    merchants: [merchantId],
    timeoutMs: 1_000,
    credentials: { secretKey: oldKey, webhookSecret: oldSecret },
  };
  services = await Promise.all([environment.start(), environment.start()]);
  shops = services.map((service) => new ApiClient(() => service.url, apiKey)) as never;
});
afterAll(async () => {
  await environment.close();
  door.close();
  rmSync(directory, { recursive: true, force: true });
});

it('is used by every process soon after it was added, by the merchant it is for', async () => {
  expect(codeOf(await pay(shops[0]))).toBe('validation_failed');
  expect(await psps('add', [], entry)).toMatchObject({
    name: 'shop-stripe',
    merchants: [merchantId],
    credentials: ['secretKey', 'webhookSecret'],
  });
  await psps('routing', ['--merchant', merchantId], [{ order: ['shop-stripe', 'adyen'] }]);
  for (const shop of shops) {
    const paid = await eventually(
      async () => {
        const reply = await pay(shop);
        return reply.status === 201 && reply;
      },
      'it is charged there',
      SOON_MS,
    );
    expect(paymentOf(paid)).toMatchObject({ status: 'captured', psp: 'shop-stripe' });
  }
  expect(environment.effects()).toHaveLength(2);
  expect(new Set(door.seen.map((call) => call.key))).toEqual(new Set([oldKey]));
  // Another merchant has neither its rules nor the account.
  const stranger = new ApiClient(() => services[0].url, await environment.merchant());
  expect(codeOf(await pay(stranger))).toBe('psp_account_refused');
});

it('has its notifications taken, under the secret before a rotation too', async () => {
  const hear = async (secret: string) => {
    environment.simulator.webhook('stripe', { url: `${services[1].url}/v1/webhooks/shop-stripe`, secret });
    const paid = paymentOf(await pay(shops[0]));
    await eventually(
      async () =>
        (
          await environment.sql(
            "SELECT FROM webhook_inbox WHERE psp = 'shop-stripe' AND entity_key = 'payment-' || $1 || '-charge'",
            [paid.id],
          )
        ).length > 0,
      'its notification is stored',
    );
  };
  await hear(oldSecret);
  await psps('rotate', ['shop-stripe'], { webhookSecret: newSecret, webhookSecretPrevious: oldSecret });
  await eventually(async () => hear(newSecret).then(() => true), 'the new secret is taken', SOON_MS * 3);
  await hear(oldSecret);
});

it('changes its key without a payment that fails, and uses the old one no more', async () => {
  const replies: number[] = [];
  const paid = { isOver: false };
  const paying = shops.map(async (shop) => {
    while (!paid.isOver) replies.push((await pay(shop)).status);
  });
  await eventually(() => replies.length > 10, 'payments run');
  await psps('rotate', ['shop-stripe'], { secretKey: newKey });
  await eventually(
    () => door.seen.length > 40 && door.seen.slice(-20).every(({ key }) => key === newKey),
    'only the new key is used',
    SOON_MS,
  );
  door.revoked.add(oldKey);
  const count = replies.length;
  await eventually(() => replies.length > count + 20, 'payments run on');
  paid.isOver = true;
  await Promise.all(paying);
  expect(new Set(replies)).toEqual(new Set([201]));
  expect(door.refusals).toBe(0);
});

it('sends nothing under a key of another account at the PSP', async () => {
  await psps('rotate', ['shop-stripe'], { secretKey: strangersKey });
  await eventually(
    async () => paymentOf(await pay(shops[0])).failure?.psp_code === 'wrong_account',
    'the key is refused',
    SOON_MS,
  );
  const asked = door.seen.filter(({ key }) => key === strangersKey);
  expect(new Set(asked.map(({ method }) => method))).toEqual(new Set(['GET']));
  await psps('rotate', ['shop-stripe'], { secretKey: newKey });
  await eventually(
    async () => paymentOf(await pay(shops[0])).status === 'captured',
    'payments run again',
    SOON_MS,
  );
});

it('is not made another account at the PSP, nor added twice, nor under a name of the PSPs file', async () => {
  const refusals = [
    psps('change', ['shop-stripe'], { account: 'acct_1Another' }),
    psps('change', ['shop-stripe'], { name: 'other' }),
    psps('change', ['shop-stripe'], { merchants: ['019aa5c0-8a4b-7c7e-9c55-2f3b0a6d1e43'] }),
    psps('change', ['shop-stripe'], { timeoutMs: 30_000 }),
    psps('add', [], entry),
    psps('add', [], { ...entry, name: 'stripe' }),
    psps('add', [], { ...entry, name: 'new', adapter: 'nobody' }),
    psps('add', [], { ...entry, name: 'new', credentials: { secretKey: 'env:NOT_SET' } }),
    psps('disable', ['nobody']),
    psps('routing', ['--merchant', merchantId], [{ order: ['nobody'] }]),
  ];
  const answers = (await Promise.all(refusals)) as { error?: { code: string; message: string } }[];
  expect(answers.map(({ error }) => error?.code)).toEqual([
    'invalid_state',
    'validation_failed',
    'validation_failed',
    'validation_failed',
    'invalid_state',
    'invalid_state',
    'validation_failed',
    'validation_failed',
    'not_found',
    'validation_failed',
  ]);
  expect(JSON.stringify(answers)).not.toContain('sk_test');
  await expect(
    environment.sql("UPDATE psp_accounts SET fingerprint = 'another', version = version + 1"),
  ).rejects.toThrow('stays what it is');
  await expect(environment.sql('DELETE FROM psp_accounts')).rejects.toThrow('stays what it is');
});

it('may be the only one: the PSPs file names none', async () => {
  const file = join(directory, 'none.json');
  writeFileSync(file, '{ "psps": [] }');
  const none = { env: { PAYONCE_PSPS_FILE: file } };
  const alone = await environment.start(none);
  expect(paymentOf(await pay(new ApiClient(() => alone.url, apiKey)))).toMatchObject({
    status: 'captured',
    psp: 'shop-stripe',
  });
  const other = await TestEnvironment.open();
  await expect(other.start(none)).rejects.toThrow('there is no PSP account: the PSPs file names none');
  await other.close();
});

it('takes nothing new while it is disabled, and what began there is brought to its end', async () => {
  const kept = paymentOf(await pay(shops[0]));
  environment.simulator.faults('stripe', { fault: 'reset_after', next: 1 });
  const [body, key, before] = [order(), 'in-doubt', environment.effects().length];
  const doubted = shops[0].post('/v1/payments', body, key).catch(() => null);
  await eventually(() => environment.effects().length > before, 'it is charged');
  await psps('disable', ['shop-stripe']);
  await doubted;
  await eventually(
    async () => codeOf(await pay(shops[0])) === 'no_route' && codeOf(await pay(shops[1])) === 'no_route',
    'nothing begins there',
    SOON_MS,
  );
  const settled = paymentOf(await shops[1].until(() => shops[1].post('/v1/payments', body, key), atRest));
  expect(settled).toMatchObject({ status: 'captured', psp: 'shop-stripe' });
  const refund = await shops[1].post(`/v1/payments/${kept.id}/refunds`, {}, 'refund');
  expect(refund.status).toBe(201);
  expect(environment.effects(settled.id)).toHaveLength(1);

  await psps('enable', ['shop-stripe']);
  for (const shop of shops) {
    await eventually(async () => (await pay(shop)).status === 201, 'it is charged again', SOON_MS);
  }
});

it('stays what it was where a change cannot be used, which a metric says; a start is refused', async () => {
  await environment.sql(
    `UPDATE psp_accounts SET entry = entry || '\\x00', version = version + 1 WHERE name = 'shop-stripe'`,
  );
  await eventually(async () => {
    const metrics = await (await fetch(`${services[0].url}/metrics`)).text();
    return metrics.includes('payonce_psp_accounts_unusable 1');
  }, 'the metric says so');
  expect((await pay(shops[0])).status).toBe(201);
  await expect(environment.start()).rejects.toThrow(
    'stored PSP shop-stripe: /: cannot be decrypted with the seal key',
  );
  // Nothing begins at an account that is disabled: it keeps no process from starting.
  await environment.sql('UPDATE psp_accounts SET disabled_at = now(), version = version + 1');
  await environment.start();
  await eventually(
    async () => codeOf(await pay(shops[0])) === 'no_route',
    'it is disabled here too',
    SOON_MS,
  );
});
