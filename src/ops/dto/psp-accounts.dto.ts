import { refused } from '../../http/request.pipe.js';
import { IsFlag, IsOneOf, IsText, IsTextList } from '../../http/fields.js';
import { accountNames, IsAmount, IsCurrencyCode } from '../../http/shared-fields.js';
import { type RoutingFacts } from '../../psp/router.js';

export class SetBreakerDto {
  @IsText({ minLength: 1, maxLength: 64, message: 'must be the name of a PSP account' })
  psp: string;

  @IsFlag({})
  open: boolean;

  @IsText({ minLength: 1, maxLength: 500, message: 'must say in 1 to 500 characters why' })
  note: string;

  reason(): string {
    const note = this.note.trim();
    if (note === '') throw refused([{ pointer: '/note', message: 'must say why' }]);
    return note;
  }
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

  facts(): Omit<RoutingFacts, 'tokens'> {
    const { operation, amount, currency, card_brand: cardBrand, card_country: cardCountry } = this;
    return { operation, amount, currency, cardBrand, cardCountry };
  }
}
