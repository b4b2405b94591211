import '../../src/entities.js';
import { type Change, type Insert, insert, update } from '../../src/core/change.js';
import { idempotencyKeys } from '../../src/idempotency/idempotency-key.table.js';
import { OBSERVED, Statements } from '../../src/database/commit/commit-statement.js';
import { type Shape } from '../../src/database/commit/commit-statement-text.js';
import { paymentTransitions } from '../../src/payments/payment.table.js';

const [merchantId, token] = ['01900000-0000-7000-8000-000000000001', '01900000-0000-7000-8000-00000000000a'];
const at = new Date(Date.UTC(2026, 0, 1));

interface Varied {
  readonly actor?: string;
  readonly fromStatus?: 'processing' | null;
  readonly event?: 'captured' | 'failed';
  readonly at?: Date;
}

/** A row of history behind the gate of a key; what is not named is the same each time. */
function commit(n: number, varied: Varied = {}): Change[] {
  const paymentId = `01900000-0000-7000-8000-${String(n).padStart(12, '0')}`;
  const createdAt = new Date(at.getTime() + n);
  return [
    update(
      idempotencyKeys,
      { merchantId, key: `key-${n}` },
      { subjectId: paymentId, finishedAt: createdAt },
      { lockToken: token },
    ),
    insert(paymentTransitions, {
      merchantId,
      paymentId,
      version: 2,
      event: varied.event ?? 'captured',
      fromStatus: varied.fromStatus === undefined ? 'processing' : varied.fromStatus,
      toStatus: 'captured',
      actor: varied.actor ?? 'api_key',
      entityKey: `payment-${paymentId}-charge`,
      at: varied.at ?? createdAt,
    }),
  ];
}

function shapeOf(statements: Statements, changes: readonly Change[]): Shape {
  const { statement, values } = statements.of(changes);
  return statement.shapeFor(values);
}

function learnt(): Statements {
  const statements = new Statements(1);
  for (let n = 1; n <= OBSERVED; n++) shapeOf(statements, commit(n));
  return statements;
}

describe('the statement of commits of one kind', () => {
  it('sends every value at first, and after some commits each once and no word that never varied', () => {
    const statements = new Statements(1);
    expect(shapeOf(statements, commit(1)).parameters).toHaveLength(14);
    for (let n = 2; n <= OBSERVED; n++) shapeOf(statements, commit(n));
    const narrow = shapeOf(statements, commit(99));
    // The payment, the time, the merchant, the key, its lock, the version and the entity key.
    expect(narrow.parameters).toHaveLength(7);
    expect(narrow.many).toContain("'captured'::text");
    // Not where a row is found.
    expect(narrow.many).toContain('t.lock_token = input.v');
  });

  it.each<[string, Varied]>([
    ['a word that differs', { event: 'failed' }],
    ['a null where there was none', { fromStatus: null }],
    ['a value of its own where one was repeated', { at: new Date(0) }],
    ['what must not stand in a text', { actor: "o'brien" }],
  ])('is widened by %s, once', (_, varied) => {
    const statements = learnt();
    const narrow = shapeOf(statements, commit(50));
    const wider = shapeOf(statements, commit(51, varied));
    expect(wider.parameters).toHaveLength(8);
    expect(wider.many).not.toContain('brien');
    expect(shapeOf(statements, commit(52))).toBe(wider);
    expect(wider).not.toBe(narrow);
  });

  it('never takes a word for constant that was another once', () => {
    const statements = new Statements(1);
    for (let n = 1; n <= OBSERVED * 2; n++) {
      shapeOf(statements, commit(n, { event: n === 3 ? 'failed' : 'captured' }));
    }
    expect(shapeOf(statements, commit(99)).parameters).toHaveLength(8);
  });
});

describe('statements', () => {
  it('say whose rows a commit writes, and refuse one of two merchants', () => {
    const statements = new Statements(2);
    expect(statements.of(commit(1)).merchantId).toBe(merchantId);
    const [gate, history] = commit(2) as [Change, Insert];
    const stray = { ...history, row: { ...history.row, merchantId: token } };
    expect(() => statements.of([gate, stray])).toThrow('a commit of two merchants');
  });

  it('are bounded in number', () => {
    const statements = learnt();
    expect(() => statements.of(commit(1).slice(0, 1))).toThrow('more than 1 shapes of commit');
  });

  it('are told apart by leases and by guards that are null', () => {
    const statements = new Statements(3);
    const key = { merchantId, key: 'k' };
    const set = { subjectId: null };
    const kinds = [
      statements.of([update(idempotencyKeys, key, set, { lockToken: token })]),
      statements.of([update(idempotencyKeys, key, set, { lockToken: null })]),
      statements.of([update(idempotencyKeys, key, set, { lockToken: token }, 'resumableAt')]),
    ];
    expect(new Set(kinds.map(({ statement }) => statement)).size).toBe(3);
    expect(() => statements.of([insert(idempotencyKeys, {} as never)])).toThrow(RangeError);
  });
});
