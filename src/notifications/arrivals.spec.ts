import { StoreUnavailable } from '../database/store-unavailable.js';
import { type JobKind } from '../jobs/job-kind.js';
import { Arrivals } from './arrivals.js';
import { type ApplyArgs, type Arrived } from './inbox.js';

const kind: JobKind<ApplyArgs> = {
  name: 'webhook.apply',
  retryPolicy: 'default',
  idOf: ({ eventId }) => eventId,
  run: () => Promise.resolve(),
  due: () => Promise.resolve([]),
};
const notice = (eventId: string) => ({ eventId, type: 't', occurredAt: null, facts: [] });

/** A store whose statements end on a signal; an item that is stored is not new again. */
class HeldInbox {
  readonly statements: string[][] = [];
  readonly held: (() => void)[] = [];
  private readonly known = new Set<string>();
  poison: (names: readonly string[]) => Error | null = () => null;

  async store<Given extends Arrived>(arrived: readonly Given[]): Promise<ReadonlySet<Given>> {
    const names = arrived.map(({ psp, eventId }) => `${psp}:${eventId}`);
    this.statements.push(names);
    await new Promise<void>((resolve) => this.held.push(resolve));
    const error = this.poison(names);
    if (error) throw error;
    const fresh = arrived.filter((_, index) => !this.known.has(names[index]!));
    for (const name of names) this.known.add(name);
    return new Set(fresh);
  }

  /** Lets statements end, those among them that begin meanwhile. */
  async release(): Promise<void> {
    for (let turn = 0; turn < 200; turn++) {
      for (const end of this.held.splice(0)) end();
      await Promise.resolve();
    }
  }
}

describe('bodies that arrive together', () => {
  it('share a statement while two are under way, and each is told what of it is new', async () => {
    const inbox = new HeldInbox();
    const arrivals = new Arrivals(inbox, kind);
    const stored = ['a', 'b', 'c', 'c', 'd'].map((id, n) =>
      arrivals.store(n === 4 ? 'south' : 'north', [notice(id), notice(`${id}2`)]),
    );
    expect(inbox.statements).toEqual([
      ['north:a', 'north:a2'],
      ['north:b', 'north:b2'],
    ]);
    await inbox.release();
    expect(inbox.statements[2]).toEqual(['north:c', 'north:c2', 'south:d', 'south:d2']);
    expect(inbox.statements).toHaveLength(3);
    expect((await Promise.all(stored)).map((fresh) => [...fresh])).toEqual([
      ['a', 'a2'],
      ['b', 'b2'],
      ['c', 'c2'],
      [],
      ['d', 'd2'],
    ]);
  });

  it('do not take each other down: what one breaks is tried body by body', async () => {
    const inbox = new HeldInbox();
    inbox.poison = (names) => (names.includes('north:bad') ? new Error('22P05') : null);
    const arrivals = new Arrivals(inbox, kind);
    const ids = ['x', 'y', 'good', 'bad', 'fine'];
    const stored = Promise.allSettled(ids.map((id) => arrivals.store('north', [notice(id)])));
    await inbox.release();
    expect((await stored).map(({ status }) => status)).toEqual([
      'fulfilled',
      'fulfilled',
      'fulfilled',
      'rejected',
      'fulfilled',
    ]);
  });

  it('are all told when the store is away, and none is tried again by itself', async () => {
    const inbox = new HeldInbox();
    inbox.poison = () => new StoreUnavailable(new Error('away'));
    const arrivals = new Arrivals(inbox, kind);
    const stored = Promise.allSettled(
      ['a', 'b', 'c', 'd'].map((id) => arrivals.store('north', [notice(id)])),
    );
    await inbox.release();
    for (const one of await stored)
      expect(one).toMatchObject({ reason: expect.any(StoreUnavailable) as unknown });
    expect(inbox.statements).toEqual([['north:a'], ['north:b'], ['north:c', 'north:d']]);
  });

  it('are 256 notices to a statement, unless one alone has more, and wait with a bound', async () => {
    const inbox = new HeldInbox();
    const arrivals = new Arrivals(inbox, kind);
    const many = Array.from({ length: 300 }, (_, n) => notice(`big-${n}`));
    const stored: Promise<unknown>[] = [];
    for (let n = 0; n < 2; n++) stored.push(arrivals.store('north', [notice(`first-${n}`)]));
    stored.push(arrivals.store('north', many));
    for (let n = 0; n < 999; n++) stored.push(arrivals.store('north', [notice(`small-${n}`)]));
    await expect(arrivals.store('north', [notice('too-many')])).rejects.toBeInstanceOf(StoreUnavailable);
    await inbox.release();
    await Promise.all(stored);
    expect(inbox.statements.map(({ length }) => length)).toEqual([1, 1, 300, 256, 256, 256, 231]);
  });
});
