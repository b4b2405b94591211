import { type Effect } from '@payonce/simulator';
import {
  atRest,
  eventually,
  paymentOf,
  type Reply,
  type ServiceProcess,
  ApiClient,
  TestEnvironment,
  type PspName,
} from '../support/test-environment.js';
import { accounts, type CrashScenario, placeOf, prepare, subjectOf, type View, viewOf } from './scenario.js';
import { OrphanPlay } from './orphan-play.js';
import { type Outcome, PROOF_MS } from './outcome.js';
import { type AskedRun, isOrphanRun, type Run } from './plan.js';
import { Succession } from './succession.js';
import { attemptsOf, checkBooks, checkRoutes, checkTables, type Must, Verdict } from './verdict.js';

/**
 * Plays runs one after the other in one environment: the process that recovers from one crash is the one
 * that dies in the next.
 */
export class CrashRun {
  private environment: TestEnvironment | null = null;
  private service: ServiceProcess | null = null;

  /** @throws when anything does not hold; what comes after is played in another environment */
  async play(run: Run): Promise<Outcome> {
    this.environment ??= await this.open();
    const { environment } = this;
    const apiKey = await environment.merchant(['payments:read', 'payments:write', 'payouts:write']);
    const line = new Succession(environment, run);
    const play = isOrphanRun(run)
      ? new OrphanPlay(environment, run, line, apiKey)
      : new Play(environment, run, line, apiKey);
    try {
      const outcome = await play.whole(this.service);
      this.service = await line.survivor();
      await environment.simulator.reset();
      if (environment.hasTravelled) await this.leave();
      return outcome;
    } catch (error) {
      line.end();
      [this.environment, this.service] = [null, null];
      await environment.close();
      throw error;
    }
  }

  /** Time goes on and not back: the next run begins in an environment of its own. */
  private async leave(): Promise<void> {
    const { environment } = this;
    [this.environment, this.service] = [null, null];
    await environment?.close();
  }

  /** @throws when a secret stands in a log or in a table */
  async close(): Promise<void> {
    await this.environment?.close();
  }

  private async open(): Promise<TestEnvironment> {
    const environment = await TestEnvironment.open({ timeoutMs: 500, lockTtlMs: 1_700 });
    environment.hide(...Object.values(accounts));
    return environment;
  }
}

/** Codes of declines after which another PSP may be asked. */
const softDeclines: Readonly<Record<PspName, string>> = {
  stripe: 'do_not_honor',
  keyless: 'do_not_honor',
  adyen: '9',
  checkout: '20005',
  square: 'GENERIC_DECLINE',
  mollie: 'card_declined',
  gocardless: 'refer_to_payer',
  paypal: '5100',
};

/** The PSPs where a key alone does not allow to send again, and how long after a call a "not found" is final there. */
const PROOFS: Readonly<Partial<Record<string, number>>> = {
  keyless: PROOF_MS,
  checkout: 660_000,
  square: 660_000,
  mollie: 660_000,
};

/** A client asks, the service dies of it, and the client asks again with the same key. */
class Play {
  private readonly client: ApiClient;

  constructor(
    private readonly environment: TestEnvironment,
    private readonly run: AskedRun,
    private readonly line: Succession,
    apiKey: string,
  ) {
    this.client = new ApiClient(() => line.url, apiKey);
  }

  async whole(present: ServiceProcess | null): Promise<Outcome> {
    const { run, client, line } = this;
    await line.begin(present);
    const scenario = await prepare(run, client, this.environment);
    this.weather();
    const { dies } = await line.doom(run.death, run.weather.startsWith('first PSP') ? run.first : null);
    const ask = (key: string, waitS?: number) => () =>
      client.post(scenario.path, scenario.body, key, waitS ? { waitS } : {});
    const dying = ask('the-only-key');
    const first = await dying().catch(() => null);
    if (first) throw new Error(`nobody was killed; it answered ${first.status} ${first.text}`);
    await dies();

    await line.recover();
    if (run.weather === 'first PSP down') {
      // It stays down for one more try of the client, then it is back.
      await dying().catch(() => null);
      await this.environment.simulator.clearFaults(run.first);
    }
    const again = ask('the-only-key', run.waits ? 5 : undefined);
    const all = run.ask === 'refund again' ? [again, ask('a-second-key')] : [again];
    const { answers, waitedForProof } = await this.insist(all);
    await this.check(scenario, answers, all);
    return { deaths: line.deaths, waitedForProof };
  }

  private weather(): void {
    const { simulator } = this.environment;
    const { weather, first } = this.run;
    if (weather === 'answer lost') simulator.faults(first, { fault: 'reset_after', next: 1 });
    if (weather === 'first PSP down') simulator.faults(first, { fault: 'refuse' });
    if (weather === 'first PSP declines') {
      const code = softDeclines[first];
      simulator.faults(first, { fault: 'decline', code, next: 1 });
    }
  }

  /** Everybody asks at the same time, until told; where "not found" must be final first, that may take long. */
  private async insist(
    asks: readonly (() => Promise<Reply>)[],
  ): Promise<{ answers: readonly Reply[]; waitedForProof: boolean }> {
    const mayWait = (reply: Reply) => reply.status === 202 && this.needsProof(viewOf(reply));
    const untilTold = (isTold: (reply: Reply) => boolean) =>
      Promise.all(asks.map((ask) => this.client.until(ask, isTold)));
    const answers = await untilTold((reply) => atRest(reply) || mayWait(reply));
    if (answers.every(atRest)) return { answers, waitedForProof: false };
    await this.passTime(PROOFS[this.run.first] ?? PROOF_MS);
    return { answers: await untilTold(atRest), waitedForProof: true };
  }

  private needsProof(told: View): boolean {
    return [this.run.first, routesOf(told).at(-1)?.psp].some((psp) => psp && psp in PROOFS);
  }

  /** So much later, everywhere, "not found" is final. */
  private async passTime(ms: number): Promise<void> {
    await this.environment.simulator.clearFaults();
    this.environment.simulator.advance(ms);
    await this.line.jump(ms);
  }

  private async check(
    scenario: CrashScenario,
    answers: readonly Reply[],
    asks: readonly (() => Promise<Reply>)[],
  ): Promise<void> {
    const { run, client, environment } = this;
    const verdict = new Verdict();
    const { must } = verdict;
    const views = answers.map(viewOf);
    // The process that answered may die of its last step; the answer survives it.
    for (const [index, ask] of asks.entries()) {
      const replay = await eventually(() => ask().catch(() => null), 'a replay');
      const { status, text } = answers[index]!;
      must(replay.text === text && replay.status === status, `another answer: ${replay.text}`);
      must(replay.headers.get('idempotent-replayed') === 'true', 'the second answer is not called a replay');
    }
    await environment.simulator.clearFaults();

    const told = views[0]!;
    const subject = subjectOf(told);
    must(scenario.paymentId === null || subject === scenario.paymentId, 'it is about another payment');
    must(new Set(views.map(({ id }) => id)).size === 1, 'two keys are told of two things');
    const read = (path: string) =>
      eventually(async () => {
        const reply = await client.get(path).catch(() => null);
        return reply?.status === 200 ? reply : null;
      }, path);
    const nowReply = await read(placeOf(told));
    const payment = told.object === 'payout' ? null : paymentOf(await read(`/v1/payments/${subject}`));
    this.line.end();
    const now = viewOf(nowReply);
    must(
      // A second key is told beside it that the refund was there.
      answers.some(({ text }) => text.replace(',"existing":true', '') === nowReply.text),
      `it says of itself ${nowReply.text}, and was told ${answers.map(({ text }) => text).join(' and ')}`,
    );

    const effects = environment.effects();
    must(
      effects.every(({ reference }) => reference?.includes(subject) === true),
      'an effect of nobody',
    );
    const before = new Set(scenario.before.map(nameOf));
    const mine = effects.filter((effect) => !before.has(nameOf(effect)));
    const isDone = scenario.isDone(now);
    must(mine.length === (isDone ? 1 : 0), `${now.status}, but the ledgers hold it ${mine.length} times`);
    // Where a key allows to send again at once, there is no excuse for not doing it.
    must(isDone || run.first in PROOFS, `not done: ${nowReply.text}`);
    if (mine[0]) this.checkEffect(scenario, now, mine[0], must);
    if (payment) checkBooks(payment, effects, must);

    const attempts = await attemptsOf(environment, subject);
    const own = attempts.filter((a) => a.entity_key === scenario.entityKey(told));
    const effective = new Set(own.filter((a) => a.verdict === 'effective').map((a) => a.route));
    must(effective.size === mine.length, `${effective.size} effective routes`);
    checkRoutes(environment, attempts, must);
    await checkTables(environment, subject, must);
    verdict.pronounce(attempts, effects);
  }

  /** The answer says what the ledger says: who, how much, in which currency. */
  private checkEffect(scenario: CrashScenario, now: View, effect: Effect, must: Must): void {
    const { first } = this.run;
    must(effect.operation === scenario.operation, `it is a ${effect.operation}`);
    must(effect.psp === now.psp, `the ledger of ${effect.psp} has it, the answer says ${now.psp}`);
    must(effect.amount === scenario.amount, `the ledger has ${effect.amount}`);
    must(effect.currency === now.currency, `the ledger has ${effect.currency}`);
    must(now.object === 'payment' || now.amount === scenario.amount, `the answer says ${now.amount}`);
    if (effect.psp === first) return;
    // A busy machine can make a connection time out, which proves as much as a refusal does.
    const passed = routesOf(now).some(({ psp, verdict }) => psp === first && verdict === 'ruled_out');
    must(passed, `done by ${effect.psp}, though ${first} was not ruled out`);
  }
}

function routesOf(told: View): readonly { readonly psp: string; readonly verdict: string }[] {
  return told.object === 'refund' ? [] : told.routes;
}

const nameOf = ({ psp, seq }: Effect): string => `${psp} ${seq}`;
