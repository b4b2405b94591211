import { ManualClock } from '../core/clock.js';
import { SystemIds } from '../core/ids.js';
import { type LockHolder } from '../core/lock-holder.js';
import { MemoryStore } from '../database/commit/memory-store.js';
import {
  type Decision,
  newLease,
  newRun,
  nowHeld,
  OperationRun,
  type Steps,
  type Written,
} from './operation-run.js';

interface Rest {
  readonly go: 'rest';
  readonly changes: readonly [];
  readonly by: 'this run' | 'another run';
}
type State = 'new' | 'called';

/** A session with the database that ends when the spec says so, and everything that was taken with it. */
class Session implements LockHolder {
  private sessions = 1;
  private tokens = 0;
  readonly newToken = () => `session ${this.sessions}, token ${++this.tokens}`;
  readonly holds = (token: string) => token.startsWith(`session ${this.sessions},`);
  end(): void {
    this.sessions++;
  }
}

/** The token that guarded each write, and the one that the write gave the rows. */
interface Write {
  readonly guardedBy: string;
  readonly gives: string;
}

class CallOnce extends OperationRun<State, 'done', Rest> {
  readonly writes: Write[] = [];
  /** The token that the rows have; another run's writes change it. */
  rowToken = this.run.lockToken;

  protected write(): Promise<Written> {
    if (this.run.heldToken !== this.rowToken) return Promise.resolve('unheld');
    this.writes.push({ guardedBy: this.run.heldToken, gives: this.run.lockToken });
    this.rowToken = this.run.lockToken;
    nowHeld(this.run, newLease(this.tools, this.run.lockToken));
    return Promise.resolve('written');
  }
  protected read = () => Promise.resolve<State>('new');
  protected stepBack = () => Promise.resolve<Rest>({ go: 'rest', changes: [], by: 'another run' });
}

/** One call; `during` happens while it is under way. */
function callOnce(during: (run: CallOnce, session: Session) => void): [CallOnce, Session] {
  const clock = new ManualClock();
  const session = new Session();
  const ids = new SystemIds(clock);
  const steps: Steps<State, 'done', Rest> = {
    next: (): Decision<State, Rest> => ({ go: 'call', state: 'called', changes: [] }),
    call: () => {
      during(run, session);
      return Promise.resolve('done');
    },
    settle: () => ({ go: 'rest', changes: [], by: 'this run' }),
    evidence: () => [],
  };
  const tools = { store: new MemoryStore(clock), clock, ids, holder: session, leaseMs: 10_000 };
  const run = new CallOnce(tools, steps, newRun(tools, 'trace', null));
  return [run, session];
}

describe('a run whose session with the database ends during a call', () => {
  it('takes its lock again with the commit of the answer, guarded by the token that the rows have', async () => {
    const [run, session] = callOnce((_, held) => held.end());
    expect(await run.advance('new')).toMatchObject({ by: 'this run' });
    expect(run.writes).toEqual([
      { guardedBy: 'session 1, token 1', gives: 'session 1, token 1' },
      { guardedBy: 'session 1, token 1', gives: 'session 2, token 2' },
    ]);
    expect([session.holds(run.run.lockToken), run.run.lease.outlives(1_000)]).toEqual([true, true]);
  });

  it('steps back where another run has taken the lock meanwhile', async () => {
    const [run, session] = callOnce((self) => {
      session.end();
      self.rowToken = 'of another run';
    });
    expect(await run.advance('new')).toMatchObject({ by: 'another run' });
    expect(run.rowToken).toBe('of another run');
  });

  it('keeps its token where the session holds', async () => {
    const [run] = callOnce(() => {});
    await run.advance('new');
    expect(run.writes.map(({ gives }) => gives)).toEqual(['session 1, token 1', 'session 1, token 1']);
  });
});
