import { type Change, FromNow, type Value } from '../../core/change.js';
import { tenants } from '../tenants.js';
import { type Column, type ColumnType } from './columns.js';
import { encode, encodeArray } from './encoding.js';
import { type ChangeShape, planOf, type Shape, shapeOf } from './commit-statement-text.js';

const LEASE = 'bigint' satisfies ColumnType;

/** The shape that commits of the same code share, and their values in one order. */
export interface Recognised {
  readonly statement: Statement;
  readonly values: readonly Value[];
  /** The merchant whose rows the commit writes: that of the gate, and no other. */
  readonly merchantId: string;
}

/** Tells commits apart by their tables, columns and guards; walked for every commit, so it builds no text. */
class Step {
  statement: Statement | null = null;
  private readonly next = new Map<unknown, Step>();
  private readonly nextLease = new Map<string, Step>();
  private readonly nextNull = new Map<string, Step>();

  to(mark: unknown): Step {
    return child(this.next, mark);
  }

  /** `values` takes the value where the statement needs it. */
  field(property: string, value: Value, values: Value[]): Step {
    values.push(value);
    return child(value instanceof FromNow ? this.nextLease : this.next, property);
  }

  guard(property: string, value: Value, values: Value[]): Step {
    return value === null ? child(this.nextNull, property) : this.field(property, value, values);
  }
}

function child<Key>(steps: Map<Key, Step>, key: Key): Step {
  let step = steps.get(key);
  if (!step) steps.set(key, (step = new Step()));
  return step;
}

/** All statements of a store. */
export class Statements {
  private readonly root = new Step();
  private count = 0;

  /** `most`: so many kinds of commit come from code paths; more is a mistake. */
  constructor(private readonly most: number) {}

  of(changes: readonly Change[]): Recognised {
    const values: Value[] = [];
    let step = this.root;
    for (const change of changes) {
      step = step.to(change.table).to(change.op);
      if (change.op === 'insert') {
        for (const property in change.row) step = step.field(property, change.row[property] ?? null, values);
      } else {
        for (const property in change.set) step = step.field(property, change.set[property] ?? null, values);
        step = step.to(KEY);
        for (const property in change.key) step = step.field(property, change.key[property] ?? null, values);
        step = step.to(GUARD);
        for (const property in change.guard)
          step = step.guard(property, change.guard[property] ?? null, values);
        if (change.lapsed) step = step.to(LAPSED).to(change.lapsed);
      }
      step = step.to(END);
    }
    if (!step.statement) {
      if (this.count >= this.most) throw new RangeError(`more than ${this.most} shapes of commit`);
      step.statement = new Statement(changes);
      this.count += 1;
    }
    return { statement: step.statement, values, merchantId: step.statement.merchantOf(values) };
  }
}

const [KEY, GUARD, LAPSED, END] = [Symbol('key'), Symbol('guard'), Symbol('lapsed'), Symbol('end')];

/** The column by which a row is a merchant's. */
const MERCHANT = 'merchant_id';

/** So many commits are looked at before a statement is made narrow. */
export const OBSERVED = 16;
/** So often a narrow statement is widened; what varies more goes as it is. */
const MAX_WIDENED = 8;
/** Words of the lifecycles, names of operations; never what would have to be escaped. */
const WORD = /^[a-z_.]{1,32}$/;

/**
 * The SQL of commits with the same tables, columns and guards. Most of what such commits carry repeats: the
 * merchant, the payment and the time are in nearly every row, and states and nulls are the same each time.
 * After a few commits the statement sends each value once, and writes what never varied into its text. Each commit
 * is compared with that; one that does not fit widens the statement, a bounded number of times.
 */
export class Statement {
  /** Every value is a parameter of its own. */
  readonly plain: Shape;
  private readonly slots: readonly ColumnType[];
  private readonly plan: readonly ChangeShape[];
  /** Slots by which rows are found: a constant there may lead the planner to another index. */
  private readonly sought: ReadonlySet<number>;
  /** Slots that hold a merchant, the gate's first. */
  private readonly merchants: readonly number[];
  private shape: Shape;
  private seen = 0;
  private widened = 0;
  /** For each slot the first one that had the same value in every commit. */
  private leaders: number[] = [];
  /** Slots whose word, small number or null was the same in every commit; undefined: it varies. */
  private constants: (Value | undefined)[] = [];

  constructor(changes: readonly Change[]) {
    check(changes);
    const slots: ColumnType[] = [];
    const slot = (column: Column, isLease: boolean) => slots.push(isLease ? LEASE : column.type) - 1;
    this.plan = changes.map((change) => planOf(change, slot));
    this.slots = slots;
    const finding = this.plan.filter(({ op }, index) => op === 'update' || index === 0);
    this.sought = new Set(finding.flatMap(({ key, guard }) => [...key, ...guard].map((each) => each.slot)));
    this.merchants = this.plan.flatMap(({ op, key, values }) =>
      [...(op === 'insert' ? values : key)]
        .filter(({ column }) => column === MERCHANT)
        .map(({ slot }) => slot),
    );
    this.plain = this.shape = shapeOf(this.plan, slots, [...slots.keys()], []);
  }

  /** The one merchant of a commit with these values. @throws TypeError where it has two: a mistake of ours */
  merchantOf(values: readonly Value[]): string {
    const [first, ...others] = this.merchants;
    if (first === undefined) return '';
    const merchant = values[first] as string;
    if (others.some((slot) => values[slot] !== merchant)) {
      throw new TypeError(
        `a commit of two merchants: ${this.plan.map(({ table }) => table.name).join(', ')}`,
      );
    }
    return merchant;
  }

  /** The shape that a commit with these values is written in. */
  shapeFor(values: readonly Value[]): Shape {
    if (this.widened > MAX_WIDENED) return this.plain;
    const isLearning = this.seen < OBSERVED;
    if (!isLearning && this.fits(values)) return this.shape;
    this.learn(values);
    if (isLearning) {
      this.seen += 1;
      if (this.seen < OBSERVED) return this.plain;
    } else if (++this.widened > MAX_WIDENED) return this.plain;
    return (this.shape = shapeOf(this.plan, this.slots, this.leaders, this.constants));
  }

  private fits(values: readonly Value[]): boolean {
    const { leaders, constants } = this;
    for (let slot = 0; slot < values.length; slot++) {
      const constant = constants[slot];
      if (constant === undefined) {
        const leader = leaders[slot]!;
        if (leader !== slot && !same(values[slot]!, values[leader]!)) return false;
      } else if (values[slot] !== constant) return false;
    }
    return true;
  }

  /** Forgets what does not hold for these values too. */
  private learn(values: readonly Value[]): void {
    const isFirst = this.leaders.length === 0;
    const before = this.leaders;
    this.constants = values.map((value, slot) => {
      const constant = isFirst ? constantOf(value, this.slots[slot]!) : this.constants[slot];
      return constant === value && !this.sought.has(slot) ? constant : undefined;
    });
    this.leaders = values.map((value, slot) => {
      if (this.constants[slot] !== undefined) return slot;
      for (let other = 0; other < slot; other++) {
        if (this.constants[other] !== undefined || this.slots[other] !== this.slots[slot]) continue;
        if ((isFirst || before[other] === before[slot]) && same(value, values[other]!)) return other;
      }
      return slot;
    });
  }
}

/** The value, if it may be written into the text of a statement. */
function constantOf(value: Value, type: ColumnType): Value | undefined {
  if (value === null || typeof value === 'boolean') return value;
  if (type === 'text') return typeof value === 'string' && WORD.test(value) ? value : undefined;
  if (type === 'smallint' || value === 0) return value;
  return undefined;
}

function same(a: Value, b: Value): boolean {
  if (a === b) return true;
  return a instanceof Date && b instanceof Date && a.getTime() === b.getTime();
}

/** The parameters of a commit for its statement. */
export type CommitValues = Pick<Recognised, 'values' | 'merchantId'>;

/** Parameters of the single-row text. */
export function paramsForOne(shape: Shape, { values, merchantId }: CommitValues): (string | null)[] {
  return [...shape.parameters.map(({ slot }) => encode(values[slot]!)), tenants([merchantId])];
}

/** Parameters of the multi-row text: an array for each. */
export function paramsForMany(shape: Shape, commits: readonly CommitValues[]): string[] {
  const rows = commits.map(({ values }) => values);
  const merchants = new Set(commits.map(({ merchantId }) => merchantId));
  return [...shape.parameters.map(({ slot, type }) => encodeArray(rows, slot, type)), tenants(merchants)];
}

/** Mistakes of ours, not of a client: said loudly the first time a shape is seen. */
function check(changes: readonly Change[]): void {
  const touched = new Set<string>();
  for (const change of changes) {
    if (change.op === 'insert') continue;
    const name = `${change.table.name} ${JSON.stringify(change.key)}`;
    if (touched.has(name)) throw new TypeError(`a commit changes a row twice: ${name}`);
    touched.add(name);
    if (Object.keys(change.set).length === 0) throw new TypeError(`a change that changes nothing: ${name}`);
  }
}
