import '../src/entities.js';
import { parseRequest } from '../src/http/request.pipe.js';
import { CreatePaymentDto } from '../src/payments/dto/create-payment.dto.js';
import { IdempotentRunner } from '../src/idempotency/idempotent-runner.js';
import { type Clock, ManualClock } from '../src/core/clock.js';
import { type Change, changesOf, type Commit, type CommitResult, type Store } from '../src/core/change.js';
import { type Ids, SystemIds } from '../src/core/ids.js';
import { Encryption } from '../src/core/encryption.js';
import { encode } from '../src/database/commit/encoding.js';
import {
  OBSERVED,
  paramsForOne,
  type Recognised,
  Statements,
} from '../src/database/commit/commit-statement.js';
import { type Shape } from '../src/database/commit/commit-statement-text.js';
import { type OrderRequest } from '../src/payments/order-rules.js';
import { OrderedChargeFlow } from '../src/payments/ordered-charge.flow.js';
import { ChargeFlow } from '../src/payments/charge.flow.js';
import { PaymentOperations } from '../src/payments/payment-operations.js';
import { type Answer, type Psps } from '../src/psp/contract.js';
import { stripeCapabilities } from '../src/psp/stripe/stripe.psp.js';
import { RequestStorage } from '../src/request-storage/request-storage.js';
import { paymentBody } from './payment.js';

/** What differs from one charge to the next. Everything else is the same in each. */
export const varying = ['payment', 'token', 'event', 'key', 'fingerprint', 'pspKey', 'pspReference'] as const;
export type Varying = (typeof varying)[number];

/** A parameter: null, or literal text with what varies in between. */
export type Parameter = readonly (string | { readonly varies: Varying })[] | null;

export interface ChargeStatement {
  /** The single-row text, as the service prepares it. */
  readonly text: string;
  readonly parameters: readonly Parameter[];
}

/** Commits that the real flow makes for one charge, with the shape each has. */
export interface RecordedCommit extends Recognised {
  readonly changes: readonly Change[];
  readonly shape: Shape;
}

/**
 * Times are those of tomorrow, so that a service on the same tables sees nothing in them that is due.
 */
const TOMORROW_MS = 24 * 3_600_000;
const LEASE_MS = 20_000;
const PSP_REFERENCE = 'pi_0000000000000000';
const KEY = 'bench-0000-00000000';

/** Plays the flow of a plain charge, until the store has seen enough of them to write them in narrow statements. */
export async function recordCharge(
  merchantId: string,
  order: OrderRequest | null = null,
): Promise<RecordedCommit[]> {
  const clock = new ManualClock(Date.now() + TOMORROW_MS);
  const statements = new Statements(2);
  let recorded: RecordedCommit[] = [];
  for (let charges = 0; charges < OBSERVED; charges++) {
    clock.advance(1);
    const commits = await played(merchantId, order, clock, new SystemIds(clock));
    recorded = commits.map((changes) => {
      const { statement, values, merchantId } = statements.of(changes);
      return { changes, statement, values, merchantId, shape: statement.shapeFor(values) };
    });
  }
  return recorded;
}

/** Over a store that only writes down what it is asked to commit. */
async function played(
  merchantId: string,
  order: OrderRequest | null,
  clock: Clock,
  ids: Ids,
): Promise<(readonly Change[])[]> {
  const store = new RecordingStore();
  const seal = new Encryption(Buffer.alloc(32, 7));
  const storage = new RequestStorage({
    store,
    psps: new ContentPsp(),
    clock,
    hold: () => 'none',
    leaseMs: LEASE_MS,
    deadlineMs: LEASE_MS,
  });
  const keyed = new IdempotentRunner({ store, clock, ids, seal, leaseMs: LEASE_MS, deadlineMs: LEASE_MS });
  const operations = new PaymentOperations({ store, storage, seal, clock, ids, leaseMs: LEASE_MS });
  const choose = () => ({ candidates: ['stripe'], cancelBeforeFailover: false });
  const flow = order ? new OrderedChargeFlow(operations, choose, order) : new ChargeFlow(operations, choose);
  operations.register(flow);
  const answer = await keyed.run(flow, {
    merchantId,
    key: KEY,
    actor: `api-key:${merchantId}`,
    traceId: 'req_00000000000000000000000000',
    input: parseRequest(CreatePaymentDto, paymentBody('order-1')).toValues(),
    waitMs: 0,
  });
  if (answer.status !== 201 || store.commits.length !== 2) {
    throw new Error(`a plain charge answered ${answer.status} after ${store.commits.length} commits`);
  }
  return store.commits;
}

/** The two statements of a plain charge, and which of their parameters vary. */
export async function chargeStatements(merchantId: string): Promise<ChargeStatement[]> {
  const commits = await recordCharge(merchantId);
  const places = placesOf(commits.flatMap(({ changes }) => changes));
  const pattern = new RegExp(`(${[...places.keys()].map(escaped).join('|')})`);
  return commits.map((commit) => ({
    text: commit.shape.one,
    parameters: paramsForOne(commit.shape, commit).map((text) =>
      text === null ? null : split(text, pattern, places),
    ),
  }));
}

function split(text: string, pattern: RegExp, places: ReadonlyMap<string, Varying>): Parameter {
  return text
    .split(pattern)
    .filter((piece, _, pieces) => piece !== '' || pieces.length === 1)
    .map((piece) => {
      const varies = places.get(piece);
      return varies === undefined ? piece : { varies };
    });
}

/** The recorded values of what varies. */
function placesOf(changes: readonly Change[]): Map<string, Varying> {
  const valueOf = (table: string, property: string) => {
    const found = changes.find((change) => change.op === 'insert' && change.table.name === table);
    return encode(found?.op === 'insert' ? (found.row[property] ?? null) : null) ?? missing(property);
  };
  return new Map<string, Varying>([
    [valueOf('payments', 'id'), 'payment'],
    [valueOf('idempotency_keys', 'lockToken'), 'token'],
    [valueOf('events', 'id'), 'event'],
    [valueOf('idempotency_keys', 'fingerprint'), 'fingerprint'],
    [valueOf('psp_requests', 'pspIdempotencyKey'), 'pspKey'],
    [KEY, 'key'],
    [PSP_REFERENCE, 'pspReference'],
  ]);
}

function missing(property: string): never {
  throw new Error(`a plain charge inserts no ${property}`);
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

class RecordingStore implements Store {
  readonly commits: (readonly Change[])[] = [];

  commit(commit: Commit): Promise<CommitResult> {
    this.commits.push(changesOf(commit));
    return Promise.resolve({ done: true });
  }

  find(): Promise<never[]> {
    return Promise.resolve([]);
  }

  findByPrefix(): Promise<never[]> {
    return Promise.resolve([]);
  }

  findDue(): Promise<never[]> {
    return Promise.resolve([]);
  }

  watchCommits(): never {
    throw new Error('nothing waits here');
  }
}

/** A PSP that says yes at once. */
class ContentPsp implements Psps {
  has(): boolean {
    return true;
  }

  capabilities() {
    return stripeCapabilities;
  }

  fingerprint(psp: string): string {
    return `account of ${psp}`;
  }

  mayBegin(): boolean {
    return true;
  }

  timeoutMs(): number {
    return 1_000;
  }

  call(_psp: string, _kind: string, { money }: Parameters<Psps['call']>[2]): Promise<Answer> {
    return Promise.resolve({
      outcome: 'succeeded',
      pspReference: PSP_REFERENCE,
      pspCode: 'succeeded',
      httpStatus: 200,
      money,
    });
  }
}
