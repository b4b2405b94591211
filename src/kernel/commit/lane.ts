import pg from 'pg';

/**
 * A connection that only writes commits. Its planner may not scan, hash or merge: every statement
 * of a commit is a handful of index look-ups by primary key, and a plan made while a table was
 * empty must not become a sequential scan when it holds millions of rows (a prepared statement
 * keeps its first generic plan until statistics are gathered anew).
 */
export const PLANNER = [
  'enable_seqscan=off',
  'enable_bitmapscan=off',
  'enable_hashjoin=off',
  'enable_mergejoin=off',
  'plan_cache_mode=force_generic_plan',
  'jit=off',
];

export class Lane {
  private client: pg.Client | null = null;
  busy = false;

  constructor(
    private readonly url: string,
    private readonly applicationName: string,
  ) {}

  /** Runs one statement, connecting first where needed. Rejects with what went wrong. */
  async run(name: string, text: string, values: (string | null)[]): Promise<number[]> {
    const client = this.client ?? (await this.connect());
    const { rows } = await client.query<[number[]]>({ name, text, values, rowMode: 'array' });
    return rows[0]![0];
  }

  private async connect(): Promise<pg.Client> {
    const client = new pg.Client({
      connectionString: this.url,
      application_name: this.applicationName,
      connectionTimeoutMillis: 5_000,
      statement_timeout: 10_000,
      // If the server's answer never comes, the commit is in doubt and is read again by its key.
      query_timeout: 15_000,
      keepAlive: true,
      options: PLANNER.map((setting) => `-c ${setting}`).join(' '),
    });
    const forget = () => {
      if (this.client === client) this.client = null;
    };
    client.on('error', forget);
    client.on('end', forget);
    await client.connect();
    this.client = client;
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
