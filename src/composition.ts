import { type Pool } from 'pg';
import { type Logger } from 'pino';
import { Registry } from 'prom-client';
import { scrub } from './api/index.js';
import { IdempotencyKeyEntity, KeyedFlows } from './idempotency/index.js';
import {
  AuditRecordEntity,
  type Clock,
  type Config,
  ConfigError,
  EventRecordEntity,
  type Ids,
  PostgresStore,
  Seal,
  sealKeyOf,
  type Store,
  SystemClock,
  SystemIds,
} from './kernel/index.js';
import {
  DeadLetterEntity,
  DeadLetters,
  registerDeadLetterMetrics,
  StagedJobEntity,
  StagedJobs,
} from './jobs/index.js';
import { ApiKeyEntity, MerchantEntity } from './merchants/index.js';
import { openStore } from './open-store.js';
import {
  DuplicateGuardEntity,
  PaymentEntity,
  PaymentReader,
  PaymentResolver,
  type Route,
  PaymentsService,
  PaymentTransitionEntity,
} from './payments/index.js';
import {
  type PayoutCandidates,
  PayoutEntity,
  PayoutFlow,
  PayoutReader,
  PayoutsService,
  PayoutTransitionEntity,
} from './payouts/index.js';
import {
  accountsOf,
  candidates,
  mayFence,
  noticeReadersOf,
  PspDirectory,
  type PspsConfig,
} from './psp/index.js';
import { RefundEntity, RefundReader } from './refunds/index.js';
import {
  type DriveOn,
  Facts,
  NonExecutionProofEntity,
  OperationResolver,
  OrphanEffectEntity,
  PspAttemptEntity,
  PspRequestEntity,
  RequestStorage,
  StuckRoutes,
} from './request-storage/index.js';
import { type IncomingWebhooks, incomingWebhooks, type WebhooksOut, webhooksOut } from './webhooks/index.js';

const DAY_MS = 24 * 3_600_000;

/** Every table, for TypeORM. */
export const entities = [
  MerchantEntity,
  ApiKeyEntity,
  IdempotencyKeyEntity,
  PaymentEntity,
  PaymentTransitionEntity,
  DuplicateGuardEntity,
  PayoutEntity,
  PayoutTransitionEntity,
  PspRequestEntity,
  PspAttemptEntity,
  NonExecutionProofEntity,
  OrphanEffectEntity,
  RefundEntity,
  AuditRecordEntity,
  EventRecordEntity,
  StagedJobEntity,
  DeadLetterEntity,
];

/** Between a PSP's timeout and the end of the lock it is called under. */
const LOCK_MARGIN_MS = 1_000;

/** All rooms put together over one database. Nothing listens yet, and nothing works by itself. */
export interface Composition {
  readonly config: Config;
  readonly logger: Logger;
  readonly metrics: Registry;
  readonly pool: Pool;
  readonly databaseUrl: string;
  readonly store: Store;
  readonly storage: RequestStorage;
  readonly keyed: KeyedFlows;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly payments: PaymentsService;
  readonly payouts: PayoutsService;
  readonly ofPayments: PaymentResolver;
  readonly ofPayouts: { readonly driveOn: DriveOn; readonly lookAgain: DriveOn };
  readonly deadLetters: DeadLetters;
  readonly incoming: IncomingWebhooks;
  readonly outgoing: WebhooksOut;
  /** Once nothing uses it any more. */
  close(): Promise<void>;
}

/** @throws ConfigError, DatabaseUnavailable */
export async function compose(config: Config, pspsConfig: PspsConfig, logger: Logger): Promise<Composition> {
  refuseSlowPsps(config, pspsConfig);
  const clock = new SystemClock(config.clockOffsetMs);
  const ids = new SystemIds(clock);
  const metrics = new Registry();
  const seal = new Seal(sealKeyOf(config));
  const opened = await openStore(config, {
    entities,
    poolSize: config.dbPool - config.commitLanes,
    applicationName: 'payonce',
  });
  const { pool, url } = opened.database;
  if (opened.migrated.length > 0) logger.info({ migrations: opened.migrated }, 'migrated');

  const store = new PostgresStore({
    url,
    pool,
    clock,
    random: () => ids.random(),
    lanes: config.commitLanes,
  });
  const psps = new PspDirectory(accountsOf(pspsConfig, clock), { clock, metrics });
  const leaseMs = config.lockTtlMs;
  const { deadlineMs } = config;
  const storage = new RequestStorage({ store, psps, clock, leaseMs, deadlineMs });
  const keyed = new KeyedFlows({ store, clock, ids, seal, leaseMs, deadlineMs });
  const deps = { store, storage, seal, clock, ids };
  const [paymentReader, payoutReader] = [new PaymentReader(pool), new PayoutReader(pool)];
  const payments = new PaymentsService({
    ...deps,
    keyed,
    route: router(pspsConfig, psps),
    reader: paymentReader,
    refundReader: new RefundReader(pool),
  });
  const payouts = new PayoutsService({
    ...deps,
    keyed,
    candidates: payoutRouter(pspsConfig, psps),
    reader: payoutReader,
  });

  const outgoing = webhooksOut({
    sql: pool,
    clock,
    ids,
    seal,
    metrics,
    targets: config.webhookTargets,
    retentionMs: config.eventRetentionDays * DAY_MS,
  });

  new StuckRoutes(pool).register(metrics);
  const staged = new StagedJobs(clock, ids);
  const deadLetters = new DeadLetters({ pool, clock, ids, staged, scrub });
  registerDeadLetterMetrics(deadLetters, metrics);

  const ofPayments = new PaymentResolver({ ...deps, leaseMs });
  const ofPayouts = new OperationResolver(new PayoutFlow(deps), { ...deps, leaseMs });
  const readers = noticeReadersOf(pspsConfig);
  const incoming = incomingWebhooks({
    pool,
    clock,
    ids,
    metrics,
    readerOf: (account) => readers.get(account) ?? null,
    facts: new Facts(
      {
        merchantOf: (id) => paymentReader.merchantOf(id),
        take: (of, psp, fact, traceId) => ofPayments.take(of, psp, fact, traceId),
      },
      {
        merchantOf: (id) => payoutReader.merchantOf(id),
        take: (of, psp, fact, traceId) => ofPayouts.take(of, psp, fact, traceId),
      },
    ),
  });

  return {
    config,
    logger,
    metrics,
    pool,
    databaseUrl: url,
    keyed,
    ...deps,
    payments,
    payouts,
    ofPayments,
    ofPayouts,
    deadLetters,
    incoming,
    outgoing,
    close: async () => {
      await store.close();
      await psps.close();
      await opened.close();
    },
  };
}

/** By the routing rules; weights are drawn from the payment's id, the same on every look. */
function router({ routing }: PspsConfig, psps: PspDirectory): Route {
  return (ask, paymentId) => {
    const facts = {
      operation: ask.capture === 'automatic' ? 'charge' : 'authorize',
      amount: ask.amount,
      currency: ask.currency,
      cardBrand: ask.paymentMethod.card.brand ?? undefined,
      cardCountry: ask.paymentMethod.card.country ?? undefined,
      tokens: Object.keys(ask.paymentMethod.tokens),
    } as const;
    const offers = (psp: string) => (psps.has(psp) ? psps.capabilities(psp) : null);
    return {
      candidates: candidates(routing, facts, shareOf(paymentId), offers),
      fence: mayFence(routing, facts),
    };
  };
}

/** The same rules for money out; conditions on a card match no payout. */
function payoutRouter({ routing }: PspsConfig, psps: PspDirectory): PayoutCandidates {
  return ({ amount, currency, recipient }, payoutId) =>
    candidates(
      routing,
      { operation: 'payout', amount, currency, tokens: Object.keys(recipient.tokens) },
      shareOf(payoutId),
      (psp) => (psps.has(psp) ? psps.capabilities(psp) : null),
    );
}

/** In [0, 1), of the random end of an id. */
function shareOf(id: string): number {
  return Number.parseInt(id.slice(-8), 16) / 2 ** 32;
}

/** A call that could outlive its lock would never be made: said at the start, not by every payment. */
function refuseSlowPsps({ lockTtlMs }: Config, { psps }: PspsConfig): void {
  const slow = psps.filter(({ timeoutMs }) => timeoutMs + LOCK_MARGIN_MS > lockTtlMs);
  if (slow.length === 0) return;
  throw new ConfigError(
    slow.map(
      ({ name, timeoutMs }) =>
        `PAYONCE_LOCK_TTL_MS is ${lockTtlMs}; it takes at least ${timeoutMs + LOCK_MARGIN_MS}, for PSP ${name} may take ${timeoutMs} ms`,
    ),
  );
}
