import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { Clock } from '../core/clock.js';
import { Ids } from '../core/ids.js';
import { initialSettings, merchantSettings, type SettingKey } from '../core/merchant-settings.js';
import { settingValueOf } from '../core/setting-value.js';
import { CallersService } from './callers.service.js';
import { invalid, noMerchant, recordMerchantAct, SYSTEM, UUID_SHAPE } from './merchant-act.js';
import { Merchant } from './merchant.entity.js';

/** Merchants and their settings. Every refusal is a thrown Problem. */
@Injectable()
export class MerchantsService {
  constructor(
    @InjectRepository(Merchant) private readonly merchants: Repository<Merchant>,
    private readonly callers: CallersService,
    readonly clock: Clock,
    readonly ids: Ids,
  ) {}

  /** `duplicateWindow`: the text of that setting. */
  async create(name: string, duplicateWindow = '0', actor = SYSTEM): Promise<Merchant> {
    const trimmed = nameOf(name);
    const duplicateWindowS = settingValueOf('duplicateWindowS', duplicateWindow);
    const [id, createdAt] = [this.ids.uuid(), this.clock.now()];
    const merchant = { id, name: trimmed, ...initialSettings, duplicateWindowS, testOf: null, createdAt };
    await this.merchants.manager.transaction(async (tx) => {
      await tx.insert(Merchant, merchant);
      const detail = { duplicate_window: duplicateWindowS };
      await recordMerchantAct(tx, this, {
        actor,
        merchantId: merchant.id,
        action: 'merchant.created',
        subject: `merchant:${merchant.id}`,
        detail,
      });
    });
    return merchant;
  }

  /** Only people see the name. @throws Problem `validation_failed`, `not_found` */
  async rename(merchantId: string, name: string, actor: string): Promise<void> {
    const renamed = nameOf(name);
    if (!UUID_SHAPE.test(merchantId)) throw noMerchant(merchantId);
    await this.merchants.manager.transaction(async (tx) => {
      const { affected } = await tx.update(Merchant, { id: merchantId }, { name: renamed });
      if (affected !== 1) throw noMerchant(merchantId);
      await recordMerchantAct(tx, this, {
        actor,
        merchantId,
        action: 'merchant.renamed',
        subject: `merchant:${merchantId}`,
        detail: { name: renamed },
      });
    });
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
      await recordMerchantAct(tx, this, {
        actor,
        merchantId,
        action: `merchant.${name}_set`,
        subject: `merchant:${merchantId}`,
        detail,
      });
      return tx.findOneByOrFail(Merchant, { id: merchantId });
    });
    this.callers.forget();
    return changed;
  }

  /**
   * The test mode of a merchant: a merchant of its own, so that nothing of one is seen or changed by a key of the
   * other. It is made when it is asked for the first time.
   */
  async testModeOf(merchantId: string, actor = SYSTEM): Promise<Merchant> {
    const merchant = await this.get(merchantId);
    if (merchant.testOf !== null) return merchant;
    return this.merchants.manager.transaction(async (tx) => {
      const { name, duplicateWindowS } = merchant;
      const [id, createdAt] = [this.ids.uuid(), this.clock.now()];
      const made = { id, name, ...initialSettings, duplicateWindowS, testOf: merchantId, createdAt };
      await tx.createQueryBuilder().insert().into(Merchant).values(made).orIgnore().execute();
      const stored = await tx.findOneByOrFail(Merchant, { testOf: merchantId });
      if (stored.id === id) {
        await recordMerchantAct(tx, this, {
          actor,
          merchantId: id,
          action: 'merchant.created',
          subject: `merchant:${id}`,
          detail: { test_of: merchantId },
        });
      }
      return stored;
    });
  }

  /** @throws Problem `not_found` */
  async get(id: string): Promise<Merchant> {
    const merchant = UUID_SHAPE.test(id) && (await this.merchants.findOneBy({ id }));
    if (!merchant) throw noMerchant(id);
    return merchant;
  }

  /** Newest first. */
  list(): Promise<Merchant[]> {
    return this.merchants.find({ order: { id: 'DESC' } });
  }
}

function nameOf(text: string): string {
  const name = text.trim();
  if (/^[^\p{Cc}\p{Cs}]{1,200}$/u.test(name)) return name;
  throw invalid('/name', 'a name has 1 to 200 printable characters');
}
