import { createHash } from 'node:crypto';
import pg from 'pg';

/**
 * The anchor of every ratio: the commits of a charge without its features. A key, a payment and an attempt are inserted
 * before the PSP is called and updated after it, and requests that wait share one statement, as those of the service do.
 */
export const PROTOTYPE_TABLES = `
  CREATE TABLE bench_prototype_payments (
    id uuid PRIMARY KEY, merchant_id uuid NOT NULL, reference text NOT NULL, amount bigint NOT NULL,
    currency text NOT NULL, status text NOT NULL, created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz) WITH (fillfactor = 60);
  CREATE TABLE bench_prototype_keys (
    merchant_id uuid NOT NULL, key text NOT NULL, fingerprint text NOT NULL, payment_id uuid NOT NULL,
    status smallint, response text, finished_at timestamptz, PRIMARY KEY (merchant_id, key)) WITH (fillfactor = 60);
  CREATE TABLE bench_prototype_attempts (
    payment_id uuid PRIMARY KEY, outcome text, psp_reference text, started_at timestamptz NOT NULL DEFAULT now(),
    ended_at timestamptz) WITH (fillfactor = 60)`;

const OPEN = `
WITH input AS (SELECT * FROM unnest($2::text[], $3::text[], $4::uuid[], $5::text[], $6::bigint[], $7::text[])
                 AS t(key, fingerprint, id, reference, amount, currency)),
keys AS (
  INSERT INTO bench_prototype_keys (merchant_id, key, fingerprint, payment_id)
  SELECT $1::uuid, key, fingerprint, id FROM input ON CONFLICT DO NOTHING RETURNING payment_id),
made AS (
  INSERT INTO bench_prototype_payments (id, merchant_id, reference, amount, currency, status)
  SELECT id, $1::uuid, reference, amount, currency, 'processing' FROM input JOIN keys ON payment_id = id RETURNING id)
INSERT INTO bench_prototype_attempts (payment_id) SELECT id FROM made RETURNING payment_id`;

const SETTLE = `
WITH input AS MATERIALIZED (SELECT * FROM unnest($2::text[], $3::uuid[], $4::text[], $5::text[])
                              AS t(key, id, psp_reference, response)),
attempts AS (
  UPDATE bench_prototype_attempts a SET outcome = 'succeeded', psp_reference = i.psp_reference, ended_at = now()
    FROM input i WHERE a.payment_id = i.id),
payments AS (
  UPDATE bench_prototype_payments p SET status = 'captured', updated_at = now() FROM input i WHERE p.id = i.id)
UPDATE bench_prototype_keys k SET status = 201, response = i.response, finished_at = now()
  FROM input i WHERE k.merchant_id = $1::uuid AND k.key = i.key`;

/** Statements of one kind at once. */
const LANES = 2;
const MAX_BATCH = 128;

interface Opened {
  readonly id: string;
  readonly key: string;
  readonly body: string;
  readonly reference: string;
  readonly amount: number;
  readonly currency: string;
}

interface Settled extends Pick<Opened, 'id' | 'key'> {
  readonly pspReference: string;
  readonly response: string;
}

/** The two commits of a payment, shared by all that wait for a lane. */
export class SharedStatements {
  private readonly opening: Lanes<Opened>;
  private readonly settling: Lanes<Settled>;

  constructor(pool: pg.Pool, merchantId: string) {
    this.opening = new Lanes(async (all) => {
      const columns = (of: (one: Opened) => unknown) => all.map(of);
      const { rowCount } = await pool.query({
        name: 'open',
        text: OPEN,
        values: [
          merchantId,
          columns(({ key }) => key),
          columns(({ body }) => createHash('sha256').update(body).digest('hex')),
          columns(({ id }) => id),
          columns(({ reference }) => reference),
          columns(({ amount }) => amount),
          columns(({ currency }) => currency),
        ],
      });
      if (rowCount !== all.length) throw new Error('a key was used twice');
    });
    this.settling = new Lanes(async (all) => {
      const columns = (of: (one: Settled) => string) => all.map(of);
      await pool.query({
        name: 'settle',
        text: SETTLE,
        values: [
          merchantId,
          columns(({ key }) => key),
          columns(({ id }) => id),
          columns(({ pspReference }) => pspReference),
          columns(({ response }) => response),
        ],
      });
    });
  }

  open(payment: Opened): Promise<void> {
    return this.opening.add(payment);
  }

  settle(payment: Settled): Promise<void> {
    return this.settling.add(payment);
  }
}

interface Waiting<T> {
  readonly one: T;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** A free lane takes all that waits. */
class Lanes<T extends { readonly key: string }> {
  private waiting: Waiting<T>[] = [];
  private busy = 0;

  constructor(private readonly write: (all: readonly T[]) => Promise<void>) {}

  add(one: T): Promise<void> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ one, resolve, reject });
      setImmediate(() => void this.pump());
    });
  }

  private async pump(): Promise<void> {
    if (this.busy >= LANES || this.waiting.length === 0) return;
    const taken = this.waiting.splice(0, MAX_BATCH);
    this.busy += 1;
    try {
      // Two lanes lock rows in one order.
      await this.write(taken.map(({ one }) => one).toSorted((a, b) => (a.key < b.key ? -1 : 1)));
      for (const { resolve } of taken) resolve();
    } catch (error) {
      for (const { reject } of taken) reject(error);
    }
    this.busy -= 1;
    await this.pump();
  }
}
