import { type Effect, type FaultRequest, type PspName } from '@payonce/simulator';
import { type PayoutView } from '../../src/payouts/payout.view.js';
import {
  atRest,
  codeOf,
  eventually,
  type Reply,
  type ServiceProcess,
  ApiClient,
  TestEnvironment,
} from '../support/test-environment.js';

/** Payouts through two real services and over real sockets; the PSPs' ledgers judge. */
let environment: TestEnvironment;
let services: ServiceProcess[];
let shops: ApiClient[];
let client: ApiClient;
let apiKey: string;
let recipients = 0;

beforeAll(async () => {
  environment = await TestEnvironment.open();
  environment.hide(...Object.values(tokens));
  apiKey = await environment.merchant(['payouts:write']);
  services = [await environment.startProcess({ watched: true }), await environment.startProcess()];
  shops = services.map((_, i) => new ApiClient(() => services[i]!.url, apiKey));
  client = shops[0]!;
});
afterAll(() => environment.close());
beforeEach(() => environment.simulator.reset());

/** Of Stripe and of Adyen. That no log and no table holds one is looked at when the environment closes. */
const tokens = { stripe: 'ba_1Qpayout', adyen: 'SE322JV223222F5GNXSR89TMW' };
/** Picks who is asked first. */
const currencyFor = { stripe: 'USD', adyen: 'EUR' } as const;
type Payer = keyof typeof currencyFor;

interface PayoutOrder {
  readonly first?: Payer;
  readonly to?: string;
  readonly previous?: string | null;
  readonly reference?: string;
}

function payoutOf({
  first = 'stripe',
  to = 'recipient',
  previous = null,
  reference = 'salary',
}: PayoutOrder = {}) {
  return {
    reference,
    recipient: { reference: to, tokens },
    amount: 12_345,
    currency: currencyFor[first],
    previous,
    metadata: {},
  };
}

const nobody = () => `recipient-${(recipients += 1)}`;
const viewOf = ({ text }: Reply) => JSON.parse(text) as PayoutView;
const ledger = (): Effect[] => environment.effects();
const send = (key: string, order: PayoutOrder, by = client) => by.post('/v1/payouts', payoutOf(order), key);

/** Asks with one key until the payout has ended. */
async function insist(key: string, order: PayoutOrder, by = client): Promise<PayoutView> {
  return viewOf(await by.until(() => send(key, order, by), atRest));
}

/** Which payout is in the way, by a refusal that says so. */
function inTheWay({ text }: Reply): string | null {
  return (JSON.parse(text) as { payout_id: string | null }).payout_id;
}

describe('a payout through the service', () => {
  it.each<Payer>(['stripe', 'adyen'])('is made once by %s, and read again', async (first) => {
    const to = nobody();
    const reply = await send(`once-${first}`, { first, to });
    expect(reply.status).toBe(201);
    const payout = viewOf(reply);
    expect(payout).toMatchObject({ status: 'paid', psp: first, recipient: to, previous: null });
    expect(ledger()).toEqual([
      expect.objectContaining({
        psp: first,
        operation: 'payout',
        psp_reference: payout.psp_reference,
        amount: 12_345,
        currency: currencyFor[first],
      }),
    ]);
    expect(viewOf(await client.get(`/v1/payouts/${payout.id}`))).toEqual(payout);
    const list = JSON.parse((await client.get(`/v1/payouts?recipient=${to}`)).text) as { data: unknown[] };
    expect(list.data).toEqual([payout]);
    const again = await send(`once-${first}`, { first, to });
    expect([again.status, again.text]).toEqual([201, reply.text]);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect((await client.get('/v1/payouts/019aa5c0-9c31-7f02-a6d4-0e5d7b1c2f83')).status).toBe(404);
  });

  it.each<[Payer, FaultRequest]>([
    ['stripe', { fault: 'close_after', next: 1 }],
    ['stripe', { fault: 'reset_before', next: 1 }],
    ['stripe', { fault: 'error_500_after', next: 1 }],
    ['adyen', { fault: 'close_after', next: 1 }],
    ['adyen', { fault: 'hang_after', next: 1 }],
  ])('stays with %s after %j, and is made once', async (first, fault) => {
    environment.simulator.faults(first, fault);
    const payout = await insist(`doubt-${first}-${JSON.stringify(fault)}`, { first, to: nobody() });
    expect(payout).toMatchObject({ status: 'paid', psp: first });
    expect(payout.routes).toHaveLength(1);
    expect(ledger().map(({ psp }) => psp)).toEqual([first]);
    const other: PspName = first === 'stripe' ? 'adyen' : 'stripe';
    expect(environment.simulator.calls(other)).toEqual([]);
  });

  it.each<[Payer, Payer]>([
    ['stripe', 'adyen'],
    ['adyen', 'stripe'],
  ])('goes from %s to %s on the proof that nothing was sent', async (first, second) => {
    environment.simulator.faults(first, { fault: 'refuse' });
    const payout = await insist(`proof-${first}`, { first, to: nobody() });
    expect(payout).toMatchObject({ status: 'paid', psp: second });
    expect(payout.routes).toEqual([
      { route: 1, psp: first, verdict: 'ruled_out', outcome: 'not_sent' },
      { route: 2, psp: second, verdict: 'effective', outcome: 'succeeded' },
    ]);
    expect(ledger().map(({ psp }) => psp)).toEqual([second]);
  });

  it('fails for good where the account is closed, and is followed all the same', async () => {
    const to = nobody();
    const body = {
      ...payoutOf({ to }),
      recipient: { reference: to, tokens: { stripe: 'ba_fail_account_closed' } },
    };
    const failed = viewOf(await client.post('/v1/payouts', body, 'closed'));
    expect(failed).toMatchObject({
      status: 'failed',
      failure: { category: 'declined', psp_code: 'account_closed' },
    });
    expect(ledger()).toEqual([]);
    expect(await insist('after-closed', { to, previous: failed.id })).toMatchObject({
      status: 'paid',
      previous: failed.id,
    });
  });
});

describe('at once, on two services', () => {
  it('fifty identical requests are one payout', async () => {
    const to = nobody();
    const replies = await Promise.all(
      Array.from({ length: 50 }, (_, i) => send('fifty', { to }, shops[i % 2])),
    );
    const done = replies.filter(({ status }) => status === 201);
    expect(new Set(done.map(({ text }) => text)).size).toBe(1);
    for (const reply of replies.filter(({ status }) => status !== 201)) {
      expect([reply.status, codeOf(reply)]).toEqual([409, 'request_in_progress']);
    }
    expect(ledger()).toHaveLength(1);
  });

  it('payouts for the same place are one, link after link', async () => {
    const to = nobody();
    let previous: string | null = null;
    for (let link = 1; link <= 10; link++) {
      const replies: Reply[] = await Promise.all(
        shops.map((by, i) => send(`rival-${link}-${i}`, { to, previous, reference: `rival-${i}` }, by)),
      );
      const through = replies.filter(({ status }) => status === 201);
      const [refused] = replies.filter(({ status }) => status === 409);
      expect([link, through.length, replies.length]).toEqual([link, 1, 2]);
      expect(codeOf(refused!)).toMatch(/^payout_(in_progress|sequence_stale)$/);
      expect(inTheWay(refused!)).toBe(viewOf(through[0]!).id);
      expect(ledger()).toHaveLength(link);
      previous = viewOf(through[0]!).id;
    }
  });

  it('the next one waits while nobody knows what became of the last', async () => {
    const to = nobody();
    environment.simulator.faults('stripe', { fault: 'hang_after', next: 1 });
    environment.simulator.faults('stripe', { fault: 'reset_before', on: 'any', rate: 1 });
    const doubtful = await send('doubtful', { to });
    expect([doubtful.status, viewOf(doubtful).status]).toEqual([202, 'processing']);
    const { id } = viewOf(doubtful);
    const next = await send('next', { to, previous: id, first: 'adyen' }, shops[1]);
    expect([next.status, codeOf(next), inTheWay(next)]).toEqual([409, 'payout_in_progress', id]);

    await environment.simulator.clearFaults('stripe');
    expect(await insist('doubtful', { to })).toMatchObject({ id, status: 'paid', psp: 'stripe' });
    expect(await insist('next', { to, previous: id, first: 'adyen' }, shops[1])).toMatchObject({
      psp: 'adyen',
    });
    expect(
      ledger()
        .map(({ psp }) => psp)
        .toSorted(),
    ).toEqual(['adyen', 'stripe']);
  });
});

describe('when nobody asks', () => {
  it('the resolver ends it', async () => {
    const to = nobody();
    environment.simulator.faults('stripe', { fault: 'close_after', next: 1 });
    environment.simulator.faults('stripe', { fault: 'reset_before', on: 'any', rate: 1 });
    // Answered after the first call, before pauses between calls have grown long.
    const waiting = await client.post('/v1/payouts', payoutOf({ to }), 'nobody-asks', { deadlineMs: 500 });
    const { id } = viewOf(waiting);
    await environment.simulator.clearFaults('stripe');
    const ended = await eventually(
      async () => {
        const payout = viewOf(await client.get(`/v1/payouts/${id}`));
        return payout.status === 'processing' ? null : payout;
      },
      'the payout has ended',
      60_000,
    );
    expect(ended).toMatchObject({ status: 'paid', psp: 'stripe' });
    expect(ledger()).toHaveLength(1);
    const [settledBy] = await environment.sql<{ trace_id: string }>(
      'SELECT trace_id FROM psp_attempts WHERE entity_key = $1 ORDER BY attempt DESC LIMIT 1',
      [ended.entity_key],
    );
    expect(settledBy!.trace_id).toMatch(/^resolver-/);
  });
});

describe('a service that is killed', () => {
  it.each(['psp:before:execute', 'psp:after:execute'])(
    'at %s leaves a payout that the other ends, and once',
    async (place) => {
      const to = nobody();
      await services[0]!.arm({ place });
      await send(`killed-${place}`, { to }).catch(() => null);
      await services[0]!.exit;
      const row = await eventually(
        async () =>
          (
            await environment.sql<{ id: string; status: string }>(
              'SELECT id, status FROM payouts WHERE recipient = $1 AND status <> $2',
              [to, 'processing'],
            )
          )[0],
        'the payout has ended',
      );
      expect(row.status).toBe('paid');
      expect(ledger().filter(({ reference }) => reference?.includes(row.id))).toHaveLength(1);
      expect(ledger()).toHaveLength(1);
      expect(await insist(`killed-${place}`, { to }, shops[1])).toMatchObject({ id: row.id, status: 'paid' });
      services[0] = await environment.startProcess({ watched: true });
    },
  );
});
