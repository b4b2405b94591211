import { ApiSchema } from '@nestjs/swagger';
import { type OrderRequest } from '../order-rules.js';
import { IsFlag, IsNested, IsOneOf, IsText, IsTextMap } from '../../http/fields.js';
import { isCountry, isEmail, isHttpUrl } from '../../http/formats.js';
import {
  accountNames,
  IsAmount,
  IsCurrencyCode,
  IsMetadata,
  IsOrderReference,
  IsReference,
  IsStatementDescriptor,
  IsTokens,
  PRINTABLE,
} from '../../http/shared-fields.js';

@ApiSchema({ name: 'Card' })
class CardDto {
  @IsText({
    maxLength: 32,
    pattern: '^[a-z][a-z0-9_]{0,31}$',
    optional: true,
    description: 'For routing: `visa`, `mastercard` or `amex`, for example, in small letters.',
    message: 'must be 1 to 32 of a-z 0-9 _',
  })
  brand?: string;

  @IsText({
    maxLength: 2,
    pattern: '^[A-Z]{2}$',
    format: 'country',
    is: isCountry,
    optional: true,
    description: "For routing: the issuer's country, ISO 3166-1 alpha-2.",
    message: 'must be an ISO 3166-1 alpha-2 code in capitals',
  })
  country?: string;
}

@ApiSchema({ name: 'PaymentMethod' })
class PaymentMethodDto {
  @IsOneOf(['card'])
  type: 'card';

  @IsTokens(
    "A PSP account's name and the token that this PSP made for the card. Only PSPs with a token are candidates, and the name of no account is refused. Never a card number.",
  )
  tokens: Record<string, string>;

  @IsTextMap({
    minProperties: 1,
    maxProperties: 16,
    names: accountNames,
    values: {
      minLength: 3,
      maxLength: 256,
      pattern: PRINTABLE,
      message: 'must be 3 to 256 printable ASCII characters',
    },
    optional: true,
    description:
      "A PSP account's name and that PSP's own customer, to whom the token belongs: `cus_…` at Stripe, which refuses an attached payment method without it; the shopperReference at Adyen, without which a payment that may go there is refused (`customer.reference` is sent where none is given here; three characters or more).",
  })
  customers?: Record<string, string>;

  @IsOneOf(['customer', 'merchant'], {
    optional: true,
    default: 'customer',
    description:
      '`merchant`: charged on an agreement while the customer is away. The customer is not asked to authenticate; PSPs claim the exemption for payments by the merchant.',
  })
  initiator?: 'customer' | 'merchant';

  @IsNested(CardDto, {
    optional: true,
    description: 'Properties of the card, for routing. Never its number.',
  })
  card?: CardDto;
}

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

  @IsNested(PaymentMethodDto)
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
    const { payment_method: method, customer } = this;
    return {
      reference: this.reference,
      amount: this.amount,
      currency: this.currency,
      capture: this.capture ?? 'automatic',
      paymentMethod: {
        type: method.type,
        tokens: method.tokens,
        // Left out if empty, so that the fingerprints of other requests stay the same.
        ...(method.customers === undefined ? {} : { customers: method.customers }),
        ...(method.initiator === 'merchant' ? { initiator: method.initiator } : {}),
        card: { brand: method.card?.brand ?? null, country: method.card?.country ?? null },
      },
      customer: { reference: customer?.reference ?? null, email: customer?.email ?? null },
      returnUrl: this.return_url ?? null,
      statementDescriptor: this.statement_descriptor ?? null,
      metadata: this.metadata ?? {},
      // Left out if empty, so that the fingerprints of other requests stay the same.
      ...(this.allow_duplicate === true ? { allowDuplicate: true as const } : {}),
      ...(this.order ? { order: this.order.toValues() } : {}),
    };
  }
}

/** The request, parsed and validated; nothing optional is undefined. */
export type NewPayment = ReturnType<CreatePaymentDto['toValues']>;
