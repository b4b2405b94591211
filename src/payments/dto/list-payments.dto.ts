import { IsOneOf } from '../../http/fields.js';
import { CreatedRangeDto } from '../../http/page.dto.js';
import {
  IsAmount,
  IsCurrencyCode,
  IsLine,
  IsMetadata,
  IsPspName,
  IsReference,
} from '../../http/shared-fields.js';
import { paymentStatuses } from '../payment.lifecycle.js';

export class ListPaymentsDto extends CreatedRangeDto {
  @IsOneOf(paymentStatuses, { optional: true })
  status?: string;

  @IsPspName()
  psp?: string;

  @IsReference({ optional: true })
  reference?: string;

  @IsReference({ optional: true, description: 'The order that they are for.' })
  order?: string;

  @IsLine({
    optional: true,
    description:
      'The reference or the e-mail address of their customer. Payments keep keyed hashes of both, so it has to be the whole of it; capital letters count in a reference.',
  })
  customer?: string;

  @IsCurrencyCode({ optional: true })
  currency?: string;

  @IsAmount({ optional: true, description: 'Of this amount or more, in minor units.' })
  'amount[gte]'?: number;

  @IsAmount({ optional: true, description: 'Of this amount or less, in minor units.' })
  'amount[lte]'?: number;

  @IsMetadata({
    maxProperties: 5,
    description: 'With these pairs in their metadata: `metadata[table]=7`. At most 5.',
  })
  metadata?: Readonly<Record<string, string>>;

  filter() {
    const { status, psp, reference, order: orderReference, customer, currency, metadata } = this;
    const { 'amount[gte]': amountFrom, 'amount[lte]': amountTo } = this;
    const conditions = { status, psp, reference, orderReference, currency };
    return { ...conditions, customer, metadata, amountFrom, amountTo, ...this.created() };
  }
}

/** The request, parsed and validated; nothing optional is undefined. */
export type PaymentFilter = Partial<ReturnType<ListPaymentsDto['filter']>>;
