import { type Pool } from 'pg';
import { type Logger } from 'pino';
import { type Registry } from 'prom-client';
import { scrub } from './api/index.js';
import { Completer, type KeyedFlows, PostgresKeyRetention, Reaper } from './idempotency/index.js';
import { type DeadLetters, DEFAULT_LADDER, JobsRuntime, type Ladder, ladderOf } from './jobs/index.js';
import { type Clock, type Config, type Ids, type Store } from './kernel/index.js';
import {
  DuplicateRetention,
  OrphanKeeper,
  type PaymentResolver,
  type PaymentsService,
} from './payments/index.js';
import { type PayoutsService } from './payouts/index.js';
import { type DriveOn, type RequestStorage, Resolver } from './request-storage/index.js';
import { type IncomingWebhooks, type LadderWanted, type WebhooksOut } from './webhooks/index.js';

export interface BackgroundWorkDeps {
  readonly config: Config;
  readonly databaseUrl: string;
  readonly pool: Pool;
  readonly store: Store;
  readonly storage: RequestStorage;
  readonly keyed: KeyedFlows;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
  readonly metrics: Registry;
  readonly payments: PaymentsService;
  readonly payouts: PayoutsService;
  readonly ofPayments: PaymentResolver;
  readonly ofPayouts: { readonly driveOn: DriveOn; readonly lookAgain: DriveOn };
  readonly deadLetters: DeadLetters;
  readonly incoming: IncomingWebhooks;
  readonly outgoing: WebhooksOut;
}

const DAY_MS = 24 * 3_600_000;

/** All that a worker does: what rooms stage, and what is done again and again. */
export function backgroundWork(deps: BackgroundWorkDeps): JobsRuntime {
  const { config, databaseUrl, pool, store, storage, keyed, clock, ids, logger, metrics } = deps;
  const { payments, payouts, ofPayments, ofPayouts, deadLetters, incoming, outgoing } = deps;
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
    kinds: [incoming.kind, ...outgoing.kinds],
    ladders: [ladderOf(DEFAULT_LADDER, config.jobLadder), ...outgoing.ladders.map(inOneQueue)],
    feeders: [outgoing.feeder],
    chores: [
      { name: 'resolver', everyMs: 1_000, runOnce: () => routes.runOnce() },
      { name: 'orphans', everyMs: 2_000, runOnce: () => orphans.runOnce() },
      { name: 'completer', everyMs: 2_000, runOnce: () => completer.runOnce() },
      { name: 'duplicates', everyMs: 60_000, runOnce: () => duplicates.runOnce() },
      { name: 'reaper', everyMs: 3_600_000, runOnce: () => reaper.runOnce() },
      incoming.chore,
    ],
    graceMs: config.shutdownGraceMs,
  });
}

/** What is tried again there is rare, and a queue costs a connection. */
function inOneQueue({ name, delaysMs, concurrency }: LadderWanted): Ladder {
  return { name, levels: delaysMs.map((delayMs) => ({ queue: name, delayMs, concurrency })) };
}
