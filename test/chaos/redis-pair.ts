import { RedisServer } from '../support/redis-server.js';
import { Link } from './link.js';

/** A Redis that holds the queues, with a replica that can take its place, behind one address. */
export class RedisPair {
  private constructor(
    private primary: RedisServer,
    private replica: RedisServer,
    readonly link: Link,
  ) {}

  static async start(random: () => number): Promise<RedisPair> {
    const [primary, replica] = [await RedisServer.start(true), await RedisServer.start(true)];
    await follow(replica, primary);
    const pair: RedisPair = new RedisPair(
      primary,
      replica,
      await Link.open(() => portOf(pair.primary), random),
    );
    return pair;
  }

  get url(): string {
    return `redis://127.0.0.1:${this.link.port}`;
  }

  async flush(): Promise<void> {
    await this.primary.command('FLUSHALL');
  }

  kill(): Promise<void> {
    return this.primary.kill();
  }

  restart(): Promise<void> {
    return this.primary.restart();
  }

  /** The replica takes the place of the one that was killed, without what had not reached it, and is followed by it. */
  async failOver(): Promise<void> {
    await this.replica.command('REPLICAOF', 'NO', 'ONE');
    [this.primary, this.replica] = [this.replica, this.primary];
    this.link.breakAll();
    await this.replica.restart();
    await follow(this.replica, this.primary);
  }

  async stop(): Promise<void> {
    this.link.close();
    await Promise.all([this.primary.stop(), this.replica.stop()]);
  }
}

async function follow(replica: RedisServer, primary: RedisServer): Promise<void> {
  await replica.command('REPLICAOF', '127.0.0.1', portOf(primary));
}

function portOf({ url }: RedisServer): number {
  return Number(new URL(url).port);
}
