import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { LRUCache } from 'lru-cache';
import { IsNull, Repository } from 'typeorm';
import { type Caller, SERVICE } from '../core/caller.js';
import { Clock } from '../core/clock.js';
import { settingsOf } from '../core/merchant-settings.js';
import { Problem } from '../core/problem.js';
import { translateOutage } from '../database/store-unavailable.js';
import { ApiKey, isPast } from './api-key.entity.js';
import { IssuedKeys } from './issued-keys.js';
import { Merchant } from './merchant.entity.js';
import { digestOf } from './new-api-key.js';
import { type ServiceClient } from './service-client.js';

/** A caller, and from when its key is refused. */
interface CachedCaller {
  readonly caller: Caller;
  readonly expiresAt: Date | null;
}

/** How long an answer about a key is believed: a revocation is felt everywhere within this. */
const CACHE_TTL_MS = 5_000;
const CACHE_ENTRIES = 10_000;
/** How old "last used" may be before it is written again: once a minute costs a key nothing. */
const LAST_USED_STEP_MS = 60_000;

/** Who a request comes from. */
@Injectable()
export class CallersService {
  /**
   * By the hash of the key, so that memory holds no key, and merchants of services by their ids. It also holds pending
   * reads, so that concurrent misses share one query, and negative answers, so that a client that repeats a revoked key
   * costs little. Keys that were never issued are not stored and evict nothing.
   */
  private readonly callers: LRUCache<string, Promise<CachedCaller | null>>;

  constructor(
    @InjectRepository(ApiKey) private readonly apiKeys: Repository<ApiKey>,
    @InjectRepository(Merchant) private readonly merchants: Repository<Merchant>,
    private readonly issued: IssuedKeys,
    private readonly clock: Clock,
  ) {
    this.callers = new LRUCache({
      max: CACHE_ENTRIES,
      ttl: CACHE_TTL_MS,
      ttlResolution: 0,
      perf: { now: () => clock.monotonicMs() },
    });
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
  async ofService({ name, merchantId, scopes }: ServiceClient): Promise<Caller> {
    const known = await this.remembered(`merchant:${merchantId}`, () => this.readMerchant(merchantId));
    if (!known) throw new Problem('unauthorized', 'The merchant of this service is not there');
    return { ...known.caller, apiKeyId: `${SERVICE}${name}`, scopes };
  }

  /** A key or a merchant has changed: the next request of each reads it again. */
  forget(): void {
    this.callers.clear();
  }

  private async callerOf(bearer: string): Promise<CachedCaller | null> {
    const digest = digestOf(bearer);
    const known = this.callers.get(digest);
    if (known) return known;
    // A key with a wrong checksum is refused without a query.
    if (!(await translateOutage(this.issued.mayHold(bearer)))) return null;
    return this.remembered(digest, () => this.readCaller(digest));
  }

  private remembered(name: string, read: () => Promise<CachedCaller | null>): Promise<CachedCaller | null> {
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

  private async readMerchant(merchantId: string): Promise<CachedCaller | null> {
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

  private async readCaller(digest: string): Promise<CachedCaller | null> {
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
}
