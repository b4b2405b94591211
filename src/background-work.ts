import { scrub } from './api/index.js';
import { type Composition } from './composition.js';
import { Completer, PostgresKeyRetention, Reaper } from './idempotency/index.js';
import { type Chore, chosenLadders, JobsRuntime, type Ladder } from './jobs/index.js';
import { ConfigError } from './kernel/index.js';
import { DuplicateRetention, OrphanKeeper } from './payments/index.js';
import { Resolver } from './request-storage/index.js';
import { type LadderWanted } from './webhooks/index.js';

const DAY_MS = 24 * 3_600_000;

/** What is done again and again, one run at a time over all processes. */
export function choresOf(composition: Composition): readonly Chore[] {
  const { config, pool, store, storage, keyed, clock, ids, logger } = composition;
  const { payments, payouts, ofPayments, ofPayouts, incoming, outgoing } = composition;
  const newTraceId = () => ids.uuid();
  const routes = new Resolver(
    storage,
    (due, traceId) => (due.payoutId === null ? ofPayments : ofPayouts).driveOn(due, traceId),
    newTraceId,
    (err, { entityKey, route }) =>
      logger.error({ err, entity_key: entityKey, route }, 'a route was not driven'),
  );
  const orphans = new OrphanKeeper(
    storage,
    (due, traceId) => (due.payoutId === null ? ofPayments : ofPayouts).lookAgain(due, traceId),
    (orphan, traceId) => ofPayments.compensate(orphan, traceId),
    config.orphans === 'automatic',
    newTraceId,
    (err, { entityKey, route }) =>
      logger.error({ err, entity_key: entityKey, route }, 'an orphan effect was not dealt with'),
  );
  const completer = new Completer(
    store,
    keyed,
    [...Object.values(payments.flows), ...Object.values(payouts.flows)],
    ids,
    (err, { operation, subjectId }) =>
      logger.error({ err, operation, subject: subjectId }, 'a key was not completed'),
  );
  const duplicates = new DuplicateRetention(pool);
  const reaper = new Reaper(new PostgresKeyRetention(pool), clock, config.keyRetentionDays * DAY_MS);
  return [
    { name: 'resolver', everyMs: 1_000, runOnce: () => routes.runOnce() },
    { name: 'orphans', everyMs: 2_000, runOnce: () => orphans.runOnce() },
    { name: 'completer', everyMs: 2_000, runOnce: () => completer.runOnce() },
    { name: 'duplicates', everyMs: 60_000, runOnce: () => duplicates.runOnce() },
    { name: 'reaper', everyMs: 600_000, runOnce: () => reaper.runOnce() },
    incoming.chore,
    outgoing.chore,
  ];
}

/**
 * All that a worker does: chores, and what rooms stage.
 * @throws ConfigError where PAYONCE_JOB_LADDER names a kind of job that there is not
 */
export function backgroundWork(composition: Composition): JobsRuntime {
  const { config, databaseUrl, pool, clock, ids, logger, metrics } = composition;
  const { deadLetters, outgoing } = composition;
  return new JobsRuntime({
    databaseUrl,
    redisUrl: config.redisUrl,
    pool,
    clock,
    ids,
    logger,
    metrics,
    scrub,
    deadLetters,
    ...kindsOf(composition),
    feeders: [outgoing.feeder],
    chores: choresOf(composition),
    graceMs: config.shutdownGraceMs,
  });
}

function kindsOf({ config, incoming, outgoing }: Composition) {
  try {
    const kinds = [incoming.kind, ...outgoing.kinds];
    return chosenLadders(config.jobLadder, kinds, outgoing.ladders.map(inOneQueue));
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new ConfigError([`PAYONCE_JOB_LADDER: ${error.message}`]);
  }
}

/** What is tried again there is rare, and a queue costs a connection. */
function inOneQueue({ name, delaysMs, concurrency }: LadderWanted): Ladder {
  return { name, levels: delaysMs.map((delayMs) => ({ queue: name, delayMs, concurrency })) };
}
