import { isDeepStrictEqual } from 'node:util';
import { APPLY_DELAYS_MS } from '../../src/notifications/apply-schedule.js';
import { eventually } from '../support/test-environment.js';
import { charge, connect, IncomingEnvironment } from './notifications-environment.js';

const DAY_MS = 24 * 3_600_000;

describe('what becomes of a notification', () => {
  let environment: IncomingEnvironment;
  beforeAll(async () => (environment = await IncomingEnvironment.open()));
  beforeEach(() => environment.clear());
  afterAll(() => environment.close());

  it('is applied: its facts are taken under a name that leads back to it', async () => {
    environment.taker.words.set('payment-1-charge', 'applied');
    await environment.receive([charge(1, { occurred_at: '2026-11-21T11:59:58Z' })]);
    expect(await environment.row('evt-1')).toMatchObject({
      state: 'received',
      next_at: environment.clock.now(),
      entity_key: 'payment-1-charge',
      occurred_at: new Date('2026-11-21T11:59:58Z'),
    });
    expect(await environment.work()).toBe(1);
    const row = await environment.row('evt-1');
    expect(row).toMatchObject({
      state: 'applied',
      reason: null,
      tries: 1,
      taken: ['applied'],
      next_at: null,
      decided_at: environment.clock.now(),
    });
    expect(environment.taker.taken).toEqual([
      { psp: 'north', operation: 'payment-1-charge', outcome: 'succeeded', traceId: row.trace_id },
    ]);
    expect(await environment.work()).toBe(0);
    await environment.run('evt-1');
    expect(environment.taker.taken).toHaveLength(1);
  });

  it('is ignored and counted where it says nothing of an operation', async () => {
    await environment.receive([{ id: 'evt-1', type: 'weather.changed' }]);
    await environment.work();
    expect(await environment.row('evt-1')).toMatchObject({
      state: 'ignored',
      type: 'weather.changed',
      next_at: null,
    });
    expect(await environment.metric('payonce_webhook_items_total')).toEqual([
      'payonce_webhook_items_total{psp="north",type="other",result="stored"} 1',
    ]);
    expect(await environment.metric('payonce_webhook_decisions_total')).toEqual([
      'payonce_webhook_decisions_total{psp="north",state="ignored",reason="none"} 1',
    ]);
  });

  it('waits for an operation that is not known yet, and is applied when it is', async () => {
    await environment.receive([charge(1)]);
    await environment.work();
    const waiting = await environment.row('evt-1');
    expect(waiting).toMatchObject({ state: 'received', tries: 1, taken: ['unknown'], decided_at: null });
    const waitMs = waiting.next_at!.getTime() - environment.clock.now().getTime();
    expect(waitMs).toBeGreaterThanOrEqual(0);
    expect(waitMs).toBeLessThan(APPLY_DELAYS_MS[0]!);
    // Its next try is staged with it, as another job than the one that is in hand.
    const [first, second] = await environment.jobs();
    expect(second).toMatchObject({
      kind: 'webhook.apply',
      args: { psp: 'north', eventId: 'evt-1', tries: 1 },
      not_before: waiting.next_at,
    });
    expect(second!.job_id).not.toBe(first!.job_id);
    environment.taker.words.set('payment-1-charge', 'recorded');
    environment.clock.advance(APPLY_DELAYS_MS[0]!);
    await environment.work();
    expect(await environment.row('evt-1')).toMatchObject({ state: 'applied', tries: 2, taken: ['recorded'] });
  });

  it('is a break when the operation stays unknown to the end', async () => {
    await environment.receive([charge(1)]);
    for (const [tries, longestMs] of APPLY_DELAYS_MS.entries()) {
      expect(await environment.work()).toBe(1);
      const { next_at: nextAt, ...row } = await environment.row('evt-1');
      expect(row).toMatchObject({ state: 'received', tries: tries + 1 });
      expect(nextAt!.getTime() - environment.clock.now().getTime()).toBeLessThan(longestMs);
      environment.clock.advance(longestMs);
    }
    await environment.work();
    expect(await environment.row('evt-1')).toMatchObject({
      state: 'break',
      reason: 'operation_unknown',
      tries: APPLY_DELAYS_MS.length + 1,
      next_at: null,
    });
    expect(await environment.work()).toBe(0);
  });

  it('is not looked at before its time', async () => {
    await environment.receive([charge(1)]);
    await environment.pool.query(`UPDATE webhook_inbox SET next_at = $1`, [
      new Date(environment.clock.now().getTime() + 60_000),
    ]);
    expect(await environment.incoming.kind.due(10)).toEqual([]);
    await environment.run('evt-1');
    expect(environment.taker.taken).toEqual([]);
    expect(await environment.row('evt-1')).toMatchObject({ tries: 0, state: 'received' });
  });

  it('is a break at once where it contradicts our books; its other facts are taken all the same', async () => {
    environment.taker.words.set('payment-1-charge', 'contradiction').set('payment-2-charge', 'applied');
    const about = ['payment-1-charge', 'payment-2-charge', 'payment-3-charge'].map((operation) => ({
      operation,
      outcome: 'declined' as const,
    }));
    await environment.receive([charge(1, { about })]);
    await environment.work();
    const broken = await environment.row('evt-1');
    expect(broken).toMatchObject({
      state: 'break',
      reason: 'contradiction',
      taken: ['contradiction', 'applied', 'unknown'],
    });
    expect(environment.taker.operations).toEqual([
      'payment-1-charge',
      'payment-2-charge',
      'payment-3-charge',
    ]);
    // Nothing that comes later makes it anything else.
    environment.taker.words.set('payment-1-charge', 'known');
    await environment.receive([charge(1, { about })]);
    await environment.run('evt-1');
    expect(await environment.row('evt-1')).toEqual(broken);
    expect(await environment.jobs()).toHaveLength(1);
  });

  it('takes no fact again that an earlier try has taken', async () => {
    environment.taker.words.set('payment-1-charge', 'applied');
    const about = ['payment-1-charge', 'payment-2-charge'].map((operation) => ({
      operation,
      outcome: 'succeeded' as const,
    }));
    await environment.receive([charge(1, { about })]);
    await environment.work();
    environment.taker.words.set('payment-1-charge', 'contradiction').set('payment-2-charge', 'applied');
    environment.clock.advance(APPLY_DELAYS_MS[0]!);
    await environment.work();
    expect(environment.taker.operations).toEqual([
      'payment-1-charge',
      'payment-2-charge',
      'payment-2-charge',
    ]);
    expect(await environment.row('evt-1')).toMatchObject({ state: 'applied', taken: ['applied', 'applied'] });
  });

  it('comes right out of order: a refund before its charge is known', async () => {
    let charged = false;
    environment.taker.words.set('payment-1-charge', () => Promise.resolve(((charged = true), 'applied')));
    environment.taker.words.set('payment-1-refund', () => Promise.resolve(charged ? 'applied' : 'unknown'));
    await environment.receive([
      charge(2, { type: 'refund.done', about: [{ operation: 'payment-1-refund', outcome: 'succeeded' }] }),
    ]);
    await environment.work();
    expect(await environment.row('evt-2')).toMatchObject({ state: 'received' });
    await environment.receive([charge(1)]);
    await environment.run('evt-1');
    environment.clock.advance(APPLY_DELAYS_MS[0]!);
    await environment.work();
    expect((await environment.rows()).map(({ state }) => state)).toEqual(['applied', 'applied']);
  });

  it('is decided once by runs at once, in two processes', async () => {
    const other = await connect(environment.fresh.url);
    try {
      const kinds = [environment.incoming.kind, environment.another(other.pool).kind];
      // Each run has read the row before any of them writes.
      let arrived = 0;
      let all = (): void => {};
      const everybody = new Promise<void>((resolve) => (all = resolve));
      environment.taker.words.set('payment-1-charge', async () => {
        if ((arrived += 1) === 6) all();
        await everybody;
        return 'unknown';
      });
      await environment.receive([charge(1)]);
      const args = { psp: 'north', eventId: 'evt-1', tries: 0 };
      await Promise.all([0, 1, 0, 1, 0, 1].map((n) => kinds[n]!.run(args, environment.never)));
      expect(arrived).toBe(6);
      expect(await environment.row('evt-1')).toMatchObject({
        state: 'received',
        tries: 1,
        taken: ['unknown'],
      });
      // One job from its arrival, and one for the next try.
      expect((await environment.jobs()).map(({ args: { tries } }) => tries)).toEqual([0, 1]);
    } finally {
      await other.close();
    }
  });

  it('that fails below is left as it was, and holds nothing else up', async () => {
    environment.taker.words.set('payment-1-charge', () => Promise.reject(new Error('the store is away')));
    environment.taker.words.set('payment-2-charge', 'applied').set('payment-3-charge', 'applied');
    const about = ['payment-1-charge', 'payment-3-charge'].map((operation) => ({
      operation,
      outcome: 'succeeded' as const,
    }));
    await environment.receive([charge(1, { about }), charge(2)]);
    await expect(environment.run('evt-1')).rejects.toThrow('the store is away');
    expect(await environment.row('evt-1')).toMatchObject({ state: 'received', tries: 0, taken: [] });
    // The other fact of the same notification was given on too.
    expect(environment.taker.operations).toEqual(['payment-1-charge', 'payment-3-charge']);
    await environment.run('evt-2');
    expect(await environment.row('evt-2')).toMatchObject({ state: 'applied' });
    expect(await environment.incoming.kind.due(10)).toEqual([{ psp: 'north', eventId: 'evt-1', tries: 0 }]);
    environment.taker.words.set('payment-1-charge', 'known');
    await environment.run('evt-1');
    expect(await environment.row('evt-1')).toMatchObject({ state: 'applied', taken: ['known', 'applied'] });
  });

  it('is left alone by a process that is stopping, and by a job whose row is gone', async () => {
    await environment.receive([charge(1)]);
    const stopping = AbortSignal.abort(new Error('stopping'));
    const args = { psp: 'north', eventId: 'evt-1', tries: 0 };
    await expect(environment.incoming.kind.run(args, stopping)).rejects.toThrow('stopping');
    expect(environment.taker.taken).toEqual([]);
    await environment.run('evt-of-yore');
    expect(await environment.row('evt-1')).toMatchObject({ state: 'received', tries: 0 });
  });

  it('is found due the longest waiting first, with a bound', async () => {
    for (const n of [1, 2, 3]) {
      await environment.receive([charge(n)]);
      environment.clock.advance(1_000);
    }
    expect((await environment.incoming.kind.due(2)).map(({ eventId }) => eventId)).toEqual([
      'evt-1',
      'evt-2',
    ]);
  });

  it('has a job by a name that any queue takes, whatever the PSP calls its events', async () => {
    const { kind } = environment.incoming;
    const wild = `:/ \u{1F642}${'x'.repeat(190)}`;
    const psp = 'p'.repeat(40);
    for (const eventId of ['evt-1', wild]) {
      expect(kind.idOf({ psp, eventId, tries: 7 })).toMatch(/^[A-Za-z0-9._-]{1,160}$/);
    }
    const named = [
      { psp: 'a', eventId: 'b', tries: 0 },
      { psp: 'a', eventId: 'b', tries: 1 },
      { psp: 'a', eventId: 'c', tries: 0 },
      { psp: 'b', eventId: 'b', tries: 0 },
    ];
    expect(new Set(named.map((args) => kind.idOf(args))).size).toBe(4);
  });

  it('is forgotten 30 days after it was decided, unless it is a break', async () => {
    environment.taker.words.set('payment-1-charge', 'applied').set('payment-2-charge', 'contradiction');
    await environment.receive([charge(1), charge(2), { id: 'evt-3', type: 'weather.changed' }]);
    await environment.work();
    environment.clock.advance(30 * DAY_MS);
    await environment.receive([charge(4)]);
    const { task } = environment.incoming;
    expect(await task.runOnce()).toEqual({ deleted: 0 });
    environment.clock.advance(1);
    expect(await task.runOnce()).toEqual({ deleted: 2 });
    expect((await environment.rows()).map(({ event_id: id }) => id)).toEqual(['evt-2', 'evt-4']);
  });

  it.each([
    ['a break that becomes something else', `UPDATE webhook_inbox SET state = 'applied', reason = NULL`],
    ['a break that is deleted', 'DELETE FROM webhook_inbox'],
    ['a break without a reason', 'UPDATE webhook_inbox SET reason = NULL'],
    ['a break that is due again', 'UPDATE webhook_inbox SET next_at = now()'],
    ['facts that are changed', `UPDATE webhook_inbox SET facts = '[]'`],
    ['half a resolution', 'UPDATE reconciliation_breaks SET closed_at = now()'],
  ])('is held by the database: %s is refused', async (_, statement) => {
    environment.taker.words.set('payment-1-charge', 'contradiction');
    await environment.receive([charge(1)]);
    await environment.work();
    await expect(environment.pool.query(statement)).rejects.toMatchObject({ code: '23514' });
  });

  it.each([
    ['one that is undecided and due never', 'UPDATE webhook_inbox SET next_at = NULL'],
    ['one that is undecided and deleted', 'DELETE FROM webhook_inbox'],
    ['one that is decided without a time', `UPDATE webhook_inbox SET state = 'applied', next_at = NULL`],
    [
      'a break that nothing found',
      `INSERT INTO reconciliation_breaks (psp, id, category, subject, occurred_at, opened_at)
       VALUES ('north', gen_random_uuid(), 'contradiction', 'x', now(), now())`,
    ],
  ])('is held by the database: %s is refused', async (_, statement) => {
    await environment.receive([charge(1)]);
    await expect(environment.pool.query(statement)).rejects.toMatchObject({ code: '23514' });
  });
});

describe('breaks, for people', () => {
  const first = { psp: 'north', eventId: 'evt-1' };
  let environment: IncomingEnvironment;
  beforeAll(async () => (environment = await IncomingEnvironment.open()));
  beforeEach(async () => {
    await environment.clear();
    environment.taker.words.set('payment-1-charge', 'contradiction').set('payment-2-charge', 'contradiction');
    await environment.receive([charge(1)]);
    await environment.work();
    environment.clock.advance(60_000);
    await environment.receive([charge(2)], 'south');
    await environment.work();
  });
  afterAll(() => environment.close());

  it('are listed, the oldest first, and counted with the age of the oldest', async () => {
    environment.clock.advance(30_000);
    expect(
      (await environment.breaks.list()).map(({ psp, notification, category, entityKey }) => [
        psp,
        notification?.eventId,
        category,
        entityKey,
        notification?.taken,
      ]),
    ).toEqual([
      ['north', 'evt-1', 'contradiction', 'payment-1-charge', ['contradiction']],
      ['south', 'evt-2', 'contradiction', 'payment-2-charge', ['contradiction']],
    ]);
    // A figure may be shown for 3 s after it was looked up.
    const figures = [
      'payonce_breaks{reason="operation_unknown"} 0',
      'payonce_breaks{reason="contradiction"} 2',
      'payonce_breaks_oldest_seconds 90',
    ];
    await eventually(
      async () => isDeepStrictEqual(await environment.metric('payonce_breaks'), figures),
      figures.join(', '),
    );
  });

  it('are resolved once, with a note and a record of who did it', async () => {
    const at = environment.clock.now();
    const by = { actor: 'cli', auditId: '01900000-0000-7000-8000-00000000000a', at };
    const resolved = await environment.breaks.close(first, ' Refunded by hand at the PSP. ', by);
    expect(resolved).toMatchObject({ closedBy: 'cli', resolution: 'Refunded by hand at the PSP.' });
    expect((await environment.breaks.list()).map(({ notification }) => notification?.eventId)).toEqual([
      'evt-2',
    ]);
    const audited = await environment.pool.query<object>('SELECT * FROM audit_records');
    expect(audited.rows).toEqual([
      {
        merchant_id: '00000000-0000-0000-0000-000000000000',
        id: by.auditId,
        at: environment.clock.now(),
        actor: 'cli',
        action: 'break.resolved',
        subject: 'payment-1-charge',
        detail: {
          psp: 'north',
          break_id: resolved.id,
          event_id: 'evt-1',
          reason: 'contradiction',
          note: 'Refunded by hand at the PSP.',
        },
      },
    ]);
    await expect(environment.breaks.close(first, 'Again.', by)).rejects.toMatchObject({
      code: 'not_found',
    });
    // …and is kept, however old.
    environment.clock.advance(400 * DAY_MS);
    await environment.incoming.task.runOnce();
    expect(await environment.row('evt-1')).toMatchObject({ state: 'break' });
  });

  it.each(['', '   ', 'n'.repeat(501), 'a\0b'])('take no note like %j', async (note) => {
    const by = {
      actor: 'cli',
      auditId: '01900000-0000-7000-8000-00000000000b',
      at: environment.clock.now(),
    };
    await expect(environment.breaks.close(first, note, by)).rejects.toMatchObject({
      code: 'validation_failed',
    });
    expect(await environment.breaks.list()).toHaveLength(2);
  });
});
