import { setTimeout as sleep } from 'node:timers/promises';
import { pspNames } from '@payonce/simulator';
import { eachOf } from '../support/a-few-at-a-time.js';
import { email, tokens } from '../support/psp-accounts.js';
import { randomFrom } from '../support/random.js';
import { type FaultKindPlayed, faultKinds, pickFrom } from './faults.js';
import { type Installation } from './installation.js';
import { type Asked, AskedBook } from './asked-book.js';
import { Cluster } from './cluster.js';
import { type LostCommits } from './operator.js';
import { Customer } from './customer.js';
import { judge, type Violation } from './verdict.js';

/** One or two kinds of faults at once, and how the installation took it. */
export interface Episode {
  readonly kinds: readonly FaultKindPlayed[];
  readonly from: number;
  until: number;
  /** The time from the end of the fault to the first answer to a request sent after it, in ms. */
  backAfterMs: number;
  /** The longest time without an answer, from its beginning to that first answer, in ms. */
  gapMs: number;
}

export interface CampaignOptions {
  readonly seed: number;
  readonly minutes: number;
  /** Customers a second. */
  readonly rate: number;
  /** Kinds whose names contain one of these; all where there are none. */
  readonly only: readonly string[];
  readonly tell: (line: string) => void;
}

export interface Outcome {
  readonly episodes: readonly Episode[];
  readonly asked: readonly Asked[];
  readonly requests: number;
  readonly payments: number;
  readonly effects: number;
  readonly orphans: number;
  /** Payments that failed when a day had passed: nobody knew whether their call was sent, and their customers had gone. */
  readonly expired: number;
  readonly stuck: Readonly<Record<string, number>>;
  /** How often the service met what on its way to Postgres. */
  readonly met: Readonly<Record<string, number>>;
  /** The time from the last fault until all that can be known at once is known, in ms. */
  readonly restAfterMs: number;
  /** Answers and effects that were lost with the last commits, where a standby need not have those. */
  readonly lost: readonly Violation[];
  readonly operators: readonly LostCommits[];
  /** Standbys that did not follow by themselves any more, and were copied anew. */
  readonly copied: number;
  /** Requests that were refused because commits may be lost. */
  readonly held: number;
  readonly violations: readonly Violation[];
}

interface TrialRow {
  readonly currency: string;
  /** Minor units. */
  readonly debit: number;
  readonly credit: number;
}

/** Their reports the simulator writes as files. */
const REPORTING = ['stripe', 'adyen'] as const;
/** A shop has no more customers than that. */
const MOST_AT_ONCE = 300;
/** For five seconds after its last failure nothing is sent to a PSP, and then one call to see. */
const HEALTHY_AFTER_MS = 10_000;
/** After an episode nothing is played for so long. */
const CALM_MS = 1_500;
const BACK_WITHIN_MS = 60_000;
/** A count that does not become less for so long will not settle. */
const NO_PROGRESS_MS = 8_000;
const REPLAY_WITHIN_MS = 20_000;
/** PayPal knows a lost order by its key for six hours. */
const SOON_MS = 3_600_000;
/** After this long a "not found" is final everywhere, after an answered 500 too. */
const LATER_MS = 25 * 3_600_000;

/** Rules that hold only as long as every commit does (docs/operations.md, Lost commits). */
const LOST_WITH_COMMITS: ReadonlySet<Violation['rule']> = new Set([
  'an answer stands',
  'nothing unknown to us',
  'sums as at the PSPs',
  'an order is paid once',
  'books in balance',
]);

export class Campaign {
  private readonly random: () => number;
  private readonly episodes: Episode[] = [];
  private readonly book: AskedBook;
  private playing: readonly FaultKindPlayed[] = [];
  private lastAnswerAt = 0;
  private hearsAnswer = (_sentAt: number): void => {};
  private readonly closing = new AbortController();

  constructor(
    private readonly installation: Installation,
    apiKey: string,
    private readonly options: CampaignOptions,
  ) {
    this.random = randomFrom(options.seed);
    const url = () => `http://127.0.0.1:${installation.links.clients.port}`;
    const isOpen = () => !this.closing.signal.aborted;
    this.book = new AskedBook(url, apiKey, () => this.playing.map(({ name }) => name), isOpen);
    this.book.onAnswered = (_asked, sentAt) => this.hearsAnswer(sentAt);
  }

  async play(): Promise<Outcome> {
    const { installation, options } = this;
    await installation.startProcesses();
    const customers = this.customersCome();
    try {
      await this.playEpisodes(performance.now() + options.minutes * 60_000);
    } finally {
      this.closing.abort();
      await customers;
    }
    options.tell('no fault any more');
    const restAfterMs = await this.rest();
    options.tell('a day passes');
    await this.settle();
    options.tell('the ledgers judge');
    return this.judged(restAfterMs);
  }

  /** They come whether or not those before them were served, up to a limit. */
  private async customersCome(): Promise<void> {
    const { seed, rate } = this.options;
    const random = randomFrom(seed + 1);
    const there = new Set<Promise<void>>();
    for (let n = 1; this.book.isOpen(); n++) {
      await sleep((-1_000 * Math.log(1 - random())) / rate);
      if (there.size >= MOST_AT_ONCE) continue;
      const customer = new Customer(`c${n}`, this.book, randomFrom(seed * 100_000 + n)).come();
      there.add(customer);
      void customer.then(() => there.delete(customer));
    }
    await Promise.all(there);
  }

  private async playEpisodes(until: number): Promise<void> {
    const { only, tell } = this.options;
    const kinds = faultKinds(this.installation).filter(
      ({ name }) => only.length === 0 || only.some((part) => name.includes(part)),
    );
    if (kinds.length === 0) throw new Error(`no kind of fault is called ${only.join(' or ')}`);
    let left: FaultKindPlayed[] = [];
    while (performance.now() < until) {
      if (left.length === 0) left = shuffled(kinds, this.random);
      // Once each has been played alone, some come together.
      const isPair = this.episodes.length >= kinds.length && this.random() < 0.5;
      const first = left.pop()!;
      const second = pickFrom(this.random, kinds);
      const together = isPair && mayMeet(first, second) ? [first, second] : [first];
      tell(together.map(({ name }) => name).join(' + '));
      await this.playEpisode(together);
    }
  }

  private async playEpisode(kinds: readonly FaultKindPlayed[]): Promise<void> {
    const { installation, random } = this;
    const episode: Episode = { kinds, from: performance.now(), until: 0, backAfterMs: 0, gapMs: 0 };
    this.episodes.push(episode);
    this.playing = kinds;
    this.lastAnswerAt = performance.now();
    const back = new Promise<void>((resolve) => {
      this.hearsAnswer = (sentAt) => {
        const now = performance.now();
        episode.gapMs = Math.max(episode.gapMs, now - this.lastAnswerAt);
        this.lastAnswerAt = now;
        if (episode.until === 0 || sentAt < episode.until || episode.backAfterMs > 0) return;
        episode.backAfterMs = now - episode.until;
        resolve();
      };
    });
    const during = (ms: number) => sleep(ms);
    await Promise.all(kinds.map((kind) => kind.play({ installation, random, during })));
    episode.until = performance.now();
    await Promise.race([back, sleep(BACK_WITHIN_MS)]);
    this.playing = [];
    this.hearsAnswer = () => {};
    await sleep(CALM_MS);
  }

  /** Waits until no route has a step that is due. */
  private async rest(): Promise<number> {
    const since = performance.now();
    const due = `SELECT count(*)::int AS left FROM psp_requests
                  WHERE verdict = 'open' AND next_step_at < clock_timestamp() + interval '3 s'`;
    await this.untilNone(due);
    return performance.now() - since;
  }

  /** Waits until the statement counts nothing, or no less than before for a while. */
  private async untilNone(count: string): Promise<void> {
    let least = Infinity;
    for (let since = performance.now(); performance.now() - since < NO_PROGRESS_MS; await sleep(100)) {
      const [row] = await this.installation.sql<{ left: number }>(count);
      if (row!.left === 0) return;
      if (row!.left < least) since = performance.now();
      least = Math.min(least, row!.left);
    }
  }

  /** Fair weather, much later: what can be proved by time alone is proved. */
  private async settle(): Promise<void> {
    const { installation } = this;
    await installation.stopProcesses();
    // PSPs that are still slow are through with what they were sent.
    await sleep(2_500);
    const open = "SELECT count(*)::int AS left FROM psp_requests WHERE verdict = 'open' AND stuck_at IS NULL";
    await this.later(SOON_MS, `${open} AND psp = 'paypal'`);
    await this.later(LATER_MS - SOON_MS, open);
    await this.untilNone(
      "SELECT count(*)::int AS left FROM idempotency_keys WHERE recovery_point <> 'finished'",
    );
    await this.untilNone(
      "SELECT count(*)::int AS left FROM orphan_effects WHERE status NOT IN ('compensated', 'closed', 'failed')",
    );
    await this.replay();
    await installation.stopProcesses();
  }

  /** Lets time pass, starts the processes then, and waits until the statement counts nothing. */
  private async later(ms: number, open: string): Promise<void> {
    const { installation } = this;
    await installation.stopProcesses();
    await installation.travel(ms);
    await Promise.all(installation.everyProcess.map((each) => each.keepUp(installation.clockOffsetMs)));
    await this.untilNone(open);
  }

  /** Customers who gave up come back, and some of the others ask once more: each must get the same answer. */
  private async replay(): Promise<void> {
    const open = this.book.all.filter(({ answers }) => answers.size === 0);
    const closed = shuffled(
      this.book.all.filter(({ answers }) => answers.size > 0),
      this.random,
    ).slice(0, 500);
    const until = performance.now() + REPLAY_WITHIN_MS;
    await eachOf([...open, ...closed], async (asked) => {
      if (performance.now() < until) await this.book.send(asked);
    });
  }

  private async judged(restAfterMs: number): Promise<Outcome> {
    const { installation, episodes } = this;
    const asked = this.book.all;
    const isHealthy = (one: Asked) => {
      const until = one.at + (one.answeredAfterMs ?? Infinity);
      return !episodes.some(
        (each) =>
          each.kinds.some((kind) => kind.atPsps) &&
          each.from < until &&
          one.at < each.until + HEALTHY_AFTER_MS,
      );
    };
    const { violations, expired } = await judge(installation, asked, isHealthy);
    for (const each of episodes.filter(({ backAfterMs }) => backAfterMs === 0)) {
      const what = `no answer within ${BACK_WITHIN_MS / 1_000} s of the end of ${each.kinds.map(({ name }) => name).join(' + ')}`;
      violations.push({ rule: 'answers come back', what, during: each.kinds.map(({ name }) => name) });
    }
    for (const what of installation.witnessed)
      violations.push({ rule: 'one primary at a time', what, during: [] });
    violations.push(...(await this.booksInBalance()));
    const leaks = await installation.leaks([this.book.apiKey, ...Object.values(tokens), email]);
    for (const what of leaks) violations.push({ rule: 'no secret is written down', what, during: [] });
    const [counts] = await installation.sql<{ payments: number; orphans: number }>(
      'SELECT (SELECT count(*)::int FROM payments) AS payments, (SELECT count(*)::int FROM orphan_effects) AS orphans',
    );
    const stuck = await installation.sql<{ reason: string; n: number }>(
      `SELECT stuck_reason AS reason, count(*)::int AS n FROM psp_requests WHERE stuck_at IS NOT NULL GROUP BY 1`,
    );
    const isLoss = ({ rule }: Violation) => installation.lost.length > 0 && LOST_WITH_COMMITS.has(rule);
    const effects = pspNames.reduce((sum, psp) => sum + installation.simulator.ledger(psp).effects.length, 0);
    return {
      episodes,
      asked,
      requests: this.book.requests,
      effects,
      ...counts!,
      expired,
      stuck: Object.fromEntries(stuck.map(({ reason, n }) => [reason, n])),
      met: installation.databaseWatch.met,
      restAfterMs,
      copied: installation.postgres instanceof Cluster ? installation.postgres.copied : 0,
      held: this.book.held,
      operators: installation.lost,
      lost: violations.filter((violation) => isLoss(violation)),
      violations: violations.filter((violation) => !isLoss(violation)),
    };
  }

  /** The chain of what people did, the sums of the ledger, and the reports that PSPs write of all that they did. */
  private async booksInBalance(): Promise<Violation[]> {
    const { installation } = this;
    const found: Violation[] = [];
    const say = (what: string) => found.push({ rule: 'books in balance', what, during: [] });
    const ask = (...args: readonly string[]) =>
      installation.payonce(...args).catch((error: unknown) => void say(String(error)));
    await ask('audit', 'verify');
    await installation.postLedger();
    const balances = (await ask('ledger', 'balances')) as { trial: readonly TrialRow[] } | undefined;
    for (const currency of new Set(balances?.trial.map((row) => row.currency))) {
      const rows = balances!.trial.filter((row) => row.currency === currency);
      const sum = rows.reduce((total, { debit, credit }) => total + debit - credit, 0);
      if (sum !== 0) say(`the ledger in ${currency} is off by ${sum}`);
    }
    for (const psp of REPORTING) {
      const run = (await installation.reconcile(psp).catch((error: unknown) => void say(String(error)))) as
        { breaks: readonly { category: string; open: number }[] } | undefined;
      for (const { category, open } of run?.breaks ?? [])
        if (open > 0 && category !== 'timing') say(`the report of ${psp}: ${open} ${category}`);
    }
    return found;
  }
}

/** Two that both take Postgres away, or that kill the same process, only wait for each other. */
function mayMeet(one: FaultKindPlayed, other: FaultKindPlayed): boolean {
  return one.group !== other.group;
}

function shuffled<T>(all: readonly T[], random: () => number): T[] {
  return all
    .map((one) => [random(), one] as const)
    .toSorted(([a], [b]) => a - b)
    .map(([, one]) => one);
}
