import { ApiSchema } from '@nestjs/swagger';
import { IsNested, IsOneOf, IsText, IsTextMap } from '../../http/fields.js';
import { isCountry } from '../../http/formats.js';
import { accountNames, IsDay, IsTokens, PRINTABLE } from '../../http/shared-fields.js';
import {
  type DebitMandate,
  MANDATE_REFERENCE,
  mandateSequences,
  type MethodName,
  methodsOf,
  type MethodType,
} from '../../psp/payment-method.js';

/** The payment methods of a request: one class for each type, with the fields that this type has. */

const PER_ACCOUNT =
  "A PSP account's name and the token that this PSP made for it. Only PSPs with a token are candidates, and the name of no account is refused.";
const OR_NONE = `${PER_ACCOUNT} Left out: every account that takes it without a token is one.`;

/** Adyen takes tokens of Apple Pay and Google Pay of 10,000 characters. */
const WALLET_TOKEN_LENGTH = 10_000;

function IsCustomers(): PropertyDecorator {
  return IsTextMap({
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
  });
}

function IsInitiator(): PropertyDecorator {
  return IsOneOf(['customer', 'merchant'], {
    optional: true,
    default: 'customer',
    description:
      '`merchant`: charged on an agreement while the customer is away. The customer is not asked to authenticate; PSPs claim the exemption for payments by the merchant.',
  });
}

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

@ApiSchema({ name: 'CardMethod' })
class CardMethodDto {
  @IsOneOf(['card'])
  type: 'card';

  @IsTokens(`${PER_ACCOUNT} Never a card number.`)
  tokens: Record<string, string>;

  @IsCustomers()
  customers?: Record<string, string>;

  @IsInitiator()
  initiator?: 'customer' | 'merchant';

  @IsNested(CardDto, {
    optional: true,
    description: 'Properties of the card, for routing. Never its number.',
  })
  card?: CardDto;
}

@ApiSchema({ name: 'Wallet' })
class WalletDto {
  @IsOneOf(methodsOf.wallet)
  name: (typeof methodsOf.wallet)[number];
}

@ApiSchema({ name: 'WalletMethod' })
class WalletMethodDto {
  @IsOneOf(['wallet'])
  type: 'wallet';

  @IsNested(WalletDto)
  wallet: WalletDto;

  @IsTokens(`${OR_NONE} Apple Pay and Google Pay are paid with a token.`, {
    optional: true,
    maxLength: WALLET_TOKEN_LENGTH,
  })
  tokens?: Record<string, string>;

  @IsCustomers()
  customers?: Record<string, string>;

  @IsInitiator()
  initiator?: 'customer' | 'merchant';
}

@ApiSchema({ name: 'BankRedirect' })
class BankRedirectDto {
  @IsOneOf(methodsOf.bank_redirect)
  name: (typeof methodsOf.bank_redirect)[number];
}

@ApiSchema({ name: 'BankRedirectMethod' })
class BankRedirectMethodDto {
  @IsOneOf(['bank_redirect'])
  type: 'bank_redirect';

  @IsNested(BankRedirectDto)
  bank_redirect: BankRedirectDto;

  @IsTokens(OR_NONE, { optional: true })
  tokens?: Record<string, string>;
}

@ApiSchema({ name: 'Mandate', description: "The payer's consent to direct debits." })
class MandateDto {
  @IsText({
    maxLength: 35,
    pattern: MANDATE_REFERENCE,
    description: 'Your own name of the mandate, which the payer was told.',
    message: `must be 1 to 35 of A-Z a-z 0-9 / - ? : ( ) . , ' + and have no slash at an end and no two in a row`,
  })
  reference: string;

  @IsDay({ description: 'The day on which the payer signed it: `2026-11-22`.' })
  signed_on: string;

  @IsOneOf(mandateSequences, {
    optional: true,
    default: 'recurring',
    description: '`first` or `final` of several debits, `recurring` among them, or `one_off`: the only one.',
  })
  sequence?: DebitMandate['sequence'];

  toValues(): DebitMandate {
    const { reference, signed_on: signedOn, sequence = 'recurring' } = this;
    return { reference, signedOn, sequence };
  }
}

@ApiSchema({ name: 'BankDebit' })
class BankDebitDto {
  @IsOneOf(methodsOf.bank_debit)
  name: (typeof methodsOf.bank_debit)[number];

  @IsNested(MandateDto, {
    optional: true,
    description:
      'Required where the PSP keeps no mandates itself, as a bank that takes files. Stripe makes its mandate of it; left out, the token has one there.',
  })
  mandate?: MandateDto;
}

@ApiSchema({ name: 'BankDebitMethod' })
class BankDebitMethodDto {
  @IsOneOf(['bank_debit'])
  type: 'bank_debit';

  @IsNested(BankDebitDto)
  bank_debit: BankDebitDto;

  @IsTokens(PER_ACCOUNT)
  tokens: Record<string, string>;

  @IsCustomers()
  customers?: Record<string, string>;

  @IsInitiator()
  initiator?: 'customer' | 'merchant';
}

@ApiSchema({ name: 'PayLater' })
class PayLaterDto {
  @IsOneOf(methodsOf.pay_later)
  name: (typeof methodsOf.pay_later)[number];
}

@ApiSchema({ name: 'PayLaterMethod' })
class PayLaterMethodDto {
  @IsOneOf(['pay_later'])
  type: 'pay_later';

  @IsNested(PayLaterDto)
  pay_later: PayLaterDto;

  @IsTokens(OR_NONE, { optional: true })
  tokens?: Record<string, string>;

  @IsCustomers()
  customers?: Record<string, string>;
}

export type PaymentMethodDto =
  CardMethodDto | WalletMethodDto | BankRedirectMethodDto | BankDebitMethodDto | PayLaterMethodDto;

export const methodClasses = {
  card: CardMethodDto,
  wallet: WalletMethodDto,
  bank_redirect: BankRedirectMethodDto,
  bank_debit: BankDebitMethodDto,
  pay_later: PayLaterMethodDto,
} satisfies Record<MethodType, new () => PaymentMethodDto>;

/** A payment method as the payment's flow takes it; part of the request's fingerprint. */
export function methodValues(method: PaymentMethodDto) {
  const { tokens = {}, customers, initiator, card } = method as Partial<CardMethodDto>;
  return {
    type: method.type,
    tokens,
    // Left out if empty, so that the fingerprints of other requests stay the same.
    ...(customers === undefined ? {} : { customers }),
    ...(initiator === 'merchant' ? { initiator } : {}),
    ...namedIn(method),
    card: { brand: card?.brand ?? null, country: card?.country ?? null },
  };
}

/** The name of a method that is no card, and the mandate of a debit. */
function namedIn(method: PaymentMethodDto): {
  readonly name?: Exclude<MethodName, 'card'>;
  readonly mandate?: DebitMandate;
} {
  switch (method.type) {
    case 'card':
      return {};
    case 'wallet':
      return { name: method.wallet.name };
    case 'bank_redirect':
      return { name: method.bank_redirect.name };
    case 'pay_later':
      return { name: method.pay_later.name };
    case 'bank_debit': {
      const { name, mandate } = method.bank_debit;
      return { name, ...(mandate ? { mandate: mandate.toValues() } : {}) };
    }
  }
}
