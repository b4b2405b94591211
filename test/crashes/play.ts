import { type Effect, type PspName, pspNames } from '../../simulator/index.js';
import { type AttemptView, type PaymentView } from '../../src/payments/index.js';
import {
  atRest,
  eventually,
  orderOf,
  paymentOf,
  type Reply,
  type Service,
  Shop,
  Stage,
} from '../support/service.js';
import { type Death, type Run } from './plan.js';

/** What one run came to. */
export interface Outcome {
  /** How many processes died at their places; a second death may not be reached. */
  readonly deaths: number;
  /** At a PSP without keys: the answer came only after the time that makes "not found" final. */
  readonly waitedForProof: boolean;
}

const AMOUNT = 2_500;
const PART = 1_000;
/** After this long a "not found" of a Stripe-like PSP is final (its `settlesAfterMs`, and a margin). */
const PROOF_MS = 100_000;

/**
 * Plays runs one after the other on one stage: the process that recovers from one crash is the one
 * that dies in the next.
 */
export class Player {
  private stage: Stage | null = null;
  private service: Service | null = null;

  /** @throws when anything does not hold; what comes after is played on another stage */
  async play(run: Run): Promise<Outcome> {
    this.stage ??= await Stage.open({ timeoutMs: 500, lockTtlMs: 1_700 });
    const { stage } = this;
    const play = new Play(stage, run, await stage.merchant());
    try {
      const outcome = await play.whole(this.service);
      this.service = await play.survivor();
      await stage.simulator.reset();
      return outcome;
    } catch (error) {
      [this.stage, this.service] = [null, null];
      await stage.close();
      throw error;
    }
  }

  /** @throws when a secret stands in a log or in a table */
  async close(): Promise<void> {
    await this.stage?.close();
  }
}

class Play {
  private service: Service | null = null;
  private readonly shop: Shop;
  private readonly key = 'the-only-key';
  private deaths = 0;
  private over = false;
  /** The clock of the service in hand is not that of the next run. */
  private timeHasPassed = false;

  constructor(
    private readonly stage: Stage,
    private readonly run: Run,
    apiKey: string,
  ) {
    this.shop = new Shop(() => this.service?.url ?? 'http://nobody.invalid', apiKey);
  }

  /** Who is there for the next run; the place where it did not come to die is forgotten. */
  async survivor(): Promise<Service | null> {
    const { service, timeHasPassed } = this;
    if (!service) return null;
    try {
      if (timeHasPassed) throw new RangeError('it lives in another time');
      await service.arm({ place: 'nowhere' });
      return service;
    } catch {
      service.kill();
      return null;
    }
  }

  async whole(present: Service | null): Promise<Outcome> {
    const { run, shop } = this;
    this.service = present ?? (await this.stage.start({ watched: true }));
    const { path, body, paymentId } = await this.prepare();
    this.weather();
    if (run.death.by === 'hook') await this.service.arm(run.death);
    else this.sendExecutioner(run.death);

    const ask = (waitS?: number) => () => shop.post(path, body, this.key, waitS ? { waitS } : {});
    const dying = this.service;
    const first = await ask()().catch(() => null);
    if (first) throw new Error(`nobody was killed; it answered ${first.status} ${first.text}`);
    if ((await dying.exit).signal !== 'SIGKILL') throw new Error('it ended otherwise than by SIGKILL');
    this.deaths += 1;

    await this.recover();
    if (run.weather === 'first PSP down') {
      // It stays down for one more try of the client, then it is back.
      await ask()().catch(() => null);
      await this.stage.simulator.clearFaults(run.first);
    }
    const again = ask(run.waits ? 5 : undefined);
    const mayWait = (reply: Reply) => reply.status === 202 && this.isWithoutKeys(reply);
    let answer = await shop.until(again, (reply) => atRest(reply) || mayWait(reply), 45_000);
    const waitedForProof = !atRest(answer);
    if (waitedForProof) {
      await this.passTime();
      answer = await shop.until(again, atRest, 45_000);
    }
    await this.check(answer, again, paymentId);
    return { deaths: this.deaths, waitedForProof };
  }

  /** What the run acts upon is made first. */
  private async prepare(): Promise<{ path: string; body: object; paymentId: string | null }> {
    const { ask, first } = this.run;
    if (ask === 'charge' || ask === 'authorize') {
      const capture = ask === 'charge' ? 'automatic' : 'manual';
      return { path: '/v1/payments', body: orderOf({ first, capture, amount: AMOUNT }), paymentId: null };
    }
    const order = orderOf({ first, capture: 'manual', amount: AMOUNT });
    const authorized = await this.shop.until(
      () => this.shop.post('/v1/payments', order, 'authorize-first'),
      atRest,
    );
    const { id, status } = paymentOf(authorized);
    if (status !== 'authorized') throw new Error(`it could not be authorized: ${authorized.text}`);
    const path = `/v1/payments/${id}/${ask === 'cancel' ? 'cancel' : 'capture'}`;
    return { path, body: ask === 'capture a part' ? { amount: PART } : {}, paymentId: id };
  }

  private weather(): void {
    const { simulator } = this.stage;
    const { weather, first } = this.run;
    if (weather === 'answer lost') simulator.faults(first, { fault: 'reset_after', next: 1 });
    if (weather === 'first PSP down') simulator.faults(first, { fault: 'refuse' });
    if (weather === 'first PSP declines') {
      const code = first === 'adyen' ? '9' : 'do_not_honor';
      simulator.faults(first, { fault: 'decline', code, next: 1 });
    }
  }

  /** To whichever PSP is called next; one that only declines or refuses is not the one. */
  private sendExecutioner({ when }: Extract<Death, { by: 'psp' }>): void {
    const { weather, first } = this.run;
    const isFirst = this.deaths === 0;
    const spared = isFirst && weather.startsWith('first PSP') ? first : null;
    const pid = this.service!.pid;
    const on = isFirst ? 'execute' : 'any';
    for (const psp of pspNames) {
      if (psp !== spared) this.stage.simulator.faults(psp, { fault: 'kill', pid, when, next: 1, on });
    }
  }

  /**
   * Starts the process that recovers. It may have to die as well, even of what it does by itself
   * before it says that it is ready; then a third takes its place.
   */
  private async recover(): Promise<void> {
    const { secondDeath } = this.run;
    await this.clearFaults();
    try {
      const at = secondDeath?.by === 'hook' ? { at: secondDeath } : {};
      this.service = await this.stage.start({ watched: true, ...at });
    } catch (error) {
      if (!secondDeath) throw error;
      this.deaths += 1;
      this.service = await this.stage.start({ watched: true });
      return;
    }
    if (!secondDeath) return;
    if (secondDeath.by === 'psp') this.sendExecutioner(secondDeath);
    void this.replace(this.service);
  }

  private async replace(second: Service): Promise<void> {
    await second.exit;
    if (this.over) return;
    this.deaths += 1;
    await this.clearFaults();
    this.service = await this.stage.start({ watched: true });
  }

  /** An executioner that the dead one did not meet must not wait for whoever gets its number. */
  private async clearFaults(): Promise<void> {
    const { weather, first } = this.run;
    const staysDown = weather === 'first PSP down' && this.deaths === 1;
    for (const psp of pspNames) {
      if (psp !== first || !staysDown) await this.stage.simulator.clearFaults(psp);
    }
  }

  private isWithoutKeys(reply: Reply): boolean {
    return this.run.first === 'keyless' || paymentOf(reply).routes.at(-1)?.psp === 'keyless';
  }

  /** So much later, everywhere, "not found" is final. */
  private async passTime(): Promise<void> {
    this.over = true;
    this.timeHasPassed = true;
    this.service!.kill();
    await this.service!.exit;
    await this.stage.simulator.clearFaults();
    this.stage.simulator.advance(PROOF_MS);
    this.service = await this.stage.start({ env: { PAYONCE_CLOCK_OFFSET_MS: String(PROOF_MS) } });
  }

  private async check(answer: Reply, again: () => Promise<Reply>, known: string | null): Promise<void> {
    const { run, shop } = this;
    // The process that answered may die of its last step; the answer survives it.
    const replay = await eventually(() => again().catch(() => null), 'a replay');
    await this.stage.simulator.clearFaults();
    const problems: string[] = [];
    const must: Must = (holds, otherwise) => void (holds || problems.push(otherwise));
    must(replay.text === answer.text && replay.status === answer.status, `another answer: ${replay.text}`);
    must(replay.headers.get('idempotent-replayed') === 'true', 'the second answer is not called a replay');

    const told = paymentOf(answer);
    must(known === null || told.id === known, 'it is about another payment');
    const now = await eventually(() => shop.payment(told.id).catch(() => null), 'the payment');
    const attempts = await shop.attempts(told.id);
    this.over = true;
    must(JSON.stringify(now) === answer.text, `the payment itself says ${JSON.stringify(now)}`);

    const operation = operationOf(run);
    const effects = this.stage.effects();
    const mine = effects.filter((effect) => effect.operation === operation);
    const others = effects.length - mine.length;
    must(
      effects.every(({ reference }) => reference?.includes(told.id) === true),
      'an effect of nobody',
    );
    must(others === (known === null ? 0 : 1), `${others} other effects`);
    const done = { charge: 'captured', authorize: 'authorized', capture: 'captured', void: 'canceled' };
    const isDone = now.status === done[operation];
    must(mine.length === (isDone ? 1 : 0), `${now.status}, but the ledgers hold it ${mine.length} times`);
    // Where there are keys, there is no excuse for not doing it.
    must(isDone || run.first === 'keyless', `not done: ${answer.text}`);
    if (mine[0]) checkEffect(run, now, mine[0], must);

    const own = attempts.filter((a) => a.entity_key === `payment-${told.id}-${operation}`);
    const effective = new Set(own.filter((a) => a.verdict === 'effective').map((a) => a.route));
    must(effective.size === mine.length, `${effective.size} effective routes`);
    must(!attempts.some(({ verdict }) => verdict === 'open'), 'a route is open still');
    for (const psp of pspNames) checkCalls(psp, this.stage.orders(psp).length, attempts, must);
    problems.push(...(await this.complaintsOfTables(told.id)));
    if (problems.length > 0) {
      throw new Error(
        [...problems, JSON.stringify(attempts, null, 1), JSON.stringify(effects, null, 1)].join('\n'),
      );
    }
  }

  private async complaintsOfTables(paymentId: string): Promise<string[]> {
    const [found] = await this.stage.sql<{ payments: number; unfinished: number; twice: number }>(
      `SELECT (SELECT count(*)::int FROM payments WHERE merchant_id = mine.merchant_id) AS payments,
              (SELECT count(*)::int FROM idempotency_keys WHERE recovery_point <> 'finished') AS unfinished,
              (SELECT count(*)::int FROM (SELECT 1 FROM payment_transitions
                 GROUP BY merchant_id, payment_id, event HAVING count(*) > 1) AS t) AS twice
         FROM payments mine WHERE id = $1`,
      [paymentId],
    );
    const expected = { payments: 1, unfinished: 0, twice: 0 };
    return JSON.stringify(found) === JSON.stringify(expected)
      ? []
      : [`the tables hold ${JSON.stringify(found)}`];
  }
}

type Must = (holds: boolean, otherwise: string) => void;

function operationOf({ ask }: Run): 'charge' | 'authorize' | 'capture' | 'void' {
  if (ask === 'charge' || ask === 'authorize') return ask;
  return ask === 'cancel' ? 'void' : 'capture';
}

/** The books say what the ledger says: who, how much, in which currency. */
function checkEffect(run: Run, now: PaymentView, effect: Effect, must: Must): void {
  const operation = operationOf(run);
  const amount = run.ask === 'capture a part' ? PART : AMOUNT;
  const taken = operation === 'charge' || operation === 'capture' ? amount : 0;
  must(effect.psp === now.psp, `the ledger of ${effect.psp} has it, the payment says ${now.psp}`);
  must(effect.amount === amount && effect.currency === now.currency, `the ledger has ${effect.amount}`);
  must(now.amount_captured === taken, `the books have ${now.amount_captured} captured`);
  if (effect.psp !== run.first) {
    // A busy machine can make a connection time out, which proves as much as a refusal does.
    const passed = now.routes.some(({ psp, verdict }) => psp === run.first && verdict === 'ruled_out');
    must(passed, `done by ${effect.psp}, though ${run.first} was not ruled out`);
  }
}

/** Every call on the wire has an attempt; where there are no keys, no route is sent twice. */
function checkCalls(psp: PspName, orders: number, attempts: readonly AttemptView[], must: Must): void {
  const written = attempts.filter((a) => a.psp === psp && a.kind !== 'lookup');
  must(orders <= written.length, `${psp} got ${orders} orders, ${written.length} are written down`);
  if (psp !== 'keyless') return;
  const routes = new Set(written.map((a) => `${a.entity_key} ${a.route}`));
  must(orders <= routes.size, `a PSP without keys got ${orders} orders for ${routes.size} routes`);
}
