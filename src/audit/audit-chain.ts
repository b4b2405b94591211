import { createHash } from 'node:crypto';
import { type Pool, type PoolClient } from 'pg';
import { type Encryption } from '../core/encryption.js';
import { translateOutage } from '../database/store-unavailable.js';
import { type AuditRow } from './audit.view.js';
import { type PageView } from '../core/page.view.js';

/** A row of the chain, with what its hash is over. */
export interface ChainedRecord {
  readonly number: number;
  readonly at: Date;
  readonly actor: string;
  readonly action: string;
  readonly subject: string;
  readonly merchantId: string;
  /** null: at the command line. */
  readonly sourceAddress: string | null;
  readonly result: string;
  /** JSON. */
  readonly detail: string;
  readonly previous: Buffer;
  readonly hash: Buffer;
}

/** The copy of a row that the second role keeps. */
interface Witness {
  readonly number: number;
  readonly hash: Buffer;
}

/** Number and hash of a row, kept outside the database. */
interface Anchor {
  readonly number: number;
  readonly hash: string;
}

interface ChainFault {
  /** The first row that does not hold. */
  readonly number: number;
  readonly what: string;
}

interface Verification {
  /** How many rows hold. */
  readonly rows: number;
  readonly fault: ChainFault | null;
  /** False where the role of the service owns the chain, and so could overrule it. */
  readonly guarded: boolean;
  /** The hash of the last row; null if there is none. */
  readonly anchor: string | null;
}

const FIRST = Buffer.alloc(32);
/** More than every number. */
const BEYOND = Number.MAX_SAFE_INTEGER;
const PAGE = 50;
const BATCH = 1_000;
const ANCHOR = /^payonce-audit:(\d{1,15}):([0-9a-f]{64}):(\S{1,200})$/;

const RECORD = `SELECT number, at, actor, action, subject, merchant_id AS "merchantId",
       source_address AS "sourceAddress", result, detail, previous, hash FROM payonce_audit.records`;

/** SHA-256 over the hash before it and the fields, each with its length in bytes; as the migration has it. */
export function hashOf(record: Omit<ChainedRecord, 'hash'>): Buffer {
  const { number, at, actor, action, subject, merchantId, sourceAddress, result, detail, previous } = record;
  const fields = [
    String(number),
    at.toISOString(),
    actor,
    action,
    subject,
    merchantId,
    sourceAddress,
    result,
    detail,
  ];
  const text = fields.map((value) => (value === null ? '-,' : `${Buffer.byteLength(value)}:${value},`));
  return createHash('sha256').update(previous).update(text.join('')).digest();
}

/** Follows the chain from its first row. Pure. */
class ChainCheck {
  private last: Witness = { number: 0, hash: FIRST };

  /** How many rows hold. */
  get rows(): number {
    return this.last.number;
  }

  /** The row that comes next, as each role has it; undefined where it has none any more. null: it holds. */
  next(record: ChainedRecord | undefined, witness: Witness | undefined): ChainFault | null {
    const number = this.last.number + 1;
    const fault = (what: string): ChainFault => ({ number, what });
    if (record?.number !== number) {
      return fault(record ? 'it is missing, and others follow it' : 'it and all that follow it are cut off');
    }
    if (!record.previous.equals(this.last.hash)) return fault('it does not follow the row before it');
    if (!record.hash.equals(hashOf(record))) return fault('it was changed');
    if (witness?.number !== number) return fault('nothing witnesses it');
    if (!witness.hash.equals(record.hash)) return fault('it was written anew');
    this.last = witness;
    return null;
  }
}

/** The chain of people's actions: reads, verifies and anchors it. */
export class AuditChain {
  constructor(private readonly pool: Pool) {}

  /** The newest first. `before`: the number that the page before this one ended with. */
  async page(before: string | null): Promise<PageView<AuditRow>> {
    const { rows } = await translateOutage(
      this.pool.query<ChainedRecord>(
        `${RECORD} WHERE number < COALESCE($1::bigint, ${BEYOND}) ORDER BY number DESC LIMIT ${PAGE + 1}`,
        [before],
      ),
    );
    const data = rows.slice(0, PAGE).map(rowOf);
    return { data, next_cursor: rows.length > PAGE ? data.at(-1)!.id : null };
  }

  /** Every row as it is now, the oldest first, with its hashes. */
  async *all(): AsyncGenerator<ChainedRecord> {
    for (let after = 0; ;) {
      const { rows } = await translateOutage(
        this.pool.query<ChainedRecord>(`${RECORD} WHERE number > $1 ORDER BY number LIMIT ${BATCH}`, [after]),
      );
      yield* rows;
      if (rows.length < BATCH) return;
      after = rows.at(-1)!.number;
    }
  }

  /** The anchor of the last row, signed; null where there is none. */
  async anchor(seal: Encryption): Promise<string | null> {
    const { rows } = await translateOutage(
      this.pool.query<Witness>('SELECT number, hash FROM payonce_audit.witness ORDER BY number DESC LIMIT 1'),
    );
    return rows[0] ? anchorText(rows[0], seal) : null;
  }

  /** `anchor`: of a row that was there once. */
  async verify(seal: Encryption, anchor: Anchor | null): Promise<Verification> {
    const client = await translateOutage(this.pool.connect());
    try {
      // All of one moment: a row that is added meanwhile has its witness too.
      await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
      const guarded = await isGuarded(client);
      const check = new ChainCheck();
      const fault = await faultOf(client, check, anchor);
      await client.query('COMMIT');
      return { rows: check.rows, fault, guarded, anchor: fault === null ? await this.anchor(seal) : null };
    } finally {
      client.release();
    }
  }
}

/** The purpose stands in the hash, so that no other keyed hash of the service can pass for it. */
const signed = (number: number, hash: string) => `payonce: anchor of the audit chain ${number} ${hash}`;

function anchorText({ number, hash }: Witness, seal: Encryption): string {
  const hex = hash.toString('hex');
  return `payonce-audit:${number}:${hex}:${seal.fingerprint(signed(number, hex))}`;
}

/** null: it is none, or was not signed by this installation. */
export function readAnchor(text: string, seal: Encryption): Anchor | null {
  const [, digits, hash, signature] = ANCHOR.exec(text.trim()) ?? [];
  if (digits === undefined) return null;
  const number = Number(digits);
  return seal.matches(signed(number, hash!), signature!) === true ? { number, hash: hash! } : null;
}

/** The tables belong to roles that this one neither is nor may become. */
async function isGuarded(client: PoolClient): Promise<boolean> {
  const { rows } = await client.query<{ guarded: boolean }>(
    `SELECT bool_and(NOT pg_has_role(current_user, tableowner, 'MEMBER')) AS guarded
       FROM pg_tables WHERE schemaname = 'payonce_audit'`,
  );
  return rows[0]!.guarded;
}

async function faultOf(
  client: PoolClient,
  check: ChainCheck,
  anchor: Anchor | null,
): Promise<ChainFault | null> {
  let anchored: Buffer | null = null;
  for (;;) {
    const after = [check.rows];
    const { rows: records } = await client.query<ChainedRecord>(
      `${RECORD} WHERE number > $1 ORDER BY number LIMIT ${BATCH}`,
      after,
    );
    const { rows: witnesses } = await client.query<Witness>(
      `SELECT number, hash FROM payonce_audit.witness WHERE number > $1 ORDER BY number LIMIT ${BATCH}`,
      after,
    );
    const count = Math.max(records.length, witnesses.length);
    for (let i = 0; i < count; i++) {
      const fault = check.next(records[i], witnesses[i]);
      if (fault !== null) return fault;
      if (records[i]!.number === anchor?.number) anchored = records[i]!.hash;
    }
    if (count < BATCH) break;
  }
  if (anchor === null || anchored?.toString('hex') === anchor.hash) return null;
  return anchored === null
    ? { number: check.rows + 1, what: 'it and all that follow it are cut off, as the anchor shows' }
    : { number: anchor.number, what: 'it, or one before it, was written anew, as the anchor shows' };
}

function rowOf({
  number,
  at,
  actor,
  action,
  subject,
  sourceAddress,
  result,
  detail,
}: ChainedRecord): AuditRow {
  const { source_address: _from, result: _result, ...more } = JSON.parse(detail) as Record<string, unknown>;
  return {
    id: String(number),
    at: at.toISOString(),
    actor,
    action,
    subject,
    source_address: sourceAddress,
    result,
    detail: more,
  };
}

/** A row as it is exported: with its hashes, so that the file can be verified by itself. */
export function exportedOf({ at, previous, hash, merchantId, sourceAddress, ...record }: ChainedRecord) {
  const { number, actor, action, subject, result, detail } = record;
  return {
    number,
    at: at.toISOString(),
    actor,
    action,
    subject,
    merchant_id: merchantId,
    source_address: sourceAddress,
    result,
    detail,
    previous: previous.toString('hex'),
    hash: hash.toString('hex'),
  };
}
