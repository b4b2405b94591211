import { hash, randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { type Pool } from 'pg';
import { type Clock } from '../core/clock.js';
import { sqlState, sqlStateOf } from '../database/database.js';
import { type Ids } from '../core/ids.js';
import { Problem } from '../core/problem.js';
import { translateOutage } from '../database/store-unavailable.js';
import { type ApiKey } from './api-key.entity.js';
import { type Authenticator, type Caller, type Scope, scopes as knownScopes } from './caller.js';
import { type Merchant } from './merchant.entity.js';

/** A new key. `key` is shown this once and cannot be had again. */
export interface IssuedApiKey {
  readonly id: string;
  readonly key: string;
}

/** A key as its owner may see it. */
export type ApiKeyView = Pick<ApiKey, 'id' | 'prefix' | 'scopes' | 'createdAt' | 'revokedAt'>;

/**
 * `po_live_<12 hex of its id>_<32 random bytes in base64url>`: a fixed shape that secret scanners
 * can recognise in a commit or a log, with a part by which people can tell keys apart.
 */
const KEY_SHAPE = /^po_live_[0-9a-f]{12}_[A-Za-z0-9_-]{43}$/;
const UUID_SHAPE = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** How long an answer about a key is believed: a revocation is felt everywhere within this. */
const CACHE_TTL_MS = 5_000;
const CACHE_ENTRIES = 10_000;
/** A mistake is noticed within a day, or by a person. */
const MAX_WINDOW_S = 86_400;
/** Whose act it is where no actor is named. */
const SYSTEM = 'system:setup';
/** Completed by a SELECT: the record is written by the statement that does what it tells of. */
const RECORD = 'INSERT INTO audit_records (merchant_id, id, at, actor, action, subject, detail)';
const MERCHANT = 'id, name, duplicate_window_s AS "duplicateWindowS", created_at AS "createdAt"';

/** Merchants and their API keys. Every refusal is a thrown Problem. */
export class Merchants implements Authenticator {
  /**
   * By the hash of the key, so that no key lies in memory. Holds answers under way too, which makes
   * concurrent misses share one query, and negative ones, which makes a client that repeats a wrong
   * key cheap.
   */
  private readonly callers: LRUCache<string, Promise<Caller | null>>;

  constructor(
    private readonly pool: Pool,
    private readonly clock: Clock,
    private readonly ids: Ids,
  ) {
    this.callers = new LRUCache({
      max: CACHE_ENTRIES,
      ttl: CACHE_TTL_MS,
      ttlResolution: 0,
      perf: { now: () => clock.monotonicMs() },
    });
  }

  /** `duplicateWindowS`: see `setDuplicateWindow`. */
  async createMerchant(name: string, duplicateWindowS = 0, actor = SYSTEM): Promise<Merchant> {
    const trimmed = name.trim();
    if (!/^[^\p{Cc}\p{Cs}]{1,200}$/u.test(trimmed)) {
      throw invalid('/name', 'a name has 1 to 200 printable characters');
    }
    refuseWindow(duplicateWindowS);
    const merchant = { id: this.ids.uuid(), name: trimmed, duplicateWindowS, createdAt: this.clock.now() };
    await this.pool.query(
      `WITH done AS (
         INSERT INTO merchants (id, name, duplicate_window_s, created_at) VALUES ($1, $2, $3, $4) RETURNING id)
       ${RECORD} SELECT id, $5, $4, $6, 'merchant.created', 'merchant:' || id,
              jsonb_build_object('duplicate_window', $3::integer) FROM done`,
      [merchant.id, merchant.name, merchant.duplicateWindowS, merchant.createdAt, this.ids.uuid(), actor],
    );
    return merchant;
  }

  /**
   * For so many seconds, 0 (never) to 86,400, the same payment under another key is refused. Holds for
   * payments from now on: here at once, in other processes within 5 s.
   */
  async setDuplicateWindow(merchantId: string, seconds: number, actor = SYSTEM): Promise<Merchant> {
    refuseWindow(seconds);
    if (!UUID_SHAPE.test(merchantId)) throw noMerchant(merchantId);
    const { rows } = await this.pool.query<Merchant>(
      `WITH done AS (
         UPDATE merchants SET duplicate_window_s = $2 WHERE id = $1 RETURNING ${MERCHANT}),
       recorded AS (
         ${RECORD} SELECT id, $3, $4, $5, 'merchant.duplicate_window_set', 'merchant:' || id,
                jsonb_build_object('duplicate_window', $2::integer) FROM done)
       SELECT * FROM done`,
      [merchantId, seconds, this.ids.uuid(), this.clock.now(), actor],
    );
    if (!rows[0]) throw noMerchant(merchantId);
    this.callers.clear();
    return rows[0];
  }

  /** Newest first. */
  async listMerchants(): Promise<Merchant[]> {
    const { rows } = await this.pool.query<Merchant>(`SELECT ${MERCHANT} FROM merchants ORDER BY id DESC`);
    return rows;
  }

  async createApiKey(merchantId: string, scopes: readonly string[], actor = SYSTEM): Promise<IssuedApiKey> {
    const wanted = knownScopes.filter((scope) => scopes.includes(scope));
    if (wanted.length === 0 || scopes.some((scope) => !knownScopes.includes(scope as Scope))) {
      throw invalid('/scopes', `one or more of ${knownScopes.join(', ')}`);
    }
    if (!UUID_SHAPE.test(merchantId)) throw noMerchant(merchantId);
    const id = this.ids.uuid();
    const prefix = `po_live_${id.slice(-12)}`;
    const key = `${prefix}_${randomBytes(32).toString('base64url')}`;
    try {
      await this.pool.query(
        `WITH done AS (
           INSERT INTO api_keys (merchant_id, id, hash, prefix, scopes, created_at)
           VALUES ($1, $2, $3, $4, $5, $6) RETURNING merchant_id, id)
         ${RECORD} SELECT merchant_id, $7, $6, $8, 'api_key.created', 'api-key:' || id,
                jsonb_build_object('scopes', $5::text[]) FROM done`,
        [
          merchantId,
          id,
          Buffer.from(digestOf(key), 'base64'),
          prefix,
          wanted,
          this.clock.now(),
          this.ids.uuid(),
          actor,
        ],
      );
    } catch (error) {
      if (sqlStateOf(error) === sqlState.FOREIGN_KEY_VIOLATION) throw noMerchant(merchantId);
      throw error;
    }
    return { id, key };
  }

  /** From now on the key is refused: here at once, in other processes within 5 s. May be repeated. */
  async revokeApiKey(merchantId: string, id: string, actor = SYSTEM): Promise<ApiKeyView> {
    const shaped = UUID_SHAPE.test(merchantId) && UUID_SHAPE.test(id);
    const { rows } = shaped
      ? await this.pool.query<ApiKeyView>(
          `WITH done AS (
             UPDATE api_keys SET revoked_at = COALESCE(revoked_at, GREATEST($3::timestamptz, created_at))
              WHERE merchant_id = $1 AND id = $2
             RETURNING id, prefix, scopes, created_at AS "createdAt", revoked_at AS "revokedAt"),
           recorded AS (
             ${RECORD} SELECT $1, $4, $3, $5, 'api_key.revoked', 'api-key:' || id, '{}' FROM done)
           SELECT * FROM done`,
          [merchantId, id, this.clock.now(), this.ids.uuid(), actor],
        )
      : { rows: [] };
    const [key] = rows;
    if (!key) throw new Problem('not_found', `merchant ${merchantId} has no API key ${id}`);
    this.callers.clear();
    return key;
  }

  /** Newest first, revoked ones too; never the hash. */
  async listApiKeys(merchantId: string): Promise<ApiKeyView[]> {
    if (!UUID_SHAPE.test(merchantId)) throw noMerchant(merchantId);
    const { rows } = await this.pool.query<{ [Field in keyof ApiKeyView]: ApiKeyView[Field] | null }>(
      `SELECT k.id, k.prefix, k.scopes, k.created_at AS "createdAt", k.revoked_at AS "revokedAt"
         FROM merchants m LEFT JOIN api_keys k ON k.merchant_id = m.id
        WHERE m.id = $1
        ORDER BY k.id DESC`,
      [merchantId],
    );
    if (rows.length === 0) throw noMerchant(merchantId);
    return rows.filter((row): row is ApiKeyView => row.id !== null);
  }

  async authenticate(bearer: string): Promise<Caller> {
    // What is not shaped like a key costs nothing more; one that is costs one hash and one look,
    // the same for right and wrong ones. The database compares hashes, which cannot be approached
    // byte by byte as a key could.
    const caller = KEY_SHAPE.test(bearer) ? await this.callerOf(digestOf(bearer)) : null;
    if (!caller) throw new Problem('unauthorized', 'The API key is missing, unknown or revoked');
    return caller;
  }

  private callerOf(digest: string): Promise<Caller | null> {
    const known = this.callers.get(digest);
    if (known) return known;
    const asked = this.readCaller(digest);
    this.callers.set(digest, asked);
    // Only answers are kept: a database that was away for a moment is asked again.
    asked.catch(() => {
      if (this.callers.peek(digest) === asked) this.callers.delete(digest);
    });
    return asked;
  }

  private async readCaller(digest: string): Promise<Caller | null> {
    const query = this.pool.query<Caller>({
      name: 'api-key-by-hash',
      text: `SELECT k.merchant_id AS "merchantId", k.id AS "apiKeyId", k.scopes,
                    m.duplicate_window_s AS "duplicateWindowS"
               FROM api_keys k JOIN merchants m ON m.id = k.merchant_id
              WHERE k.hash = $1 AND k.revoked_at IS NULL`,
      values: [Buffer.from(digest, 'base64')],
    });
    const { rows } = await translateOutage(query);
    return rows[0] ? Object.freeze(rows[0]) : null;
  }
}

/**
 * SHA-256, base64. Slow password hashing protects secrets that people choose; a key has 256 random
 * bits, which no amount of guessing reaches, and is checked on every request.
 */
function digestOf(key: string): string {
  return hash('sha256', key, 'base64');
}

function noMerchant(merchantId: string): Problem {
  return new Problem('not_found', `there is no merchant ${merchantId}`);
}

function refuseWindow(seconds: number): void {
  if (Number.isInteger(seconds) && seconds >= 0 && seconds <= MAX_WINDOW_S) return;
  throw invalid('/duplicate_window', `whole seconds from 0 (off) to ${MAX_WINDOW_S}`);
}

function invalid(pointer: string, message: string): Problem {
  return new Problem('validation_failed', message, { errors: [{ pointer, message }] });
}
