import { setImmediate as turn } from 'node:timers/promises';
import { HandlerHasRun, IdempotentCallError, keyedHash } from '@payonce/idempotency';

export interface Ask {
  /** Which call it is; no part of the parameters, and so not hashed. */
  readonly call: number;
  readonly key: string;
  readonly amount: number;
}

export interface Answer {
  readonly run: number;
  readonly amount: number;
}

interface Run extends Ask {
  readonly run: number;
  end: 'running' | 'returned' | 'threw';
}

type Outcome = { readonly answer: Answer } | { readonly error: unknown };

/** What a handler throws that did nothing. */
export class NothingDone extends Error {}

const hash = keyedHash(Buffer.alloc(32, 9));

/** The parameters alone. */
export const hashRequest = ({ amount }: Ask): string => hash({ amount });

const REFUSED: ReadonlySet<string> = new Set([
  'idempotency_key_reused',
  'request_in_progress',
  'store_unavailable',
]);

/**
 * Holds what callers were told against what handlers did. Promised, whatever happens to the store:
 *
 * 1. An answer is one that a run for this very key and these very parameters returned.
 * 2. Who was refused ran nothing. Who was told "done" ran it to its end.
 * 3. Nothing else is told.
 *
 * How often a handler runs for one key depends on what the store forgets; each test says its bound.
 */
export class Judge {
  readonly runs: Run[] = [];
  private readonly told: { ask: Ask; outcome: Outcome }[] = [];
  private calls = 0;

  /** `turns`: how long a run takes, in turns of the event loop. `throws`: whether it ends in an error. */
  handler(
    plan: (run: number) => { turns: number; throws?: boolean; until?: Promise<unknown> },
    onRun: (run: number) => void = () => {},
  ): (ask: Ask) => Promise<Answer> {
    return async (ask) => {
      const run: Run = { ...ask, run: this.runs.length + 1, end: 'running' };
      this.runs.push(run);
      onRun(run.run);
      const { turns, throws = false, until } = plan(run.run);
      for (let n = 0; n < turns; n++) await turn();
      await until;
      run.end = throws ? 'threw' : 'returned';
      if (throws) throw new NothingDone();
      return { run: run.run, amount: ask.amount };
    };
  }

  async call(
    callable: (key: string, ask: Ask) => Promise<Answer>,
    key: string,
    amount: number,
  ): Promise<Outcome> {
    const ask = { call: ++this.calls, key, amount };
    const outcome = await callable(key, ask).then(
      (answer) => ({ answer }),
      (error: unknown) => ({ error }),
    );
    this.told.push({ ask, outcome });
    return outcome;
  }

  /** Runs that returned, for one key. */
  returned(key: string): Run[] {
    return this.runs.filter((run) => run.key === key && run.end === 'returned');
  }

  get keys(): string[] {
    return [...new Set(this.told.map(({ ask }) => ask.key))];
  }

  /** The different answers that were given for one key. */
  answers(key: string): number[] {
    const given = this.told.flatMap(({ ask, outcome }) =>
      ask.key === key && 'answer' in outcome ? [outcome.answer.run] : [],
    );
    return [...new Set(given)];
  }

  /** How many calls ended how: an answer, or a code. */
  counts(): Record<string, number> {
    const counts: Record<string, number> = {};
    for (const { outcome } of this.told) {
      const end = 'answer' in outcome ? 'answer' : codeOf(outcome.error);
      counts[end] = (counts[end] ?? 0) + 1;
    }
    return counts;
  }

  /** Everything that is not as promised, in words. */
  complaints(): string[] {
    return this.told.flatMap(({ ask, outcome }) => {
      const complaint = this.complaintAbout(ask, outcome);
      return complaint ? [`call ${ask.call} (${ask.key}, ${ask.amount}): ${complaint}`] : [];
    });
  }

  private complaintAbout(ask: Ask, outcome: Outcome): string | null {
    const own = this.runs.filter(({ call }) => call === ask.call);
    if (own.length > 1) return `ran ${own.length} times`;
    if ('answer' in outcome) {
      const { run, amount } = outcome.answer;
      const source = this.runs[run - 1];
      if (!source || source.end !== 'returned') return `was given the answer of run ${run}, which gave none`;
      if (source.key !== ask.key) return `was given the answer for ${source.key}`;
      return amount === ask.amount && source.amount === ask.amount ? null : `was given that of ${amount}`;
    }
    const code = codeOf(outcome.error);
    if (code === 'threw') return own[0]?.end === 'threw' ? null : 'threw what no run of its own threw';
    if (REFUSED.has(code)) return own.length === 0 ? null : `was refused (${code}) and ran`;
    if (outcome.error instanceof HandlerHasRun && code === 'done_not_recorded') {
      return own[0]?.end === 'returned' ? null : 'was told that it was done, and it was not';
    }
    return `was told ${String(outcome.error)}`;
  }
}

export function codeOf(error: unknown): string {
  if (error instanceof NothingDone) return 'threw';
  return error instanceof IdempotentCallError ? error.code : String(error);
}
