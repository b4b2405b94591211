import type pg from 'pg';
import { type Clock } from '../../core/clock.js';
import {
  type Change,
  changesOf,
  type Commit,
  type CommitResult,
  DONE,
  NoneOf,
  type Refusal,
  refusedBy,
  type Store,
  type Where,
} from '../../core/change.js';
import { sqlStateOf } from '../sql-state.js';
import { isOutage, translateOutage, StoreUnavailable } from '../store-unavailable.js';
import { type CommitWatch } from '../../core/commit-watch.js';
import { type Columns, columnsOf } from './columns.js';
import { CommitListener } from './commit-listener.js';
import { encode } from './encoding.js';
import { Lane } from './lane.js';
import { LookUps } from './look-ups.js';
import { type CommitValues, paramsForMany, paramsForOne, Statements } from './commit-statement.js';
import { type Shape } from './commit-statement-text.js';
import { type Table } from '../../core/table.js';
import { inSpan, type SpanOptions } from '../../core/tracing.js';
import { TENANTS, tenants } from '../tenants.js';
import { Waker } from './waker.js';

interface PostgresStoreOptions {
  readonly url: string;
  /** For reads of all merchants, and for wake-ups after commits. */
  readonly pool: pg.Pool;
  /** For reads of one merchant: it sees nothing of others, nor anything where no merchant is named. */
  readonly tenantPool: pg.Pool;
  readonly clock: Clock;
  /** In [0, 1): spreads retries. */
  readonly random: () => number;
  /** Connections that may write, 1 to 4: one as a rule, the others while it is slow. */
  readonly lanes: number;
  readonly applicationName?: string;
}

/** At most this many commits share a statement. */
const MAX_BATCH = 128;
/** Commits that may wait; beyond it the caller gets `overloaded` at once. */
const MAX_QUEUE_LENGTH = 10_000;
/** Shapes come from code paths, a few dozen; more means that a shape holds something it should not. */
const MAX_SHAPES = 500;
/** Serialization failures and deadlocks are tried again so often. */
const MAX_TRIES = 6;

/**
 * A lane steps in once all before it have been busy for so long. Most statements end sooner: what waits
 * meanwhile goes in one statement instead of several small ones, each of which costs a round trip and a flush.
 */
const STEP_IN_MS = 20;

/** The span of each commit, though many share a statement. */
const COMMIT = {
  name: 'postgres commit',
  kind: 'client',
  onlyWithin: true,
  attributes: { 'db.system.name': 'postgresql' },
} as const satisfies SpanOptions;

interface Waiting extends CommitValues {
  /** Order of arrival: the lane that is free serves the commit that has waited longest. */
  readonly turn: number;
  /** No two commits behind one gate share a statement. */
  readonly gate: string;
  readonly resolve: (result: CommitResult) => void;
  readonly reject: (error: Error) => void;
}

interface Queue {
  readonly shape: Shape;
  readonly name: string;
  /** The channels that are notified of the rows such a commit adds. */
  readonly wakes: readonly string[];
  waiting: Waiting[];
}

/**
 * Commits written to Postgres by one lane, and by more while it is slow. A free lane takes up to 128
 * waiting commits of one shape and writes them in one statement; no commit waits for a batch to fill.
 */
export class PostgresStore implements Store {
  private readonly statements = new Statements(MAX_SHAPES);
  private readonly queues = new Map<Shape, Queue>();
  private readonly lanes: Lane[];
  private readonly inHand = new Set<Promise<void>>();
  private readonly waker: Waker;
  private readonly listener: CommitListener;
  private readonly lookUps: LookUps;
  private readonly listeners: ((changes: readonly Change[]) => void)[] = [];
  private queued = 0;
  private turns = 0;
  /** Looks again when the next lane may step in. */
  private stepIn: Promise<void> | null = null;
  private closing = false;

  constructor(private readonly options: PostgresStoreOptions) {
    this.waker = new Waker(options.pool, options.clock);
    this.listener = new CommitListener(options.pool, options.clock);
    this.lookUps = new LookUps(options.tenantPool);
    const name = options.applicationName ?? 'payonce-commit';
    this.lanes = Array.from({ length: options.lanes }, () => new Lane(options.url, name));
  }

  /** Commits that no lane has taken yet. */
  get waiting(): number {
    return this.queued;
  }

  /** `listener` is called with the changes of every commit once they are written. It must not throw. */
  onCommitted(listener: (changes: readonly Change[]) => void): void {
    this.listeners.push(listener);
  }

  async commit(commit: Commit): Promise<CommitResult> {
    const changes = changesOf(commit);
    const result = await inSpan(COMMIT, () => this.enqueue(changes));
    if (result.done) for (const listener of this.listeners) listener(changes);
    return result;
  }

  private enqueue(changes: readonly Change[]): Promise<CommitResult> {
    if (this.closing) return Promise.reject(new StoreUnavailable(new Error('the store is closing')));
    if (this.queued >= MAX_QUEUE_LENGTH)
      return Promise.reject(new StoreUnavailable(new Error('too many commits wait')));
    const { statement, values, merchantId } = this.statements.of(changes);
    const queue = this.queueFor(statement.shapeFor(values), changes);
    return new Promise((resolve, reject) => {
      const gate = gateOf(changes);
      queue.waiting.push({ values, merchantId, turn: this.turns++, gate, resolve, reject });
      this.queued += 1;
      this.pump();
    });
  }

  private queueFor(shape: Shape, changes: readonly Change[]): Queue {
    let queue = this.queues.get(shape);
    if (!queue) {
      queue = { shape, name: `commit_${this.queues.size}`, wakes: wakesOf(changes), waiting: [] };
      this.queues.set(shape, queue);
    }
    return queue;
  }

  private pump(): void {
    for (const lane of this.lanes) {
      if (lane.busySinceMs !== null) {
        const leftMs = lane.busySinceMs + STEP_IN_MS - this.options.clock.monotonicMs();
        if (leftMs <= 0) continue;
        if (this.queued > 0) this.stepIn ??= this.options.clock.sleep(leftMs).then(() => this.look());
        return;
      }
      const queue = this.next();
      if (!queue) return;
      const batch = this.take(queue);
      lane.busySinceMs = this.options.clock.monotonicMs();
      const work = this.write(lane, queue, batch).finally(() => {
        lane.busySinceMs = null;
        this.inHand.delete(work);
        this.pump();
      });
      this.inHand.add(work);
    }
  }

  private look(): void {
    this.stepIn = null;
    this.pump();
  }

  private next(): Queue | null {
    let next: Queue | null = null;
    let turn = Infinity;
    for (const queue of this.queues.values()) {
      const first = queue.waiting[0];
      if (first && first.turn < turn) [next, turn] = [queue, first.turn];
    }
    return next;
  }

  /** Takes what may share a statement, sorted by key so that two lanes lock rows in one order. */
  private take(queue: Queue): Waiting[] {
    const taken = new Map<string, Waiting>();
    const left: Waiting[] = [];
    for (const entry of queue.waiting) {
      if (taken.size < MAX_BATCH && !taken.has(entry.gate)) taken.set(entry.gate, entry);
      else left.push(entry);
    }
    queue.waiting = left;
    this.queued -= taken.size;
    return [...taken.values()].toSorted((a, b) => (a.gate < b.gate ? -1 : 1));
  }

  /** Never rejects: each commit gets its own result or error. */
  private async write(lane: Lane, queue: Queue, batch: readonly Waiting[]): Promise<void> {
    try {
      const done = await this.tryWrite(lane, queue, batch);
      for (const [i, entry] of batch.entries()) {
        entry.resolve(done.has(i) ? DONE : refusedBy({ by: 'gate' }));
      }
      if (done.size > 0 && queue.wakes.length > 0) {
        for (const channel of queue.wakes) this.waker.wake(channel);
        this.listener.wake();
      }
    } catch (error) {
      if (isOutage(error)) {
        lane.drop();
        for (const entry of batch) entry.reject(new StoreUnavailable(error));
      } else if (batch.length > 1) {
        // One of them poisons the statement. Halve until it stands alone; the others go through.
        const middle = Math.ceil(batch.length / 2);
        await this.write(lane, queue, batch.slice(0, middle));
        await this.write(lane, queue, batch.slice(middle));
      } else {
        const refusal = refusalOf(error as pg.DatabaseError);
        if (refusal) batch[0]!.resolve(refusedBy(refusal));
        else batch[0]!.reject(error as Error);
      }
    }
  }

  /** Which of the batch were written. A deadlock or serialization failure is tried again, with a bound. */
  private async tryWrite(
    lane: Lane,
    { shape, name }: Queue,
    batch: readonly Waiting[],
  ): Promise<Set<number>> {
    for (let tries = 1; ; tries++) {
      try {
        const [only] = batch;
        const done =
          batch.length === 1
            ? await lane.run(`${name}_one`, shape.one, paramsForOne(shape, only!))
            : await lane.run(`${name}_many`, shape.many, paramsForMany(shape, batch));
        return new Set(done);
      } catch (error) {
        const code = sqlStateOf(error);
        if ((code !== '40001' && code !== '40P01') || tries >= MAX_TRIES) throw error;
        await this.options.clock.sleep(this.options.random() * 5 * 2 ** tries);
      }
    }
  }

  watchCommits(): CommitWatch {
    return this.listener.watch();
  }

  async find<Row>(table: Table<Row>, where: Where<Row>, limit?: number): Promise<Row[]> {
    const key = primaryKeyIn(table, where);
    if (key) {
      const row = await this.lookUps.find(table, key);
      return row ? [row] : [];
    }
    const values: (string | null)[] = [];
    const condition = conditionOf(columnsOf(table), where, values);
    const first = limit === undefined ? '' : ` LIMIT ${limit}`;
    return this.select(table, where, `WHERE ${condition} ORDER BY ${primaryOf(table)}${first}`, values);
  }

  async findByPrefix<Row>(
    table: Table<Row>,
    where: Where<Row>,
    column: keyof Row & string,
    prefix: string,
  ): Promise<Row[]> {
    const values: (string | null)[] = [];
    const condition = conditionOf(columnsOf(table), where, values);
    const { name } = columnsOf(table).get(column)!;
    // A half-open range on the primary key: the last character, raised by one, bounds the prefix.
    const last = prefix.charCodeAt(prefix.length - 1);
    values.push(prefix, prefix.slice(0, -1) + String.fromCharCode(last + 1));
    const range = `${name} >= $${values.length - 1} AND ${name} < $${values.length}`;
    return this.select(table, where, `WHERE ${condition} AND ${range} ORDER BY ${primaryOf(table)}`, values);
  }

  async findDue<Row>(
    table: Table<Row>,
    where: Where<Row>,
    column: keyof Row & string,
    before: Date | 'now',
    limit: number,
  ): Promise<Row[]> {
    const values: (string | null)[] = [];
    const condition = conditionOf(columnsOf(table), where, values);
    const { name } = columnsOf(table).get(column)!;
    if (before !== 'now') values.push(before.toISOString());
    const bound = before === 'now' ? 'statement_timestamp()' : `$${values.length}`;
    return this.select(
      table,
      where,
      `WHERE ${condition} AND ${name} < ${bound} ORDER BY ${name} LIMIT ${limit}`,
      values,
    );
  }

  private async select<Row>(
    table: Table<Row>,
    where: Where<Row>,
    rest: string,
    values: (string | null)[],
  ): Promise<Row[]> {
    const pool = merchantOf(where) === null ? this.options.pool : this.options.tenantPool;
    const columns = Array.from(columnsOf(table), ([property, { name }]) => `${name} AS "${property}"`);
    const query = pool.query(`SELECT ${columns.join(', ')} FROM ${table.name} ${rest}`, values);
    const { rows } = await translateOutage(query);
    return rows as Row[];
  }

  onApplicationShutdown(): Promise<void> {
    return this.close();
  }

  /** Lets the commits in hand end, then closes the lanes. What comes later is refused. */
  async close(): Promise<void> {
    this.closing = true;
    while (this.inHand.size > 0) await Promise.all(this.inHand);
    await Promise.all(this.lanes.map((lane) => lane.close()));
    await this.waker.close();
    this.listener.close();
  }
}

function wakesOf(changes: readonly Change[]): string[] {
  const added = changes.filter(({ op }) => op === 'insert');
  return [...new Set(added.flatMap(({ table }) => table.wakes ?? []))];
}

function gateOf([gate]: readonly Change[]): string {
  const values = gate!.op === 'insert' ? gate!.row : gate!.key;
  let key = gate!.table.name;
  for (const property of gate!.table.primary) key += `\u0000${encode(values[property] ?? null)}`;
  return key;
}

function primaryOf(table: Table): string {
  const columns = columnsOf(table);
  return table.primary.map((property) => columns.get(property)!.name).join(', ');
}

/** The values of the primary key, if they are all that is asked for, and a merchant is the first of them; else null. */
function primaryKeyIn<Row>({ primary }: Table<Row>, where: Where<Row>): readonly string[] | null {
  const asked = where as Readonly<Record<string, unknown>>;
  if (primary[0] !== 'merchantId' || Object.keys(asked).length !== primary.length) return null;
  const values = primary.map((property) => asked[property]);
  return values.every((value) => typeof value === 'string') ? values : null;
}

/** The merchant whose rows are read; null: the rows of all merchants. */
function merchantOf<Row>(where: Where<Row>): string | null {
  const { merchantId } = where as { readonly merchantId?: unknown };
  return typeof merchantId === 'string' ? merchantId : null;
}

/** Rows of one merchant are read as that merchant may see them. */
function conditionOf<Row>(columns: Columns, where: Where<Row>, values: (string | null)[]): string {
  const merchantId = merchantOf(where);
  const scope = merchantId
    ? [`(SELECT set_config('${TENANTS}', $${values.push(tenants([merchantId]))}, true)) IS NOT NULL`]
    : [];
  const conditions = Object.entries(where).map(([property, value]) => {
    const { name } = columns.get(property)!;
    if (value === null) return `${name} IS NULL`;
    if (value instanceof NoneOf) {
      const places = value.values.map((each) => `$${values.push(each)}`);
      return places.length === 0 ? `${name} IS NOT NULL` : `${name} NOT IN (${places.join(', ')})`;
    }
    values.push(encode(value as string));
    return `${name} = $${values.length}`;
  });
  return [...scope, ...conditions].join(' AND ') || 'true';
}

function refusalOf(error: pg.DatabaseError): Refusal | null {
  const rule = error.constraint ?? 'unnamed';
  switch (error.code) {
    case 'P0C01':
      return { by: 'guard' };
    case '23505':
      return { by: 'unique', rule };
    case '23503':
      return { by: 'reference', rule };
    case '23514':
      return { by: 'check', rule };
    default:
      return null;
  }
}
