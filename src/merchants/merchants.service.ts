import { Inject, Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { LRUCache } from 'lru-cache';
import { type EntityManager, IsNull, Repository } from 'typeorm';
import { Clock } from '../core/clock.js';
import { sqlState, sqlStateOf } from '../database/sql-state.js';
import { Ids } from '../core/ids.js';
import { Problem } from '../core/problem.js';
import { recordAct } from '../database/record-act.js';
import { translateOutage } from '../database/store-unavailable.js';
import { ApiKey } from './api-key.entity.js';
import { type Caller, type Scope, SERVICE, PAYOUTS, scopes as knownScopes } from '../core/caller.js';
import { initialSettings, merchantSettings, type SettingKey, settingsOf } from '../core/merchant-settings.js';
import { settingValueOf } from '../core/setting-value.js';
import { IssuedKeys } from './issued-keys.js';
import { Merchant } from './merchant.entity.js';
import { digestOf, newApiKey } from './new-api-key.js';
import { type ServiceClient } from './service-client.js';

/** A new key. `key` is shown this once and cannot be had again. */
export interface IssuedApiKey {
  readonly id: string;
  readonly key: string;
}

/** The terms of a new key, besides its scopes. */
interface ApiKeyTerms {
  /** How long it lives, 1 to 87,600 hours; null: until it is revoked. */
  readonly hours?: number | null;
  /** It is taken only with a client certificate of its merchant. */
  readonly needsCertificate?: boolean;
  /** It may pay out once `allowPayouts` says so. */
  readonly withoutPayouts?: boolean;
}

/** A key as its owner may see it. */
export type ApiKeyView = Omit<ApiKey, 'merchantId' | 'merchant' | 'hash' | 'hasChecksum' | 'createdBy'>;

/** A caller, and from when its key is refused. */
interface Known {
  readonly caller: Caller;
  readonly expiresAt: Date | null;
}

const UUID_SHAPE = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** How long an answer about a key is believed: a revocation is felt everywhere within this. */
const CACHE_TTL_MS = 5_000;
const CACHE_ENTRIES = 10_000;
/** How old "last used" may be before it is written again: once a minute costs a key nothing. */
const LAST_USED_STEP_MS = 60_000;
const HOUR_MS = 3_600_000;
/** Ten years; a key that is to live longer has no expiry. */
const MAX_KEY_HOURS = 87_600;
/** The actor of audit records where none is named. */
const SYSTEM = 'system:setup';

/** Merchants and their API keys. Every refusal is a thrown Problem. */
@Injectable()
export class Merchants {
  /**
   * By the hash of the key, so that memory holds no key, and merchants of services by their ids. It also holds pending
   * reads, so that concurrent misses share one query, and negative answers, so that a client that repeats a revoked key
   * costs little. Keys that were never issued are not stored and evict nothing.
   */
  private readonly callers: LRUCache<string, Promise<Known | null>>;
  private readonly issued: IssuedKeys;

  constructor(
    @InjectRepository(Merchant) private readonly merchants: Repository<Merchant>,
    @InjectRepository(ApiKey) private readonly apiKeys: Repository<ApiKey>,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(Ids) private readonly ids: Ids,
  ) {
    this.issued = new IssuedKeys(apiKeys, clock);
    this.callers = new LRUCache({
      max: CACHE_ENTRIES,
      ttl: CACHE_TTL_MS,
      ttlResolution: 0,
      perf: { now: () => clock.monotonicMs() },
    });
  }

  /** `duplicateWindow`: the text of that setting. */
  async createMerchant(name: string, duplicateWindow = '0', actor = SYSTEM): Promise<Merchant> {
    const trimmed = name.trim();
    if (!/^[^\p{Cc}\p{Cs}]{1,200}$/u.test(trimmed)) {
      throw invalid('/name', 'a name has 1 to 200 printable characters');
    }
    const duplicateWindowS = settingValueOf('duplicateWindowS', duplicateWindow);
    const [id, createdAt] = [this.ids.uuid(), this.clock.now()];
    const merchant = { id, name: trimmed, ...initialSettings, duplicateWindowS, testOf: null, createdAt };
    await this.merchants.manager.transaction(async (tx) => {
      await tx.insert(Merchant, merchant);
      const detail = { duplicate_window: duplicateWindowS };
      await this.record(tx, actor, merchant.id, 'merchant.created', `merchant:${merchant.id}`, detail);
    });
    return merchant;
  }

  /**
   * Sets a setting to the value that the text says, see `settingValueOf`. Requests notice here at once, in other
   * processes within 5 s; payouts and orphan effects, which read it themselves, at once everywhere.
   */
  async set(merchantId: string, key: SettingKey, text: string, actor = SYSTEM): Promise<Merchant> {
    const value = settingValueOf(key, text);
    const { name } = merchantSettings[key];
    if (!UUID_SHAPE.test(merchantId)) throw noMerchant(merchantId);
    const changed = await this.merchants.manager.transaction(async (tx) => {
      const { affected } = await tx.update(Merchant, { id: merchantId }, { [key]: value });
      if (affected !== 1) throw noMerchant(merchantId);
      const detail = { [name]: value };
      await this.record(tx, actor, merchantId, `merchant.${name}_set`, `merchant:${merchantId}`, detail);
      return tx.findOneByOrFail(Merchant, { id: merchantId });
    });
    this.callers.clear();
    return changed;
  }

  /**
   * The test mode of a merchant: a merchant of its own, so that nothing of one is seen or changed by a key of the
   * other. It is made when it is asked for the first time.
   */
  async testModeOf(merchantId: string, actor = SYSTEM): Promise<Merchant> {
    const merchant = UUID_SHAPE.test(merchantId) && (await this.merchants.findOneBy({ id: merchantId }));
    if (!merchant) throw noMerchant(merchantId);
    if (merchant.testOf !== null) return merchant;
    return this.merchants.manager.transaction(async (tx) => {
      const { name, duplicateWindowS } = merchant;
      const [id, createdAt] = [this.ids.uuid(), this.clock.now()];
      const made = { id, name, ...initialSettings, duplicateWindowS, testOf: merchantId, createdAt };
      await tx.createQueryBuilder().insert().into(Merchant).values(made).orIgnore().execute();
      const stored = await tx.findOneByOrFail(Merchant, { testOf: merchantId });
      if (stored.id === id) {
        await this.record(tx, actor, id, 'merchant.created', `merchant:${id}`, { test_of: merchantId });
      }
      return stored;
    });
  }

  /** Newest first. */
  listMerchants(): Promise<Merchant[]> {
    return this.merchants.find({ order: { id: 'DESC' } });
  }

  async createApiKey(
    merchantId: string,
    scopes: readonly string[],
    actor = SYSTEM,
    { hours = null, needsCertificate = false, withoutPayouts = false }: ApiKeyTerms = {},
  ): Promise<IssuedApiKey> {
    const wanted = knownScopes.filter((scope) => scopes.includes(scope));
    if (wanted.length === 0 || scopes.some((scope) => !knownScopes.includes(scope as Scope))) {
      throw invalid('/scopes', `one or more of ${knownScopes.join(', ')}`);
    }
    const granted = grantedOf(wanted, withoutPayouts);
    refuseHours(hours);
    if (!UUID_SHAPE.test(merchantId)) throw noMerchant(merchantId);
    try {
      return await this.apiKeys.manager.transaction(async (tx) => {
        const livesMs = hours === null ? null : hours * HOUR_MS;
        const issued = await this.issue(
          tx,
          { merchantId, scopes: granted, needsCertificate, createdBy: actor },
          livesMs,
        );
        const detail = { scopes: granted, hours, needs_certificate: needsCertificate };
        await this.record(tx, actor, merchantId, 'api_key.created', `api-key:${issued.id}`, detail);
        return issued;
      });
    } catch (error) {
      if (sqlStateOf(error) === sqlState.FOREIGN_KEY_VIOLATION) throw noMerchant(merchantId);
      throw error;
    }
  }

  /**
   * A new key on the terms of this one, which is refused in `graceHours` (1 to 87,600), or
   * when it would have expired. Throws Problem `invalid_state` where this one is refused already.
   */
  async rotateApiKey(
    merchantId: string,
    id: string,
    graceHours: number,
    actor = SYSTEM,
    { withoutPayouts = false }: Pick<ApiKeyTerms, 'withoutPayouts'> = {},
  ): Promise<IssuedApiKey & { readonly previous: ApiKeyView }> {
    refuseHours(graceHours);
    const rotated = await this.apiKeys.manager.transaction(async (tx) => {
      const old = await this.lockApiKey(tx, merchantId, id);
      const now = this.clock.now();
      if (old.revokedAt !== null || isPast(old.expiresAt, now)) {
        throw new Problem('invalid_state', `API key ${id} is revoked or has expired`);
      }
      const livesMs = old.expiresAt && old.expiresAt.getTime() - old.createdAt.getTime();
      const { needsCertificate } = old;
      const scopes = grantedOf(old.scopes, withoutPayouts);
      const issued = await this.issue(
        tx,
        { merchantId, scopes, needsCertificate, createdBy: actor },
        livesMs,
      );
      const end = new Date(Math.max(now.getTime(), old.createdAt.getTime()) + graceHours * HOUR_MS);
      const expiresAt = old.expiresAt && old.expiresAt < end ? old.expiresAt : end;
      await tx.update(ApiKey, { merchantId, id }, { expiresAt });
      const detail = { successor: issued.id, expires_at: expiresAt };
      await this.record(tx, actor, merchantId, 'api_key.rotated', `api-key:${id}`, detail);
      return { ...issued, previous: apiKeyView({ ...old, expiresAt }) };
    });
    this.callers.clear();
    return rotated;
  }

  /** From now on the key is refused: here at once, in other processes within 5 s. May be repeated. */
  async revokeApiKey(merchantId: string, id: string, actor = SYSTEM): Promise<ApiKeyView> {
    const revoked = await this.apiKeys.manager.transaction(async (tx) => {
      const key = await this.lockApiKey(tx, merchantId, id);
      const now = this.clock.now();
      const revokedAt = key.revokedAt ?? (now < key.createdAt ? key.createdAt : now);
      await tx.update(ApiKey, { merchantId, id }, { revokedAt });
      await this.record(tx, actor, merchantId, 'api_key.revoked', `api-key:${key.id}`, {});
      return apiKeyView({ ...key, revokedAt });
    });
    this.callers.clear();
    return revoked;
  }

  /**
   * From now on the key may pay out: here at once, in other processes within 5 s.
   * @throws Problem `not_found`, `invalid_state` where it is revoked
   */
  async allowPayouts(merchantId: string, id: string, actor: string): Promise<void> {
    await this.apiKeys.manager.transaction(async (tx) => {
      const key = await this.lockApiKey(tx, merchantId, id);
      if (key.revokedAt !== null) throw new Problem('invalid_state', `API key ${id} is revoked`);
      const scopes = knownScopes.filter((scope) => scope === PAYOUTS || key.scopes.includes(scope));
      await tx.update(ApiKey, { merchantId, id }, { scopes });
      await this.record(tx, actor, merchantId, 'api_key.payouts_allowed', `api-key:${id}`, { scopes });
    });
    this.callers.clear();
  }

  /** Newest first, revoked ones too; never the hash. */
  async listApiKeys(merchantId: string): Promise<ApiKeyView[]> {
    if (!UUID_SHAPE.test(merchantId) || !(await this.merchants.existsBy({ id: merchantId }))) {
      throw noMerchant(merchantId);
    }
    return (await this.apiKeys.find({ where: { merchantId }, order: { id: 'DESC' } })).map(apiKeyView);
  }

  /** Who it is that sent these credentials: what followed "Bearer ". Throws Problem `unauthorized`. */
  async authenticate(bearer: string): Promise<Caller> {
    // The database compares hashes, which cannot be approached byte by byte as a key could.
    const known = await this.callerOf(bearer);
    if (!known || isPast(known.expiresAt, this.clock.now())) {
      throw new Problem('unauthorized', 'The API key is missing, unknown, revoked or expired');
    }
    return known.caller;
  }

  /** The same for a service that its token or certificate names. Throws Problem `unauthorized`. */
  async callerOfService({ name, merchantId, scopes }: ServiceClient): Promise<Caller> {
    const known = await this.remembered(`merchant:${merchantId}`, () => this.readMerchant(merchantId));
    if (!known) throw new Problem('unauthorized', 'The merchant of this service is not there');
    return { ...known.caller, apiKeyId: `${SERVICE}${name}`, scopes };
  }

  private async callerOf(bearer: string): Promise<Known | null> {
    const digest = digestOf(bearer);
    const known = this.callers.get(digest);
    if (known) return known;
    // A key with a wrong checksum is refused without a query.
    if (!(await translateOutage(this.issued.mayHold(bearer)))) return null;
    return this.remembered(digest, () => this.readCaller(digest));
  }

  private remembered(name: string, read: () => Promise<Known | null>): Promise<Known | null> {
    const known = this.callers.get(name);
    if (known) return known;
    const asked = read();
    this.callers.set(name, asked);
    // Only answers are kept: a database that was away for a moment is read again.
    asked.catch(() => {
      if (this.callers.peek(name) === asked) this.callers.delete(name);
    });
    return asked;
  }

  private async readMerchant(merchantId: string): Promise<Known | null> {
    const merchant = await translateOutage(this.merchants.findOneBy({ id: merchantId }));
    if (!merchant) return null;
    const caller = {
      merchantId,
      apiKeyId: '',
      scopes: [],
      needsCertificate: false,
      ...settingsOf(merchant),
      isTest: merchant.testOf !== null,
    };
    return { caller, expiresAt: null };
  }

  private async readCaller(digest: string): Promise<Known | null> {
    const hash = Buffer.from(digest, 'base64');
    const where = { hash, revokedAt: IsNull() };
    const [key] = await translateOutage(this.apiKeys.find({ where, relations: { merchant: true } }));
    if (!key) return null;
    const { merchantId, id: apiKeyId, scopes, needsCertificate, expiresAt } = key;
    const now = this.clock.now();
    if (!isPast(expiresAt, now)) this.noteUse(key, now);
    const merchant = key.merchant!;
    const isTest = merchant.testOf !== null;
    const caller = { merchantId, apiKeyId, scopes, needsCertificate, ...settingsOf(merchant), isTest };
    return { caller: Object.freeze(caller), expiresAt };
  }

  /** Not waited for: a request does not fail for what only people read. */
  private noteUse({ merchantId, id, lastUsedAt }: ApiKey, now: Date): void {
    if (lastUsedAt && now.getTime() - lastUsedAt.getTime() < LAST_USED_STEP_MS) return;
    this.apiKeys.update({ merchantId, id }, { lastUsedAt: now }).catch(() => {});
  }

  private async issue(
    tx: EntityManager,
    of: Pick<ApiKey, 'merchantId' | 'scopes' | 'needsCertificate' | 'createdBy'>,
    livesMs: number | null,
  ): Promise<IssuedApiKey> {
    const { merchantId } = of;
    const id = this.ids.uuid();
    const merchant = await tx.findOneBy(Merchant, { id: merchantId });
    if (!merchant) throw noMerchant(merchantId);
    const { key, prefix, hash } = newApiKey(id, merchant.testOf !== null, await this.issued.checksumSecret());
    const createdAt = this.clock.now();
    const expiresAt = livesMs === null ? null : new Date(createdAt.getTime() + livesMs);
    await tx.insert(ApiKey, { ...of, id, hash, prefix, hasChecksum: true, createdAt, expiresAt });
    return { id, key };
  }

  private async lockApiKey(tx: EntityManager, merchantId: string, id: string): Promise<ApiKey> {
    const where = { merchantId, id };
    const isId = UUID_SHAPE.test(merchantId) && UUID_SHAPE.test(id);
    const key = isId && (await tx.findOne(ApiKey, { where, lock: { mode: 'pessimistic_write' } }));
    if (!key) throw noApiKey(merchantId, id);
    return key;
  }

  private record(
    tx: EntityManager,
    actor: string,
    merchantId: string,
    action: string,
    subject: string,
    detail: Readonly<Record<string, unknown>>,
  ): Promise<void> {
    const [id, at] = [this.ids.uuid(), this.clock.now()];
    return recordAct(tx, { merchantId, id, at, actor, action, subject, detail });
  }
}

/** Names what may be seen, so that a later column is not. */
function apiKeyView(key: ApiKey): ApiKeyView {
  const { id, prefix, scopes, needsCertificate, createdAt, revokedAt, expiresAt, lastUsedAt } = key;
  return { id, prefix, scopes, needsCertificate, createdAt, revokedAt, expiresAt, lastUsedAt };
}

function grantedOf(scopes: readonly Scope[], withoutPayouts: boolean): Scope[] {
  return scopes.filter((scope) => !withoutPayouts || scope !== PAYOUTS);
}

function isPast(time: Date | null, now: Date): boolean {
  return time !== null && time <= now;
}

function refuseHours(hours: number | null): void {
  if (hours === null || (Number.isInteger(hours) && hours >= 1 && hours <= MAX_KEY_HOURS)) return;
  throw invalid('/hours', `whole hours from 1 to ${MAX_KEY_HOURS}`);
}

function noApiKey(merchantId: string, id: string): Problem {
  return new Problem('not_found', `merchant ${merchantId} has no API key ${id}`);
}

function noMerchant(merchantId: string): Problem {
  return new Problem('not_found', `there is no merchant ${merchantId}`);
}

function invalid(pointer: string, message: string): Problem {
  return new Problem('validation_failed', message, { errors: [{ pointer, message }] });
}
