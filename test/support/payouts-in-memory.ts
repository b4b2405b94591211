import { IdempotentRunner } from '../../src/idempotency/idempotent-runner.js';
import { type Clock } from '../../src/core/clock.js';
import { NoneOf, type Store } from '../../src/core/change.js';
import { type Ids } from '../../src/core/ids.js';
import { Encryption } from '../../src/core/encryption.js';
import { OrphanCompensator } from '../../src/payments/orphan-compensator.js';
import { PaymentOperations } from '../../src/payments/payment-operations.js';
import { PaymentRouteWorker } from '../../src/payments/payment-route-worker.js';
import { PayoutOperations } from '../../src/payouts/payout-operations.js';
import { PayoutFlow } from '../../src/payouts/payout.flow.js';
import { payouts } from '../../src/payouts/payout.table.js';
import { type PayoutView } from '../../src/payouts/payout.view.js';
import { type NewPayout } from '../../src/payouts/dto/create-payout.dto.js';
import { type RegisteredRecipients } from '../../src/payouts/recipients.js';
import { type Sequences } from '../../src/payouts/sequence.js';
import {
  type Answer,
  type AttemptKind,
  type Capabilities,
  type Instruction,
  type Psps,
} from '../../src/psp/contract.js';
import { RouteWorker } from '../../src/request-storage/route-worker.js';
import { RequestStorage } from '../../src/request-storage/request-storage.js';
import { Resolver } from '../../src/request-storage/resolver.js';

export const LEASE_MS = 20_000;
export const CALL_TIMEOUT_MS = 5_000;
const DEADLINE_MS = 25_000;

/**
 * What a PSP does with a call. `loses_answer`: done, and nobody hears of it; `loses_request`: not done,
 * and nobody hears of that either; `is_down`: not a byte gets there.
 */
export type Fate = 'does' | 'loses_answer' | 'loses_request' | 'is_down' | 'declines' | 'says_later';

/** Money that a bank sent. The judge. */
export interface Sent {
  readonly psp: string;
  readonly entityKey: string;
  readonly route: number;
  readonly token: string;
  readonly amount: number;
  readonly currency: string;
}

/** A PSP that makes payouts, remembers keys for a day and can be asked by our reference. */
export class Bank {
  readonly sent: Sent[] = [];
  readonly calls: { readonly kind: AttemptKind; readonly instruction: Instruction }[] = [];
  /** One for each call that comes; then all is well. */
  readonly fates: Fate[] = [];
  readonly can: Capabilities = {
    operations: ['payout'],
    currencies: null,
    methods: { card: {} },
    idempotency: { windowMs: 24 * 3_600_000, replays: 'all' },
    lookup: { by: 'reference', consistency: 'strong', settlesAfterMs: 60_000 },
    // What would be a disaster if it were used: nobody may void a payout on a guess.
    cancel: 'reference',
    captures: 'one',
  };
  private readonly byKey = new Map<string, Answer>();

  constructor(readonly name: string) {}

  answer(kind: AttemptKind, instruction: Instruction): Answer {
    this.calls.push({ kind, instruction });
    const fate = this.fates.shift() ?? 'does';
    if (fate === 'is_down') return { outcome: 'not_sent', pspCode: 'ECONNREFUSED' };
    if (fate === 'loses_request') return { outcome: 'unknown' };
    const answer = kind === 'execute' ? this.execute(instruction, fate) : this.lookup(instruction);
    return fate === 'loses_answer' ? { outcome: 'unknown' } : answer;
  }

  /** What was promised for later has come about. */
  carryOut(): void {
    for (const [key, answer] of this.byKey) {
      if (answer.outcome !== 'pending') continue;
      const { instruction } = this.calls.find((call) => call.instruction.idempotencyKey === key)!;
      this.byKey.set(key, this.send(instruction));
    }
  }

  private execute(instruction: Instruction, fate: Fate): Answer {
    const known = this.byKey.get(instruction.idempotencyKey);
    if (known) return known;
    const answer = this.first(instruction, fate);
    this.byKey.set(instruction.idempotencyKey, answer);
    return answer;
  }

  private first(instruction: Instruction, fate: Fate): Answer {
    if (fate === 'declines') return { outcome: 'declined', decline: 'revoked', pspCode: 'account_closed' };
    if (fate === 'says_later')
      return {
        outcome: 'pending',
        pspReference: `${this.name}-${instruction.entityKey}-later`,
        isNamed: true,
      };
    return this.send(instruction);
  }

  private send({ entityKey, route, token = '', money }: Instruction): Answer {
    this.sent.push({ psp: this.name, entityKey, route, token, ...money });
    const pspReference = `${this.name}-${entityKey}-${route}`;
    return { outcome: 'succeeded', pspReference, money, isNamed: true };
  }

  private lookup({ idempotencyKey }: Instruction): Answer {
    return this.byKey.get(idempotencyKey) ?? { outcome: 'not_found' };
  }
}

/** What comes between: a wait before the call arrives, and one before its answer does. */
export type Way = (kind: AttemptKind) => Promise<void>;

export function pspsOf(banks: readonly Bank[], way: Way = () => Promise.resolve()): Psps {
  const bank = (name: string) => banks.find((one) => one.name === name);
  return {
    has: (name) => bank(name) !== undefined,
    capabilities: (name) => bank(name)!.can,
    fingerprint: (name) => `account of ${name}`,
    mayBegin: () => true,
    timeoutMs: () => CALL_TIMEOUT_MS,
    async call(name, kind, instruction, mayStill) {
      await way(kind);
      if (!mayStill()) return { outcome: 'not_sent', pspCode: 'lock_too_old' };
      const answer = bank(name)!.answer(kind, instruction);
      await way(kind);
      return answer;
    },
  };
}

export interface PayoutsInMemoryOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly psps: Psps;
  readonly sequences?: Sequences;
  readonly recipients?: RegisteredRecipients;
  readonly needsRecipient?: boolean;
}

/** Orphan effects are given back at once. */
export const forEveryMerchant = () => Promise.resolve([new NoneOf([])]);

/** For merchants that pay out to anybody. */
export const anyRecipient: RegisteredRecipients = {
  versionToPay: () => Promise.reject(new RangeError('no recipient has to be registered here')),
};

/** The payouts room over any store, as the service puts it together. */
export function payoutsInMemory({
  store,
  clock,
  ids,
  psps,
  sequences = sequencesIn(store),
  recipients = anyRecipient,
  needsRecipient = false,
}: PayoutsInMemoryOptions) {
  const seal = new Encryption(Buffer.alloc(32, 7));
  const storage = new RequestStorage({
    store,
    psps,
    clock,
    hold: () => 'none',
    leaseMs: LEASE_MS,
    deadlineMs: DEADLINE_MS,
  });
  const keyed = new IdempotentRunner({ store, clock, ids, seal, leaseMs: LEASE_MS, deadlineMs: DEADLINE_MS });
  const deps = { store, storage, seal, clock, ids, leaseMs: LEASE_MS };
  const candidates = (ask: NewPayout) => Object.keys(ask.recipient.tokens).filter((name) => psps.has(name));
  const operations = new PayoutOperations(deps);
  const create = new PayoutFlow(operations, candidates, sequences, recipients, needsRecipient);
  const ofPayouts = new RouteWorker(operations, deps);
  const resolver = new Resolver(
    storage,
    (due, traceId) => ofPayouts.advance(due, traceId),
    () => ids.uuid(),
    (error) => {
      throw error;
    },
  );
  const send = async (merchantId: string, key: string, ask: NewPayout, waitMs = 0) => {
    const told = await keyed.run(create, {
      merchantId,
      key,
      input: ask,
      waitMs,
      actor: 'api-key:k',
      traceId: 't',
    });
    return { ...told, payout: JSON.parse(told.body) as PayoutView };
  };
  const ofPayments = new PaymentRouteWorker(new PaymentOperations(deps), deps);
  const orphans = new OrphanCompensator(
    storage,
    (due, traceId) => ofPayouts.recheckRoute(due, traceId),
    (orphan, traceId) => ofPayments.compensate(orphan, traceId),
    forEveryMerchant,
    () => ids.uuid(),
    (error) => {
      throw error;
    },
  );
  return { send, resolver, create, keyed, storage, orphans };
}

/** The end of a chain, for a store that knows no SQL. */
export function sequencesIn(store: Store): Sequences {
  return {
    async tailOf(merchantId, recipient) {
      const all = await store.find(payouts, { merchantId, recipient });
      const followed = new Set(all.map(({ previous }) => previous));
      return all.find(({ id }) => !followed.has(id)) ?? null;
    },
  };
}

export function payoutOf(more: Partial<NewPayout> & { readonly to?: string } = {}): NewPayout {
  const { to = 'recipient-1', ...rest } = more;
  return {
    reference: 'salary-2026-11',
    recipient: { reference: to, tokens: { first: 'ba_secret_first', second: 'ba_secret_second' } },
    amount: 1_000,
    currency: 'EUR',
    previous: null,
    statementDescriptor: null,
    metadata: {},
    ...rest,
  };
}
