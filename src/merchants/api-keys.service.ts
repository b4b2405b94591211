import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type EntityManager, Repository } from 'typeorm';
import { PAYOUTS, type Scope, scopes as knownScopes } from '../core/caller.js';
import { Clock } from '../core/clock.js';
import { Ids } from '../core/ids.js';
import { Problem } from '../core/problem.js';
import { sqlState, sqlStateOf } from '../database/sql-state.js';
import { ApiKey, isPast } from './api-key.entity.js';
import { CallersService } from './callers.service.js';
import { IssuedKeys } from './issued-keys.js';
import { invalid, noMerchant, recordMerchantAct, SYSTEM, UUID_SHAPE } from './merchant-act.js';
import { Merchant } from './merchant.entity.js';
import { newApiKey } from './new-api-key.js';

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

const HOUR_MS = 3_600_000;
/** Ten years; a key that is to live longer has no expiry. */
const MAX_KEY_HOURS = 87_600;

/** The API keys of merchants. Every refusal is a thrown Problem. */
@Injectable()
export class ApiKeysService {
  constructor(
    @InjectRepository(ApiKey) private readonly apiKeys: Repository<ApiKey>,
    @InjectRepository(Merchant) private readonly merchants: Repository<Merchant>,
    private readonly issued: IssuedKeys,
    private readonly callers: CallersService,
    readonly clock: Clock,
    readonly ids: Ids,
  ) {}

  async create(
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
        await recordMerchantAct(tx, this, {
          actor,
          merchantId,
          action: 'api_key.created',
          subject: `api-key:${issued.id}`,
          detail,
        });
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
  async rotate(
    merchantId: string,
    id: string,
    graceHours: number,
    actor = SYSTEM,
    { withoutPayouts = false }: Pick<ApiKeyTerms, 'withoutPayouts'> = {},
  ): Promise<IssuedApiKey & { readonly previous: ApiKeyView }> {
    refuseHours(graceHours);
    const rotated = await this.apiKeys.manager.transaction(async (tx) => {
      const old = await this.lock(tx, merchantId, id);
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
      await recordMerchantAct(tx, this, {
        actor,
        merchantId,
        action: 'api_key.rotated',
        subject: `api-key:${id}`,
        detail,
      });
      return { ...issued, previous: apiKeyView({ ...old, expiresAt }) };
    });
    this.callers.forget();
    return rotated;
  }

  /** From now on the key is refused: here at once, in other processes within 5 s. May be repeated. */
  async revoke(merchantId: string, id: string, actor = SYSTEM): Promise<ApiKeyView> {
    const revoked = await this.apiKeys.manager.transaction(async (tx) => {
      const key = await this.lock(tx, merchantId, id);
      const now = this.clock.now();
      const revokedAt = key.revokedAt ?? (now < key.createdAt ? key.createdAt : now);
      await tx.update(ApiKey, { merchantId, id }, { revokedAt });
      await recordMerchantAct(tx, this, {
        actor,
        merchantId,
        action: 'api_key.revoked',
        subject: `api-key:${key.id}`,
        detail: {},
      });
      return apiKeyView({ ...key, revokedAt });
    });
    this.callers.forget();
    return revoked;
  }

  /**
   * From now on the key may pay out: here at once, in other processes within 5 s.
   * @throws Problem `not_found`, `invalid_state` where it is revoked
   */
  async allowPayouts(merchantId: string, id: string, actor: string): Promise<void> {
    await this.apiKeys.manager.transaction(async (tx) => {
      const key = await this.lock(tx, merchantId, id);
      if (key.revokedAt !== null) throw new Problem('invalid_state', `API key ${id} is revoked`);
      const scopes = knownScopes.filter((scope) => scope === PAYOUTS || key.scopes.includes(scope));
      await tx.update(ApiKey, { merchantId, id }, { scopes });
      await recordMerchantAct(tx, this, {
        actor,
        merchantId,
        action: 'api_key.payouts_allowed',
        subject: `api-key:${id}`,
        detail: { scopes },
      });
    });
    this.callers.forget();
  }

  /** Newest first, revoked ones too; never the hash. */
  async list(merchantId: string): Promise<ApiKeyView[]> {
    if (!UUID_SHAPE.test(merchantId) || !(await this.merchants.existsBy({ id: merchantId }))) {
      throw noMerchant(merchantId);
    }
    return (await this.apiKeys.find({ where: { merchantId }, order: { id: 'DESC' } })).map(apiKeyView);
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

  private async lock(tx: EntityManager, merchantId: string, id: string): Promise<ApiKey> {
    const where = { merchantId, id };
    const isId = UUID_SHAPE.test(merchantId) && UUID_SHAPE.test(id);
    const key = isId && (await tx.findOne(ApiKey, { where, lock: { mode: 'pessimistic_write' } }));
    if (!key) throw noApiKey(merchantId, id);
    return key;
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

function refuseHours(hours: number | null): void {
  if (hours === null || (Number.isInteger(hours) && hours >= 1 && hours <= MAX_KEY_HOURS)) return;
  throw invalid('/hours', `whole hours from 1 to ${MAX_KEY_HOURS}`);
}

function noApiKey(merchantId: string, id: string): Problem {
  return new Problem('not_found', `merchant ${merchantId} has no API key ${id}`);
}
