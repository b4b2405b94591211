import { type CallStore, idempotent } from '@payonce/idempotency';
import { PostgresCallStore } from '@payonce/idempotency/postgres';
import { RedisCallStore } from '@payonce/idempotency/redis';
import { freshDatabase, poolAt } from '../../support/database.js';
import { spawnNode } from '../../support/process.js';
import { describeWithRedis, RedisServer } from '../../support/redis-server.js';

interface Line {
  readonly ran?: { readonly key: string; readonly amount: number };
  readonly asked?: { readonly key: string; readonly amount: number };
  readonly answer?: { readonly pid: number; readonly amount: number };
  readonly code?: string;
}

const CHILD = 'test/idempotency/factory/caller.child.mjs';
const RETENTION = 60_000;

/** Processes of their own, as several services over one store are. */
function exerciseProcesses(
  kind: 'redis' | 'postgres',
  open: () => Promise<{ url: string; store: CallStore; close(): Promise<void> }>,
): void {
  let subject: Awaited<ReturnType<typeof open>>;
  beforeAll(async () => {
    subject = await open();
  });
  afterAll(() => subject.close());

  it('that ask for the same keys at once run each handler once', async () => {
    const children = [1, 2, 3].map(() => spawnNode(CHILD, { args: [kind, subject.url, 'race'] }));
    await Promise.all(children.map((child) => child.waitForLine(/ready/)));
    for (const child of children) child.kill('SIGUSR2');
    await Promise.all(children.map((child) => child.exit));
    const lines = children.flatMap((child) =>
      child
        .stdout()
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as Line),
    );
    const runs = new Map(lines.flatMap(({ ran }) => (ran ? [[ran.key, ran.amount]] : [])));
    expect(lines.filter(({ ran }) => ran)).toHaveLength(25);
    expect(runs.size).toBe(25);
    const told = lines.filter(({ asked }) => asked);
    expect(told).toHaveLength(3 * 75);
    const pids = new Map<string, number>();
    for (const { asked, answer, code } of told) {
      const kept = runs.get(asked!.key);
      if (asked!.amount !== kept) {
        expect(code).toBe('idempotency_key_reused');
      } else {
        expect(answer?.amount).toBe(kept);
        expect(answer?.pid).toBe(pids.get(asked!.key) ?? answer?.pid);
        pids.set(asked!.key, answer!.pid);
      }
    }
    expect(pids.size).toBe(25);
  });

  it('that stand still lose their key, and cannot overwrite the answer of the one that has it then', async () => {
    const child = spawnNode(CHILD, { args: [kind, subject.url, 'hold'] });
    await child.waitForLine(/"ran":"held"/);
    child.kill('SIGSTOP');
    const options = { operation: 'hold', retention: RETENTION, lockTtl: 20_000, wait: 20_000 };
    const successor = idempotent(subject.store, options, () => 'of the one that took over');
    expect(await successor('k', {})).toBe('of the one that took over');
    child.kill('SIGUSR2');
    child.kill('SIGCONT');
    await child.waitForLine(/"asked":"held","code":"done_not_recorded"/);
    await child.exit;
    expect(await successor('k', {})).toBe('of the one that took over');
  });
}

describe('processes over one Postgres', () => {
  exerciseProcesses('postgres', async () => {
    const fresh = await freshDatabase();
    const pool = poolAt(fresh.url, { max: 2 });
    const close = async () => {
      await pool.end();
      await fresh.drop();
    };
    return { url: fresh.url, store: new PostgresCallStore(pool), close };
  });
});

describeWithRedis('processes over one Redis', () => {
  exerciseProcesses('redis', async () => {
    const server = await RedisServer.start(false);
    const store = await RedisCallStore.open({ url: server.url });
    const close = async () => {
      store.close();
      await server.stop();
    };
    return { url: server.url, store, close };
  });
});
