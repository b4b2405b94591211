import pg from 'pg';
import { BOUNDED, doubtUnreplicated, DURABLE } from '../connection.js';

/**
 * A connection that only writes commits. Its planner may not scan, hash or merge: every statement
 * of a commit is a handful of index look-ups by primary key, and a plan made while a table was
 * empty must not become a sequential scan when it holds millions of rows (a prepared statement
 * keeps its first generic plan until statistics are gathered anew).
 *
 * That alone is not enough: of an empty table the planner also reads an index from end to end, or
 * takes the wrong one, since all cost the same. So plans are made anew as tables grow, see below.
 */
export const PLANNER = [
  'enable_seqscan=off',
  'enable_bitmapscan=off',
  'enable_hashjoin=off',
  'enable_mergejoin=off',
  'plan_cache_mode=force_generic_plan',
  'jit=off',
];

/** Commits change the order together with its payment; those of a version that does not are refused (migration 0185). */
export const KNOWS_ORDERS = "SET payonce.orders = 'known'";

/**
 * After so many statements a lane has its plans made anew, and again each time it has run so many
 * times more: a bad plan then reads no more than a few of its own batches, and a planner that sees
 * how large a table has become makes no bad one, with statistics or without.
 */
export const FIRST_REPLAN = 16;
const REPLAN_GROWTH = 4;

export class Lane {
  private client: pg.Client | null = null;
  private runs = 0;
  private replanAt = FIRST_REPLAN;
  /** By a monotonic clock; null: it is free. */
  busySinceMs: number | null = null;

  constructor(
    private readonly url: string,
    private readonly applicationName: string,
  ) {}

  /** Runs one statement, connecting first where needed. Rejects with what went wrong. */
  async run(name: string, text: string, values: (string | null)[]): Promise<number[]> {
    const client = this.client ?? (await this.connect());
    if (++this.runs > this.replanAt) {
      this.replanAt *= REPLAN_GROWTH;
      await client.query('DISCARD PLANS');
    }
    const { rows } = await client.query<[number[]]>({ name, text, values, rowMode: 'array' });
    return rows[0]![0];
  }

  private async connect(): Promise<pg.Client> {
    const client = new pg.Client({
      connectionString: this.url,
      application_name: this.applicationName,
      connectionTimeoutMillis: 5_000,
      // If the server's answer never comes, the commit is in doubt and is read again by its key.
      query_timeout: 15_000,
      keepAlive: true,
    });
    const forget = () => {
      if (this.client === client) this.client = null;
    };
    client.on('error', forget);
    client.on('end', forget);
    doubtUnreplicated(client);
    try {
      await client.connect();
      const settings = [...PLANNER.map((setting) => `SET ${setting}`), BOUNDED, DURABLE, KNOWS_ORDERS];
      await client.query(settings.join('; '));
    } catch (error) {
      client.end().catch(() => {});
      throw error;
    }
    this.client = client;
    [this.runs, this.replanAt] = [0, FIRST_REPLAN];
    return client;
  }

  /** Gives the connection up, for instance after an error that may have left it in the middle of something. */
  drop(): void {
    const client = this.client;
    this.client = null;
    client?.end().catch(() => {});
  }

  async close(): Promise<void> {
    const client = this.client;
    this.client = null;
    await client?.end();
  }
}
