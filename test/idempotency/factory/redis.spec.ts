import { CallStoreUnavailable, idempotent } from '@payonce/idempotency';
import { RedisCallStore } from '@payonce/idempotency/redis';
import { exerciseCallStore } from './exercise-call-store.js';
import { describeWithRedis, RedisServer } from '../../support/redis-server.js';

describeWithRedis('calls that Redis remembers', () => {
  exerciseCallStore(async () => {
    const server = await RedisServer.start(false);
    const stores: RedisCallStore[] = [];
    return {
      connect: async () => {
        const store = await RedisCallStore.open({ url: server.url });
        stores.push(store);
        return store;
      },
      close: async () => {
        for (const store of stores) store.close();
        await server.stop();
      },
    };
  });
});

describeWithRedis('the strings in Redis', () => {
  let server: RedisServer;
  let store: RedisCallStore;

  beforeAll(async () => {
    server = await RedisServer.start(false);
    store = await RedisCallStore.open({ url: server.url });
  });
  afterAll(async () => {
    store.close();
    await server.stop();
  });

  const options = { operation: 'send-receipt', retention: 3_600_000, lockTtl: 20_000 };

  it('are named after the operation, and expire when the answer may be forgotten', async () => {
    await idempotent(store, options, () => 'sent')(['customer-7', '2026-03-01'], {});
    const name = 'i9y:send-receipt:customer-7:2026-03-01';
    expect(await server.command('GET', name)).toMatch(/^end [0-9a-f-]{36} - \{"answer":"sent"\}$/);
    const lasts = Number(await server.command('PTTL', name));
    expect(lasts).toBeGreaterThan(3_500_000);
    expect(lasts).toBeLessThanOrEqual(3_600_000);
  });

  it('cost one command to lock and one to answer', async () => {
    const calls = async () => {
      const stats = String(await server.command('INFO', 'commandstats'));
      const count = (name: string) =>
        Number(new RegExp(`cmdstat_${name}:calls=(\\d+)`).exec(stats)?.[1] ?? 0);
      return { set: count('set'), eval: count('eval') };
    };
    const before = await calls();
    const call = idempotent(store, options, () => 'sent');
    await call('one-command', {});
    const after = await calls();
    // The second SET is the one inside the script.
    expect([after.set - before.set, after.eval - before.eval]).toEqual([2, 1]);
    await call('one-command', {});
    const hit = await calls();
    expect([hit.set - after.set, hit.eval - after.eval]).toEqual([1, 0]);
  });

  it('that are not ours are never run over', async () => {
    let runs = 0;
    const call = idempotent(store, options, () => ++runs);
    await server.command('SET', 'i9y:send-receipt:text', 'hello');
    await expect(call('text', {})).rejects.toMatchObject({ code: 'record_unreadable' });
    await server.command('LPUSH', 'i9y:send-receipt:list', 'hello');
    await expect(call('list', {})).rejects.toMatchObject({ code: 'store_unavailable' });
    expect(runs).toBe(0);
  });

  it('cannot be had from a server that is not there', async () => {
    const gone = await RedisServer.start(false);
    await gone.stop();
    await expect(RedisCallStore.open({ url: gone.url })).rejects.toThrow(CallStoreUnavailable);
  });
});
