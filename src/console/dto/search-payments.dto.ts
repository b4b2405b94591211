import { IsOneOf, IsText } from '../../http/fields.js';
import { IsAmount, IsCurrencyCode, IsDay, IsLine, LINE, UUID } from '../../http/shared-fields.js';
import { type PaymentFilter, type PaymentOrder, paymentOrders } from '../console-reader.js';
import { invalidFields } from '../../core/problem.js';
import { type OpenFilter, type OpenListName, type OpenOrder, openOrders } from '../open-operations.js';

export class CursorDto {
  @IsText({ maxLength: 36, pattern: UUID, optional: true, message: 'must be the next_cursor of a page' })
  cursor?: string;
}

const IsPsp = () =>
  IsText({ maxLength: 64, pattern: LINE, optional: true, message: 'must be the name of a PSP account' });
const IsMerchant = () =>
  IsText({ maxLength: 36, pattern: UUID, optional: true, message: 'must be the id of a merchant' });

export class SearchPaymentsDto extends CursorDto {
  @IsLine({ optional: true })
  q?: string;

  @IsText({ maxLength: 30, pattern: '^[a-z_]{1,30}$', optional: true, message: 'must be a status' })
  status?: string;

  @IsPsp()
  psp?: string;

  @IsMerchant()
  merchant?: string;

  @IsCurrencyCode({ optional: true })
  currency?: string;

  @IsAmount({ optional: true })
  amount_from?: number;

  @IsAmount({ optional: true })
  amount_to?: number;

  @IsDay({ optional: true, description: 'The first day (UTC).' })
  from?: string;

  @IsDay({ optional: true, description: 'The last day (UTC).' })
  to?: string;

  @IsText({
    maxLength: 64,
    pattern: LINE,
    optional: true,
    message: 'must be the code or the category of a failure',
  })
  failure?: string;

  @IsOneOf(paymentOrders, { optional: true })
  order?: PaymentOrder;

  /** `customersOf`: what payments keep of a customer of that name. */
  filter(customersOf: (name: string) => readonly Uint8Array[]): PaymentFilter {
    const { status = null, psp = null, merchant = null, currency = null, failure = null } = this;
    const { order = 'newest' } = this;
    if (order === 'largest' && currency === null) {
      throw invalidFields([
        { pointer: '/order', message: 'needs a currency: amounts of several do not compare' },
      ]);
    }
    const { from, to, amount_from: amountFrom = null, amount_to: amountTo = null } = this;
    const q = this.q?.trim() || null;
    const createdFrom = from === undefined ? null : new Date(`${from}T00:00:00Z`);
    const createdBefore = to === undefined ? null : new Date(Date.parse(`${to}T00:00:00Z`) + DAY_MS);
    const money = { currency, amountFrom, amountTo };
    const customers = q === null ? [] : customersOf(q);
    return { q, customers, status, psp, merchant, failure, order, createdFrom, createdBefore, ...money };
  }
}

const DAY_MS = 86_400_000;

export class OpenOperationsDto {
  @IsOneOf(openOrders, { optional: true })
  order?: OpenOrder;

  @IsPsp()
  psp?: string;

  @IsMerchant()
  merchant?: string;

  @IsCurrencyCode({ optional: true })
  currency?: string;

  @IsText({ maxLength: 200, pattern: LINE, optional: true, message: 'must be a reason' })
  reason?: string;

  @IsText({
    maxLength: 600,
    pattern: '^[A-Za-z0-9_-]+$',
    optional: true,
    message: 'must be the next_cursor of a page',
  })
  cursor?: string;

  filter(list: OpenListName): OpenFilter {
    const { order = 'oldest', psp = null, merchant = null, currency = null, reason = null } = this;
    return { list, order, psp, merchant, currency, reason };
  }
}
