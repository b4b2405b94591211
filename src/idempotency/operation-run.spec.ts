import { ManualClock } from '../core/clock.js';
import { SystemIds } from '../core/ids.js';
import { type LockHolder } from '../core/lock-holder.js';
import { MemoryStore } from '../../test/support/memory-store.js';
import {
  type Decision,
  newLease,
  newRun,
  nowHeld,
  OperationRun,
  type Run,
  type RunLock,
  type RunTools,
  type Steps,
  type WriteResult,
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

class Row implements RunLock<State, Rest> {
  readonly writes: Write[] = [];
  /** The token that the row has; another run's writes change it. */
  rowToken: string;

  constructor(
    private readonly tools: RunTools,
    readonly run: Run,
  ) {
    this.rowToken = run.lockToken;
  }

  write(): Promise<WriteResult> {
    if (this.run.heldToken !== this.rowToken) return Promise.resolve('unheld');
    this.writes.push({ guardedBy: this.run.heldToken, gives: this.run.lockToken });
    this.rowToken = this.run.lockToken;
    nowHeld(this.run, newLease(this.tools, this.run.lockToken));
    return Promise.resolve('written');
  }
  read = () => Promise.resolve<State>('new');
  stepBack = () => Promise.resolve<Rest>({ go: 'rest', changes: [], by: 'another run' });
}

/** A run with one call; `during` happens while it is under way. */
async function callOnce(during: (row: Row, session: Session) => void): Promise<[Rest, Row, Session]> {
  const clock = new ManualClock();
  const session = new Session();
  const ids = new SystemIds(clock);
  const steps: Steps<State, 'done', Rest> = {
    next: (): Decision<State, Rest> => ({ go: 'call', state: 'called', changes: [] }),
    call: () => {
      during(row, session);
      return Promise.resolve('done');
    },
    settle: () => ({ go: 'rest', changes: [], by: 'this run' }),
    evidence: () => [],
  };
  const tools = { store: new MemoryStore(clock), clock, ids, holder: session, leaseMs: 10_000 };
  const row = new Row(tools, newRun(tools, 'trace', null));
  const rest = await new OperationRun(tools, steps, row, row.run).advance('new');
  return [rest, row, session];
}

describe('a run whose session with the database ends during a call', () => {
  it('takes its lock again with the commit of the answer, guarded by the token that the rows have', async () => {
    const [rest, row, session] = await callOnce((_, held) => held.end());
    expect(rest.by).toBe('this run');
    expect(row.writes).toEqual([
      { guardedBy: 'session 1, token 1', gives: 'session 1, token 1' },
      { guardedBy: 'session 1, token 1', gives: 'session 2, token 2' },
    ]);
    expect([session.holds(row.run.lockToken), row.run.lease.outlives(1_000)]).toEqual([true, true]);
  });

  it('steps back where another run has taken the lock meanwhile', async () => {
    const [rest, row] = await callOnce((self, session) => {
      session.end();
      self.rowToken = 'of another run';
    });
    expect(rest.by).toBe('another run');
    expect(row.rowToken).toBe('of another run');
  });

  it('keeps its token where the session holds', async () => {
    const [, row] = await callOnce(() => {});
    expect(row.writes.map(({ gives }) => gives)).toEqual(['session 1, token 1', 'session 1, token 1']);
  });
});
