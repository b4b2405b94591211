import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type EntityManager, type FindOptionsWhere, In, Repository } from 'typeorm';
import { checkpoint } from '../core/checkpoint.js';
import { Clock } from '../core/clock.js';
import { Ids } from '../core/ids.js';
import { Problem } from '../core/problem.js';
import { MAX_READ_LENGTH, redact } from '../core/redact.js';
import { given } from '../database/conditions.js';
import { translateOutage } from '../database/store-unavailable.js';
import { DeadLetter } from './dead-letter.entity.js';
import { type JobArgs } from './staged-job.entity.js';
import { type NamedJob, StagedJobs } from './staged-jobs.js';

/** A job that failed for good. */
export interface GivenUpJob {
  readonly kind: string;
  /** Its id in the queue (`jobIdOf`). */
  readonly jobId: string;
  readonly args: JobArgs;
  /** A code that operators group by, as in `FinalError`; an invalid one becomes `unnamed`. */
  readonly cause: string;
  /** The last error in words. Redacted and cut before it is kept. */
  readonly error: string;
  readonly story: {
    /** In all, including those before it was requeued. At least 1. */
    readonly tries: number;
    readonly firstTriedAt: Date;
  };
}

/**
 * The history of a requeued job, in JSON: the `story` of its staged job. The worker continues counting from here,
 * so that a letter that comes back has its whole history.
 */
interface MergedRetryHistory {
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

/** The result for a selection. */
interface Handled {
  readonly done: number;
  /** Selected but not handled: beyond the bound of one call, or locked by another operator. */
  readonly left: number;
}

export interface DeadLetterFilter {
  readonly kind?: string;
  readonly cause?: string;
  /** Given up at this time or earlier. */
  readonly olderThan?: Date;
}

interface DeadLetterPage {
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

/** How many letters one merge or purge takes: all of them are locked by one transaction. */
export const MAX_AT_ONCE = 10_000;
export const MAX_IN_A_PAGE = 100;
/** `<ms since the epoch>.<id>` of the last letter of a page. */
export const CURSOR = '^\\d{1,15}\\.[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$';
/** How kinds and causes are written. */
export const CODE = '^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$';

/** The most groups by kind and cause. Both are named in code, so that there are few. */
const MAX_GROUPS = 1_000;
const MAX_ERROR_LENGTH = 2_000;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** RFC 9562, section 5.9. Jobs that name no merchant are audited under it. */
const NIL_UUID = '00000000-0000-0000-0000-000000000000';

/** Dead letters, for operators. Every method throws StoreUnavailable if Postgres is unreachable. */
@Injectable()
export class DeadLetters {
  constructor(
    @InjectRepository(DeadLetter) private readonly letters: Repository<DeadLetter>,
    private readonly clock: Clock,
    private readonly ids: Ids,
    private readonly staged: StagedJobs,
  ) {}

  /**
   * Stores a job that failed for good, so that only an operator can delete it. One row for a job, however often it
   * fails: cause, error and time are the latest, the first try is the earliest known and the tries the most, since
   * the sweeper may have run it without its history. May be called twice for one failure.
   */
  async deadLetter({ kind, jobId, args, cause, error, story }: GivenUpJob): Promise<void> {
    await translateOutage(
      this.letters.query(
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
    const found = this.letters.createQueryBuilder('l').where(conditionsOf({ kind, cause }));
    if (olderThan !== null) found.andWhere('l.died_at <= :olderThan', { olderThan });
    if (after !== null) found.andWhere('(l.died_at, l.id) < (:diedAt, :id)', after);
    const rows = await translateOutage(
      found
        .orderBy({ 'l.diedAt': 'DESC', 'l.id': 'DESC' })
        .limit(most + 1)
        .getMany(),
    );
    const letters = rows.slice(0, most);
    const last = letters.at(-1);
    return { letters, nextCursor: last && rows.length > most ? cursorOf(last) : null };
  }

  /** By kind and cause, the largest group first. */
  async counts(): Promise<DeadLetterCount[]> {
    const rows = await translateOutage(
      this.letters.query<Omit<DeadLetterCount, 'oldestAgeS'>[]>(
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
    const letter = UUID.test(id) ? await translateOutage(this.letters.findOneBy({ id })) : null;
    if (!letter) throw none();
    return letter;
  }

  /**
   * Requeues letters at the first tier of their retry policies, oldest first, at most `MAX_AT_ONCE`: one
   * transaction deletes the letter, stages its job with its history and writes the audit record. If two operators
   * merge at once, each letter is merged by one of them.
   * @param by the actor of the audit records: `cli`
   * @throws Problem `not_found` where ids were named and none of them is (still) there,
   *   `validation_failed` where more were named than go at once
   */
  merge(selection: Selection, by: string): Promise<Handled> {
    return this.take(selection, 'dead_letter.merged', by, (tx, letters) =>
      this.staged.addNamed(tx, letters.map(jobOf)),
    );
  }

  /** Deletes letters for good, with an audit record of each. Otherwise as `merge`. */
  purge(selection: Selection, by: string): Promise<Handled> {
    return this.take(selection, 'dead_letter.purged', by, async () => {});
  }

  private async take(
    selection: Selection,
    action: string,
    by: string,
    first: (tx: EntityManager, letters: readonly DeadLetter[]) => Promise<void>,
  ): Promise<Handled> {
    const conditions = conditionsOf(selection);
    const selected = (tx: EntityManager) => tx.createQueryBuilder(DeadLetter, 'l').where(conditions);
    const handled = await translateOutage(
      this.letters.manager.transaction(async (tx) => {
        // Skips letters that another operator has locked.
        const letters = await selected(tx)
          .orderBy({ 'l.diedAt': 'ASC', 'l.id': 'ASC' })
          .limit(MAX_AT_ONCE)
          .setLock('pessimistic_write')
          .setOnLocked('skip_locked')
          .getMany();
        if (letters.length > 0) {
          await first(tx, letters);
          await this.record(tx, letters, action, by);
          await tx.delete(DeadLetter, { id: In(letters.map(({ id }) => id)) });
        }
        const left = await selected(tx).getCount();
        await checkpoint('dead-letters:before:commit');
        return { done: letters.length, left };
      }),
    );
    if (handled.done === 0 && 'ids' in selection) throw none();
    return handled;
  }

  private async record(
    tx: EntityManager,
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

function conditionsOf(
  selection: Selection | { readonly kind: string | null; readonly cause: string | null },
): FindOptionsWhere<DeadLetter> {
  if ('ids' in selection) {
    if (selection.ids.length > MAX_AT_ONCE) {
      const message = `must name at most ${MAX_AT_ONCE} letters`;
      throw new Problem('validation_failed', `A selection ${message}.`, {
        errors: [{ pointer: '/ids', message }],
      });
    }
    return { id: In(selection.ids.filter((id) => UUID.test(id))) };
  }
  return given({ kind: selection.kind, cause: selection.cause });
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
