import { WaitingError } from 'bullmq';
import { pino } from 'pino';
import { ManualClock } from '../core/clock.js';
import { StoreUnavailable } from '../database/store-unavailable.js';
import { type GivenUpJob } from './dead-letters.js';
import { type JobKind } from './job-kind.js';
import { JobRunner, type Outcome } from './job-runner.js';
import { retryPolicyOf } from './retry-policy.js';
import { type JobInHand } from './queue-backend.js';
import { type Queues } from './queues.js';

function scene(run: JobKind['run']) {
  const clock = new ManualClock();
  const seen = {
    runs: 0,
    givenBack: 0,
    outcomes: [] as Outcome[],
    deadLetters: [] as GivenUpJob[],
    added: [] as unknown[],
  };
  const kind: JobKind = {
    name: 'deed.do',
    retryPolicy: 'default',
    idOf: () => 'a',
    run: (args, signal) => {
      seen.runs += 1;
      return run(args, signal);
    },
    due: () => Promise.resolve([]),
  };
  const queue = { add: (...job: unknown[]) => Promise.resolve(seen.added.push(job)) };
  const runner = new JobRunner({
    kinds: new Map([['deed.do', kind]]),
    retryPolicies: new Map([
      [
        'default',
        retryPolicyOf('default', [
          { delayMs: 0, concurrency: 1 },
          { delayMs: 1_000, concurrency: 1 },
        ]),
      ],
    ]),
    // Of a queue only `add` is called.
    queues: {
      use: (_name: string, _what: string, work: (q: typeof queue) => unknown) => work(queue),
    } as unknown as Queues,
    deadLetters: { deadLetter: (letter) => Promise.resolve(void seen.deadLetters.push(letter)) },
    clock,
    ids: { random: () => 0.5 },
    logger: pino({ level: 'silent' }),
    longestRunMs: 5_000,
    onOutcome: (_kind, outcome) => seen.outcomes.push(outcome),
  });
  const job = {
    id: 'deed.do.a',
    name: 'deed.do',
    data: { args: {}, level: 0, story: null },
    stalledCounter: 0,
    moveToWait: () => Promise.resolve((seen.givenBack += 1)),
  } as unknown as JobInHand;
  return {
    runner,
    job,
    seen,
    clock,
    run: (other: JobInHand = job) => runner.run('default-now', other, 'token'),
  };
}

describe('JobRunner', () => {
  it('gives back what it is handed after it was stopped, and runs it not', async () => {
    const { runner, run, seen } = scene(() => Promise.resolve());
    runner.stop();
    await expect(run()).rejects.toBeInstanceOf(WaitingError);
    expect(seen).toMatchObject({ runs: 0, givenBack: 1, outcomes: [] });
  });

  it('gives back what throws because the process stops', async () => {
    const { runner, run, seen } = scene(
      (_args, signal) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(new Error('stopping')), { once: true });
        }),
    );
    const running = run();
    runner.stop();
    await expect(running).rejects.toBeInstanceOf(WaitingError);
    expect(seen).toMatchObject({ runs: 1, givenBack: 1, added: [], deadLetters: [] });
  });

  it('counts no outage of the database as a try, and tells the queue nothing of it', async () => {
    const { run, seen } = scene(() => Promise.reject(new StoreUnavailable(new Error('hunter2'))));
    const refusal = await run().catch((error: unknown) => error);
    expect(String(refusal)).toBe('Postponed: tried again in place');
    expect(seen).toMatchObject({ outcomes: ['postponed'], added: [], deadLetters: [] });
  });

  it('ends a run that takes too long, as a failure that tells its handler', async () => {
    let aborted = false;
    const { run, seen, clock } = scene(
      (_args, signal) =>
        new Promise(() => {
          signal.addEventListener('abort', () => (aborted = true), { once: true });
        }),
    );
    const running = run();
    clock.advance(5_000);
    await running;
    expect(aborted).toBe(true);
    expect(seen.outcomes).toEqual(['retried']);
    expect(seen.added).toMatchObject([
      [
        'deed.do',
        { level: 1, story: { tries: 1, lastError: 'TimedOut: the job took longer than 5000 ms' } },
        { delay: 750 },
      ],
    ]);
  });

  it('finds the step by the queue, where the ladder was changed under a job', async () => {
    const { run, job, seen } = scene(() => Promise.reject(new Error('no')));
    await run({ ...job, data: { args: {}, level: 7, story: null } });
    expect(seen.added).toMatchObject([['deed.do', { level: 1 }, {}]]);
  });
});
