import { invalidFields } from '../../core/problem.js';
import { IsAnyObject, IsFlag, IsOneOf, IsText, IsTextList, IsWholeNumber } from '../../http/fields.js';
import { accountNames, IsAmount, IsCurrencyCode, UUID } from '../../http/shared-fields.js';
import { type MethodName, methodNames } from '../../psp/payment-method.js';
import { type RoutingFacts } from '../../psp/router.js';
import { IsTotpCode } from '../../operators/dto/totp-code.js';

export class SetBreakerDto {
  @IsText({ minLength: 1, maxLength: 64, message: 'must be the name of a PSP account' })
  psp: string;

  @IsFlag({})
  open: boolean;

  @IsText({ minLength: 1, maxLength: 500, message: 'must say in 1 to 500 characters why' })
  note: string;

  reason(): string {
    const note = this.note.trim();
    if (note === '') throw invalidFields([{ pointer: '/note', message: 'must say why' }]);
    return note;
  }
}

const written = { maxProperties: 20, maxCharacters: 500_000, message: 'must be an object' };
const name = { minLength: 1, maxLength: 40, message: 'must be the name of a PSP account' };

/** An account as the PSPs file has it; `env:` is not looked up. */
export class AddAccountDto {
  @IsAnyObject(written)
  account: Record<string, unknown>;
}

export class ChangeAccountDto {
  @IsTotpCode()
  code?: string;

  @IsText(name)
  psp: string;

  /** Members of the account that change, its credentials each by itself; null takes one away. */
  @IsAnyObject(written)
  change: Record<string, unknown>;
}

export class NamePspDto {
  @IsText(name)
  psp: string;
}

export class DisableAccountDto extends NamePspDto {
  @IsFlag({})
  disabled: boolean;
}

export class SetRoutingDto {
  @IsTotpCode()
  code?: string;

  @IsText({ pattern: UUID, maxLength: 36, message: 'must be the id of a merchant' })
  merchant_id: string;

  /** `{ "rules": [...] }` as the PSPs file has them; `{}`: those of the PSPs file apply again. */
  @IsAnyObject(written)
  routing: { rules?: unknown };

  /** The version of the rules that were looked at; 0 where the merchant has had none. */
  @IsWholeNumber({ minimum: 0, maximum: 2_147_483_647 })
  replaces: number;
}

export class RoutingOfDto {
  /** The rules for all merchants where it is left out. */
  @IsText({ pattern: UUID, maxLength: 36, optional: true, message: 'must be the id of a merchant' })
  merchant_id?: string;
}

const routed = ['charge', 'authorize', 'payout'] as const;

/** A payment that is not made. */
export class RouteExampleDto {
  @IsOneOf(routed)
  operation: (typeof routed)[number];

  @IsAmount()
  amount: number;

  @IsCurrencyCode()
  currency: string;

  /** A card where it is left out. Payouts have none. */
  @IsOneOf(methodNames, { optional: true })
  method?: MethodName;

  @IsText({ minLength: 1, maxLength: 40, optional: true, message: 'must be the brand of a card' })
  card_brand?: string;

  @IsText({ maxLength: 2, pattern: '^[A-Z]{2}$', optional: true, message: 'must be a country such as DE' })
  card_country?: string;

  /** All accounts where it is left out. */
  @IsTextList({
    items: accountNames,
    minItems: 1,
    maxItems: 16,
    optional: true,
    message: 'must name accounts',
  })
  tokens?: string[];

  /** The merchant whose rules apply; the rules for all if it is left out. */
  @IsText({ pattern: UUID, maxLength: 36, optional: true, message: 'must be the id of a merchant' })
  merchant_id?: string;

  facts(): Omit<RoutingFacts, 'tokens'> {
    const { operation, amount, currency, method = 'card', card_brand: cardBrand } = this;
    const facts = { operation, amount, currency, cardBrand, cardCountry: this.card_country };
    return operation === 'payout' ? facts : { ...facts, method };
  }
}
