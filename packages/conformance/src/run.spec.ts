import { randomUUID } from 'node:crypto';
import { type Simulator, startSimulator } from '@payonce/simulator';
import { sumOf, tableOf } from './report.js';
import { type Outcome, runTrial, verdictOn } from './run.js';
import { type Ask, type Target, type Told } from './target.js';
import { type Trial, trialsAt } from './trials.js';

let simulator: Simulator;
beforeAll(async () => {
  simulator = await startSimulator();
});
afterAll(() => simulator.close());

const trials = trialsAt('insufficient_funds');
const trialOf = (operation: Trial['operation'], name: string) =>
  trials.find((trial) => trial.operation === operation && trial.name === name)!;
const options = {
  psp: 'stripe',
  currency: 'USD',
  patienceMs: 3_000,
  quietMs: 100,
} as const;

/** A few lines around Stripe's API, by what they do with keys and errors. */
class Shop implements Target {
  private url = '';

  constructor(
    private readonly keyOf: (key: string) => string,
    private readonly onError: Told['status'] = 'unknown',
  ) {}

  async start(psps: Readonly<Record<string, string>>): Promise<void> {
    this.url = psps['stripe']!;
  }

  charge({ key, amount, tokens, currency }: Ask): Promise<Told> {
    const method = { 'automatic_payment_methods[enabled]': 'true', payment_method: tokens.stripe };
    const body = {
      amount: String(amount),
      currency,
      confirm: 'true',
      return_url: 'https://shop.example',
      ...method,
    };
    return this.post('payment_intents', body, this.keyOf(key));
  }

  refund(payment: string, { key }: Ask): Promise<Told> {
    return this.post('refunds', { payment_intent: payment }, this.keyOf(key));
  }

  async stop(): Promise<void> {}

  private async post(path: string, body: Record<string, string>, key: string): Promise<Told> {
    const answer = await fetch(`${this.url}/v1/${path}`, {
      method: 'POST',
      headers: { authorization: 'Bearer sk_test_shop', 'idempotency-key': key },
      body: new URLSearchParams(body),
      signal: AbortSignal.timeout(1_000),
    });
    const { id } = (await answer.json()) as { id?: string };
    if (answer.ok) return { status: 'done', payment: id! };
    if (answer.status === 402) return { status: 'failed' };
    return { status: answer.status >= 500 ? this.onError : 'unknown' };
  }
}

async function played(target: Target, operation: Trial['operation'], name: string): Promise<Outcome> {
  await target.start(simulator.urls);
  return runTrial(target, simulator, trialOf(operation, name), options);
}

describe('a trial', () => {
  const sameKey = new Shop((key) => key);

  it('finds nothing in a client that keeps its key', async () => {
    expect(await played(sameKey, 'charge', 'reset after it is done')).toMatchObject({
      verdict: 'once',
      told: 'done',
      effects: 1,
      calls: 2,
    });
    expect(await played(sameKey, 'charge', 'declined')).toMatchObject({ verdict: 'none', effects: 0 });
    expect(await played(sameKey, 'refund', 'reset after it is done')).toMatchObject({ verdict: 'once' });
    expect(await played(sameKey, 'capture', 'reset after it is done')).toMatchObject({ verdict: 'untried' });
  });

  it('finds who charges again under a new key', async () => {
    const newKey = new Shop(() => randomUUID());
    const twice = await played(newKey, 'charge', 'reset after it is done');
    expect(twice).toMatchObject({ verdict: 'twice', effects: 2 });
    expect(await played(newKey, 'charge', 'two requests at once')).toMatchObject({ verdict: 'twice' });
    expect(tableOf([twice])).toContain('TWICE');
    expect(sumOf([twice])).toBe(
      '1 trials: 2.00 effects for each operation that was done; 1 twice, 0 lost, 0 hidden, 0 unsettled',
    );
  });

  it('finds who takes an error for an answer', async () => {
    const hasty = new Shop((key) => key, 'failed');
    expect(await played(hasty, 'charge', '500 after it is done')).toMatchObject({
      verdict: 'hidden',
      effects: 1,
    });
    const boastful = new Shop((key) => key, 'done');
    expect(await played(boastful, 'charge', '500, and nothing is done')).toMatchObject({ verdict: 'lost' });
  });

  it('finds who never answers for good', async () => {
    // A stored 500 stays one under its key.
    const outcome = await played(sameKey, 'charge', '500 after it is done');
    expect(outcome).toMatchObject({ verdict: 'unsettled', told: 'unknown' });
  });

  it('finds who does not answer at all', async () => {
    class Silent extends Shop {
      override async charge(ask: Ask): Promise<Told> {
        const told = await super.charge(ask);
        return ask.key.includes('trust') ? told : new Promise(() => {});
      }
    }
    const outcome = await played(new Silent((key) => key), 'charge', 'reset before it is done');
    expect(outcome).toMatchObject({ verdict: 'unsettled', told: 'unknown' });
  });
});

it('judges what was told by what is left', () => {
  expect([verdictOn('failed', 0), verdictOn('done', 1), verdictOn('failed', 2)]).toEqual([
    'none',
    'once',
    'twice',
  ]);
});

it('has 40 trials, each with a name of its own, and a table of 80 columns', () => {
  expect(trials).toHaveLength(40);
  expect(new Set(trials.map(({ operation, name }) => `${operation} ${name}`)).size).toBe(40);
  const rows = trials.map(({ name: trial, operation }): Outcome => {
    const of = { effects: 12, givenBack: 11, told: 'unknown', calls: 9_999, tookMs: 99_900 } as const;
    return { trial, operation, verdict: 'unsettled', ...of };
  });
  for (const line of tableOf(rows).split('\n')) expect(line.length).toBeLessThanOrEqual(80);
});
