import type pg from 'pg';
import { checkpoint } from '../core/checkpoint.js';
import { type Clock } from '../core/clock.js';
import { type Ids } from '../core/ids.js';
import { Problem } from '../core/problem.js';
import { MAX_READ_LENGTH, redact } from '../core/redact.js';
import { translateOutage } from '../database/store-unavailable.js';
import { deadLetters, type DeadLetter } from './dead-letter.entity.js';
import { type JobArgs } from './staged-job.entity.js';
import { type NamedJob, type StagedJobs } from './staged-jobs.js';

/** A job that is given up. */
export interface Burial {
  readonly kind: string;
  /** What the queue knows it by (`jobIdOf`). */
  readonly jobId: string;
  readonly args: JobArgs;
  /** A code that operators group by, as `FinalError` carries one; what is shaped otherwise is `unnamed`. */
  readonly cause: string;
  /** The last error in words. Redacted and cut before it is kept. */
  readonly error: string;
  readonly story: {
    /** In all, also before it was sent back from here. At least 1. */
    readonly tries: number;
    readonly firstTriedAt: Date;
  };
}

/**
 * What a job that is sent back was through, in JSON: the `story` of its staged job. The worker that runs it
 * goes on counting from here, so that a letter that comes back tells everything.
 */
export interface MergedRetryHistory {
  readonly tries: number;
  /** RFC 3339. */
  readonly firstTriedAt: string;
  readonly lastError: string;
  readonly cause: string;
  /** RFC 3339. When it was given up. */
  readonly diedAt: string;
}

/** Which letters: these, or all of one kind, of one cause, of both; with neither, all there are. */
export type Selection =
  { readonly ids: readonly string[] } | { readonly kind?: string; readonly cause?: string };

/** What became of a selection. */
export interface Handled {
  readonly done: number;
  /** Selected and still there: past the bound of one go, or in another operator's hands. */
  readonly left: number;
}

export interface DeadLetterFilter {
  readonly kind?: string;
  readonly cause?: string;
  /** Given up at this time or earlier. */
  readonly olderThan?: Date;
}

export interface DeadLetterPage {
  readonly letters: readonly DeadLetter[];
  /** For the page after this one; null where it is the last. */
  readonly nextCursor: string | null;
}

export interface DeadLetterCount {
  readonly kind: string;
  readonly cause: string;
  readonly count: number;
  readonly oldestDiedAt: Date;
  /** How long ago that was. */
  readonly oldestAgeS: number;
}

export interface DeadLettersOptions {
  readonly pool: pg.Pool;
  readonly clock: Clock;
  readonly ids: Ids;
  /** What letters that are sent back go through. */
  readonly staged: StagedJobs;
}

/** How many letters one merge or purge takes: all of them are locked by one transaction. */
export const MAX_AT_ONCE = 10_000;
export const MAX_IN_A_PAGE = 100;
/** `<ms since the epoch>.<id>` of the last letter of a page. */
export const CURSOR = '^\\d{1,15}\\.[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$';
/** How kinds and causes are written. */
export const CODE = '^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$';

/** Of groups by kind and cause. Both are named in code, so that there are few. */
const MAX_GROUPS = 1_000;
const MAX_ERROR_LENGTH = 2_000;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** RFC 9562, section 5.9. Jobs that name no merchant are audited under it. */
const NIL_UUID = '00000000-0000-0000-0000-000000000000';

const COLUMNS = deadLetters.columns.map(({ name, property }) => `${name} AS "${property}"`).join(', ');

/**
 * Jobs that were given up, for operators: hand-written SQL over few rows. Every method throws
 * StoreUnavailable where Postgres is away.
 */
export class DeadLetters {
  private readonly pool: pg.Pool;
  private readonly clock: Clock;
  private readonly ids: Ids;
  private readonly staged: StagedJobs;

  constructor({ pool, clock, ids, staged }: DeadLettersOptions) {
    this.pool = pool;
    this.clock = clock;
    this.ids = ids;
    this.staged = staged;
  }

  /**
   * Keeps a job that is given up, so that nothing but an operator can lose it. One row for a job,
   * however often it dies: cause, error and time are those of the latest death, the first try is the
   * earliest known and the tries the most, since a sweep may have run it without its story. May be
   * called twice for one death.
   */
  async deadLetter({ kind, jobId, args, cause, error, story }: Burial): Promise<void> {
    await translateOutage(
      this.pool.query(
        `INSERT INTO dead_letters (id, kind, job_id, args, cause, error, tries, first_tried_at, died_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
         ON CONFLICT ON CONSTRAINT dead_letters_job DO UPDATE
           SET args = excluded.args, cause = excluded.cause, error = excluded.error,
               tries = GREATEST(dead_letters.tries, excluded.tries),
               first_tried_at = LEAST(dead_letters.first_tried_at, excluded.first_tried_at),
               died_at = excluded.died_at`,
        [
          this.ids.uuid(),
          kind,
          jobId,
          args,
          new RegExp(CODE).test(cause) ? cause : 'unnamed',
          keptError(error),
          Math.max(1, Math.trunc(story.tries)),
          story.firstTriedAt,
          this.clock.now(),
        ],
      ),
    );
  }

  /** Newest first. `cursor` is the `nextCursor` of the page before, null for the first page. */
  async list({
    kind = null,
    cause = null,
    olderThan = null,
    limit,
    cursor,
  }: {
    readonly [Field in keyof DeadLetterFilter]: DeadLetterFilter[Field] | null;
  } & { readonly limit: number; readonly cursor: string | null }): Promise<DeadLetterPage> {
    const most = Math.min(Math.max(1, limit), MAX_IN_A_PAGE);
    const after = cursor === null ? null : placeOf(cursor);
    const { rows } = await translateOutage(
      this.pool.query<DeadLetter>(
        `SELECT ${COLUMNS} FROM dead_letters
          WHERE ($1::text IS NULL OR kind = $1) AND ($2::text IS NULL OR cause = $2)
            AND ($3::timestamptz IS NULL OR died_at <= $3)
            AND ($4::timestamptz IS NULL OR (died_at, id) < ($4, $5::uuid))
          ORDER BY died_at DESC, id DESC LIMIT $6`,
        [kind, cause, olderThan, after?.diedAt ?? null, after?.id ?? null, most + 1],
      ),
    );
    const letters = rows.slice(0, most);
    const last = letters.at(-1);
    return { letters, nextCursor: last && rows.length > most ? cursorOf(last) : null };
  }

  /** By kind and cause, the largest group first. */
  async counts(): Promise<DeadLetterCount[]> {
    const { rows } = await translateOutage(
      this.pool.query<Omit<DeadLetterCount, 'oldestAgeS'>>(
        `SELECT kind, cause, count(*)::int AS count, min(died_at) AS "oldestDiedAt"
           FROM dead_letters GROUP BY kind, cause ORDER BY 3 DESC, kind, cause LIMIT $1`,
        [MAX_GROUPS],
      ),
    );
    const nowMs = this.clock.now().getTime();
    return rows.map((row) => ({
      ...row,
      oldestAgeS: Math.max(0, (nowMs - row.oldestDiedAt.getTime()) / 1_000),
    }));
  }

  /** @throws Problem `not_found` */
  async show(id: string): Promise<DeadLetter> {
    const { rows } = UUID.test(id)
      ? await translateOutage(
          this.pool.query<DeadLetter>(`SELECT ${COLUMNS} FROM dead_letters WHERE id = $1`, [id]),
        )
      : { rows: [] };
    if (!rows[0]) throw none();
    return rows[0];
  }

  /**
   * Sends letters back to the first level of their ladders, the longest dead first, at most
   * `MAX_AT_ONCE`: the letter goes, its job is staged with its story, and an audit record says who
   * did it, all in one transaction. Of two operators at once each letter is merged by one.
   * @param by the actor of the audit records: `cli`
   * @throws Problem `not_found` where ids were named and none of them is (still) there,
   *   `validation_failed` where more were named than go at once
   */
  merge(selection: Selection, by: string): Promise<Handled> {
    return this.take(selection, 'dead_letter.merged', by, (tx, letters) =>
      this.staged.addNamed(tx, letters.map(jobOf)),
    );
  }

  /** Throws letters away for good, with an audit record of each. Else as `merge`. */
  purge(selection: Selection, by: string): Promise<Handled> {
    return this.take(selection, 'dead_letter.purged', by, async () => {});
  }

  private async take(
    selection: Selection,
    action: string,
    by: string,
    first: (tx: pg.PoolClient, letters: readonly DeadLetter[]) => Promise<void>,
  ): Promise<Handled> {
    const [where, values] = conditionOf(selection);
    const handled = await translateOutage(
      this.inTransaction(async (tx) => {
        // Two operators share the letters between them: what one holds, the other passes over.
        const { rows: letters } = await tx.query<DeadLetter>(
          `SELECT ${COLUMNS} FROM dead_letters WHERE ${where}
            ORDER BY died_at, id LIMIT ${MAX_AT_ONCE} FOR UPDATE SKIP LOCKED`,
          values,
        );
        if (letters.length > 0) {
          await first(tx, letters);
          await this.record(tx, letters, action, by);
          await tx.query('DELETE FROM dead_letters WHERE id = ANY($1::uuid[])', [
            letters.map(({ id }) => id),
          ]);
        }
        const { rows } = await tx.query<{ left: number }>(
          `SELECT count(*)::int AS left FROM dead_letters WHERE ${where}`,
          values,
        );
        return { done: letters.length, left: rows[0]!.left };
      }),
    );
    if (handled.done === 0 && 'ids' in selection) throw none();
    return handled;
  }

  private async record(
    tx: pg.PoolClient,
    letters: readonly DeadLetter[],
    action: string,
    by: string,
  ): Promise<void> {
    const records = letters.map(({ id, kind, jobId, args, cause, tries }) => ({
      merchant_id: merchantOf(args),
      id: this.ids.uuid(),
      subject: `dead-letter:${id}`,
      detail: { kind, job_id: jobId, cause, tries },
    }));
    await tx.query(
      `INSERT INTO audit_records (merchant_id, id, at, actor, action, subject, detail)
       SELECT merchant_id, id, $2, $3, $4, subject, detail
         FROM jsonb_to_recordset($1::jsonb) AS r (merchant_id uuid, id uuid, subject text, detail jsonb)`,
      [JSON.stringify(records), this.clock.now(), by, action],
    );
  }

  private async inTransaction<T>(work: (tx: pg.PoolClient) => Promise<T>): Promise<T> {
    const tx = await this.pool.connect();
    let broken = true;
    try {
      await tx.query('BEGIN');
      const done = await work(tx);
      await checkpoint('dead-letters:before:commit');
      await tx.query('COMMIT');
      broken = false;
      return done;
    } finally {
      // After an error it is closed with whatever it still holds: a rollback might hang as well.
      tx.release(broken);
    }
  }
}

function jobOf({ kind, jobId, args, tries, firstTriedAt, error, cause, diedAt }: DeadLetter): NamedJob {
  const story: MergedRetryHistory = {
    tries,
    firstTriedAt: firstTriedAt.toISOString(),
    lastError: error,
    cause,
    diedAt: diedAt.toISOString(),
  };
  return { kind, jobId, args, story: { ...story } };
}

function conditionOf(selection: Selection): [where: string, values: unknown[]] {
  if ('ids' in selection) {
    if (selection.ids.length > MAX_AT_ONCE) {
      const message = `must name at most ${MAX_AT_ONCE} letters`;
      throw new Problem('validation_failed', `A selection ${message}.`, {
        errors: [{ pointer: '/ids', message }],
      });
    }
    return ['id = ANY($1::uuid[])', [selection.ids.filter((id) => UUID.test(id))]];
  }
  return [
    '($1::text IS NULL OR kind = $1) AND ($2::text IS NULL OR cause = $2)',
    [selection.kind ?? null, selection.cause ?? null],
  ];
}

function merchantOf({ merchantId }: JobArgs): string {
  return typeof merchantId === 'string' && UUID.test(merchantId) ? merchantId : NIL_UUID;
}

function cursorOf({ diedAt, id }: DeadLetter): string {
  return `${diedAt.getTime()}.${id}`;
}

function placeOf(cursor: string): { diedAt: Date; id: string } {
  const [ms, id] = new RegExp(CURSOR).test(cursor) ? cursor.split('.') : [];
  if (ms === undefined || id === undefined) {
    const message = 'must be the next_cursor of a page';
    throw new Problem('validation_failed', `The cursor ${message}.`, {
      errors: [{ pointer: '/cursor', message }],
    });
  }
  return { diedAt: new Date(Number(ms)), id };
}

function none(): Problem {
  return new Problem('not_found', 'There is no dead letter of this id (any more).');
}

/** Its lines stay: a list shows the first, `dlq show` all of them. Postgres takes no NUL. */
function keptError(error: string): string {
  const text = redact(error.slice(0, MAX_READ_LENGTH).replaceAll('\0', ''));
  return text.length > MAX_ERROR_LENGTH ? `${text.slice(0, MAX_ERROR_LENGTH - 1)}…` : text;
}
