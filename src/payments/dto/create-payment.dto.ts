import { ApiSchema } from '@nestjs/swagger';
import { type OrderRequest } from '../order-rules.js';
import { IsFlag, IsNested, IsOneOf, IsOneOfNested, IsText } from '../../http/fields.js';
import { isEmail, isHttpUrl } from '../../http/formats.js';
import {
  IsAmount,
  IsCurrencyCode,
  IsMetadata,
  IsOrderReference,
  IsReference,
  IsStatementDescriptor,
} from '../../http/shared-fields.js';
import { methodClasses, methodValues, type PaymentMethodDto } from './payment-method.dto.js';

@ApiSchema({ name: 'Customer' })
class CustomerDto {
  @IsReference({ optional: true })
  reference?: string;

  @IsText({
    maxLength: 254,
    format: 'email',
    is: isEmail,
    optional: true,
    message: 'must be an email address',
  })
  email?: string;
}

@ApiSchema({ name: 'PaymentOrder' })
class OrderDto {
  @IsOrderReference()
  reference: string;

  @IsAmount({
    optional: true,
    description:
      "What is due, in minor units. Left out: what was due before, or for a new order the payment's amount. Another amount than before changes what is due (a voucher), never below what is live.",
  })
  amount?: number;

  @IsFlag({
    optional: true,
    description:
      'Several payments may be live, each for a part (a gift card and a card); needs `amount` the first time. Left out: as before, or for a new order no.',
  })
  parts?: boolean;

  @IsFlag({
    optional: true,
    default: false,
    description:
      'Cancels a payment of the order that its customer left at `requires_action`, and takes this one once its PSP says that it is canceled.',
  })
  replace?: boolean;

  toValues(): OrderRequest {
    return {
      reference: this.reference,
      amountDue: this.amount ?? null,
      inParts: this.parts ?? null,
      replaces: this.replace === true,
    };
  }
}

@ApiSchema({ name: 'PaymentRequest', description: 'A payment to create and to charge or authorize.' })
export class CreatePaymentDto {
  @IsReference()
  reference: string;

  @IsAmount()
  amount: number;

  @IsCurrencyCode()
  currency: string;

  @IsOneOf(['automatic', 'manual'], {
    optional: true,
    default: 'automatic',
    description: '`manual` authorizes only; capture or cancel later.',
  })
  capture?: 'automatic' | 'manual';

  @IsFlag({
    optional: true,
    default: false,
    description:
      'With `capture: manual`: it will be captured in parts, so only accounts at PSPs that capture in parts may get it.',
  })
  capture_parts?: boolean;

  @IsOneOfNested('type', methodClasses)
  payment_method: PaymentMethodDto;

  @IsNested(CustomerDto, { optional: true })
  customer?: CustomerDto;

  @IsText({
    maxLength: 2048,
    format: 'uri',
    is: isHttpUrl,
    optional: true,
    description: 'Where the customer comes back to after a redirect. http or https.',
    message: 'must be an http or https URL of at most 2048 characters',
  })
  return_url?: string;

  @IsStatementDescriptor()
  statement_descriptor?: string;

  @IsMetadata()
  metadata?: Record<string, string>;

  @IsNested(OrderDto, {
    optional: true,
    description:
      'The order that the payment is for: what the customer owes once, however often and with however many cards they try. Requests for one order share it under whatever Idempotency-Key.',
  })
  order?: OrderDto;

  @IsFlag({
    optional: true,
    default: false,
    description:
      'Takes the payment although one of the same customer, amount, currency and reference was taken a moment ago: the second one is intended. Takes none beside one that is `processing` or `requires_action`.',
  })
  allow_duplicate?: boolean;

  /** The input of the request's fingerprint: its shape must not change, because fingerprints are stored. */
  toValues() {
    const { customer } = this;
    return {
      reference: this.reference,
      amount: this.amount,
      currency: this.currency,
      capture: this.capture ?? 'automatic',
      paymentMethod: methodValues(this.payment_method),
      customer: { reference: customer?.reference ?? null, email: customer?.email ?? null },
      returnUrl: this.return_url ?? null,
      statementDescriptor: this.statement_descriptor ?? null,
      metadata: this.metadata ?? {},
      // Left out if empty, so that the fingerprints of other requests stay the same.
      ...(this.capture_parts === true ? { captureParts: true as const } : {}),
      ...(this.allow_duplicate === true ? { allowDuplicate: true as const } : {}),
      ...(this.order ? { order: this.order.toValues() } : {}),
    };
  }
}

/** The request, parsed and validated; nothing optional is undefined. */
export type NewPayment = ReturnType<CreatePaymentDto['toValues']>;
