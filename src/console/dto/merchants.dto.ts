import { scopes } from '../../core/caller.js';
import { type SettingName, settingNames } from '../../core/merchant-settings.js';
import { MAX_COUNT, type PayoutLimit, payoutLimitScopes } from '../../merchants/payout-limits.js';
import { IsFlag, IsOneOf, IsText, IsTextList, IsWholeNumber } from '../../http/fields.js';
import { IsCurrencyCode, UUID } from '../../http/shared-fields.js';
import { MAX_AMOUNT } from '../../core/money.js';
import { IsTotpCode } from '../../operators/dto/totp-code.js';

export class CreateMerchantDto {
  @IsText({ minLength: 1, maxLength: 200, message: 'must be 1 to 200 characters' })
  name: string;
}

/** `merchantSettings` says which texts a setting takes. */
export class SetSettingDto {
  @IsTotpCode()
  code?: string;

  @IsOneOf(settingNames)
  name: SettingName;

  @IsText({ maxLength: 64, message: 'must be the text of a value' })
  value: string;
}

const hours = { minimum: 1, maximum: 87_600 };

export class CreateApiKeyDto {
  @IsTotpCode()
  code?: string;

  @IsTextList({ items: scopes, minItems: 1, unique: true, message: 'must be a list of scopes' })
  scopes: string[];

  /** It lives until it is revoked where this is left out. */
  @IsWholeNumber({ ...hours, optional: true })
  expires_in_hours?: number;

  /** It is taken only with a client certificate of the merchant. */
  @IsFlag({ optional: true })
  needs_certificate?: boolean;

  /** For the merchant's test mode. */
  @IsFlag({ optional: true })
  test?: boolean;
}

export class ApiKeyIdDto {
  @IsText({ pattern: UUID, maxLength: 36, message: 'must be the id of an API key' })
  id: string;
}

export class RotateApiKeyDto extends ApiKeyIdDto {
  @IsTotpCode()
  code?: string;

  /** How long the key that is replaced stays live. */
  @IsWholeNumber(hours)
  grace_hours: number;
}

export class NamePayoutLimitDto {
  @IsTotpCode()
  code?: string;

  @IsCurrencyCode()
  currency: string;

  @IsOneOf(payoutLimitScopes)
  per: PayoutLimit['per'];
}

export class SetPayoutLimitDto extends NamePayoutLimitDto {
  /** Minor units; any amount where it is left out. */
  @IsWholeNumber({ minimum: 0, maximum: MAX_AMOUNT, optional: true })
  amount?: number;

  /** Any number of payouts where it is left out. */
  @IsWholeNumber({ minimum: 0, maximum: MAX_COUNT, optional: true })
  count?: number;

  limit(): PayoutLimit {
    const { currency, per, amount = null, count = null } = this;
    return { currency, per, amount, count };
  }
}

export class EndpointIdDto {
  @IsText({ pattern: UUID, maxLength: 36, message: 'must be the id of a webhook endpoint' })
  id: string;
}

export class RecipientIdDto {
  @IsText({ pattern: UUID, maxLength: 36, message: 'must be the id of a recipient' })
  id: string;
}

export class ApproveRecipientDto extends RecipientIdDto {
  /** The one that was looked at. */
  @IsWholeNumber({ minimum: 1, maximum: 2_147_483_647 })
  version: number;
}
