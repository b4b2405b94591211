import { code as currencyByCode } from 'currency-codes';
import { stripeToken } from './cards.js';
import { type Form, group, list, text } from './form.js';
import { json, type Reply } from './wire.js';

/** Stripe refuses what it does not know; so does this. Top-level names of each verb. */
const SHARED =
  'amount_details expand hooks metadata payment_details shipping statement_descriptor statement_descriptor_suffix transfer_data application_fee_amount';
const known = {
  create: `${SHARED} amount currency allowed_payment_method_types automatic_payment_methods capture_method confirm confirmation_method confirmation_token customer customer_account description error_on_requires_action excluded_payment_method_types mandate mandate_data off_session on_behalf_of payment_method payment_method_configuration payment_method_data payment_method_options payment_method_types radar_options receipt_email return_url setup_future_usage transfer_group use_stripe_sdk`,
  update: `${SHARED} amount currency customer description payment_method payment_method_options payment_method_types receipt_email setup_future_usage transfer_group capture_method`,
  confirm: `${SHARED} capture_method error_on_requires_action mandate mandate_data off_session payment_method payment_method_data payment_method_options payment_method_types receipt_email return_url setup_future_usage use_stripe_sdk`,
  capture: `${SHARED} amount_to_capture final_capture`,
  cancel: 'cancellation_reason expand',
  refund:
    'amount charge currency customer expand instructions_email metadata origin payment_intent reason refund_application_fee reverse_transfer',
  payout:
    'amount currency description destination expand metadata method payout_method source_type statement_descriptor',
};
export type Verb = keyof typeof known;
const knownNames = new Map(Object.entries(known).map(([verb, names]) => [verb, new Set(names.split(' '))]));

/** The least that can be charged, in minor units; 50 where Stripe names nothing. */
const LEAST: Readonly<Record<string, number>> = {
  aed: 200,
  bgn: 100,
  czk: 1500,
  dkk: 250,
  gbp: 30,
  hkd: 400,
  huf: 17500,
  mxn: 1000,
  myr: 200,
  nok: 300,
  pln: 200,
  ron: 200,
  sek: 300,
  thb: 1000,
};
const MOST = 99_999_999;
const MAX_METADATA_KEY_LENGTH = 40;
const MAX_METADATA_VALUE_LENGTH = 500;
const MAX_METADATA = 50;

interface StripeError {
  readonly message: string;
  readonly code?: string;
  readonly param?: string;
  readonly type?: string;
  readonly payment_intent?: object;
}

export function stripeError(status: number, error: StripeError): Reply {
  const doc =
    error.code === undefined ? {} : { doc_url: `https://docs.stripe.com/error-codes/${error.code}` };
  return json(status, { error: { type: 'invalid_request_error', ...doc, ...error } });
}

export function missing(param: string): Reply {
  return stripeError(400, {
    code: 'parameter_missing',
    message: `Missing required param: ${param}.`,
    param,
  });
}

export function noSuch(thing: string, id: string, param: string, status = 404): Reply {
  return stripeError(status, { code: 'resource_missing', message: `No such ${thing}: '${id}'`, param });
}

/** What every verb is checked for. A reply is the refusal. */
export function checkForm(form: Form, verb: Verb): Reply | undefined {
  for (const name of Object.keys(form)) {
    if (knownNames.get(verb)?.has(name) === true) continue;
    return stripeError(400, {
      code: 'parameter_unknown',
      message: `Received unknown parameter: ${name}`,
      param: name,
    });
  }
  const metadata = group(form, 'metadata') ?? {};
  const entries = Object.entries(metadata);
  if (entries.length > MAX_METADATA) {
    return stripeError(400, {
      message: `You can have at most ${MAX_METADATA} metadata keys.`,
      param: 'metadata',
    });
  }
  for (const [key, value] of entries) {
    if (key.length > MAX_METADATA_KEY_LENGTH) {
      return stripeError(400, {
        message: `Metadata keys can be at most ${MAX_METADATA_KEY_LENGTH} characters long.`,
        param: 'metadata',
      });
    }
    if (typeof value !== 'string' || value.length > MAX_METADATA_VALUE_LENGTH) {
      return stripeError(400, {
        message: `Metadata values can have up to ${MAX_METADATA_VALUE_LENGTH} characters.`,
        param: `metadata[${key}]`,
      });
    }
  }
  const suffix = text(form, 'statement_descriptor_suffix');
  if (suffix !== undefined && (suffix.length > 22 || /[<>\\'"*]/.test(suffix))) {
    return stripeError(400, {
      message: `The statement descriptor suffix must be at most 22 characters and must not contain <, >, \\, ', " or *.`,
      param: 'statement_descriptor_suffix',
    });
  }
  return checkToken(form);
}

/** Amount, currency and what confirming at once needs. */
export function checkCreate(form: Form): Reply | undefined {
  const amount = text(form, 'amount');
  const currency = text(form, 'currency');
  if (amount === undefined) return missing('amount');
  if (currency === undefined) return missing('currency');
  if (currencyByCode(currency.toUpperCase()) === undefined) {
    return stripeError(400, {
      message: `Invalid currency: ${currency}. Stripe currently supports these currencies: usd, eur, gbp, jpy and others.`,
      param: 'currency',
    });
  }
  const refused = checkAmount(amount, 'amount', LEAST[currency.toLowerCase()] ?? 50);
  if (refused !== undefined) return refused;
  const method = text(form, 'capture_method') ?? 'automatic';
  if (!['automatic', 'automatic_async', 'manual'].includes(method)) {
    return stripeError(400, {
      message: 'Invalid capture_method: must be one of automatic, automatic_async, or manual',
      param: 'capture_method',
    });
  }
  return checkMethod(form) ?? (text(form, 'confirm') === 'true' ? checkConfirm(form, form) : undefined);
}

/** The type of the payment method that the request names; `card` where it names none. */
export function methodTypeOf(form: Form): string {
  return list(form, 'payment_method_types')[0] ?? 'card';
}

/** Payment methods that are paid in one currency, and take the money at once. */
const IN_ONE_CURRENCY: Readonly<Record<string, string>> = {
  ideal: 'eur',
  bancontact: 'eur',
  sepa_debit: 'eur',
  bacs_debit: 'gbp',
  us_bank_account: 'usd',
};

function checkMethod(form: Form): Reply | undefined {
  const type = methodTypeOf(form);
  const made = group(form, 'payment_method_data');
  if (made !== undefined && text(made, 'type') !== type) {
    return stripeError(400, {
      message: `The PaymentMethod provided (${text(made, 'type')}) is not allowed for this PaymentIntent.`,
      param: 'payment_method_data',
    });
  }
  const only = IN_ONE_CURRENCY[type];
  if (only === undefined) return undefined;
  if (text(form, 'currency')?.toLowerCase() !== only) {
    return stripeError(400, {
      code: 'payment_intent_invalid_parameter',
      message: `The currency provided (${text(form, 'currency')}) is invalid for one or more payment methods. Payment methods of type ${type} support: ${only}.`,
      param: 'currency',
    });
  }
  if (text(form, 'capture_method') !== 'manual') return undefined;
  return stripeError(400, {
    code: 'payment_intent_invalid_parameter',
    message: `Payment methods of type ${type} cannot be captured manually.`,
    param: 'capture_method',
  });
}

/** Methods that send the customer to a page. */
export const REDIRECTING: ReadonlySet<string> = new Set(['ideal', 'bancontact', 'paypal', 'klarna']);

/** A payment that may redirect needs somewhere to come back to. */
function checkConfirm(form: Form, created: Form): Reply | undefined {
  if (text(form, 'payment_method') === undefined && group(form, 'payment_method_data') === undefined) {
    return stripeError(400, {
      code: 'parameter_missing',
      message:
        'You cannot confirm this PaymentIntent because it is missing a payment method. You can either update the PaymentIntent with a payment method and then confirm it again, or confirm it again directly with a payment method or ConfirmationToken.',
      param: 'payment_method',
    });
  }
  const typed = group(created, 'payment_method_types') !== undefined;
  const redirects = typed
    ? REDIRECTING.has(methodTypeOf(created))
    : text(group(created, 'automatic_payment_methods') ?? {}, 'allow_redirects') !== 'never';
  if (redirects && text(form, 'return_url') === undefined) {
    return stripeError(400, {
      message:
        "This PaymentIntent is configured to accept payment methods enabled in your Dashboard. Because some of these payment methods might redirect your customer off of your page, you must provide a `return_url`. If you don't want to accept redirect-based payment methods, set `automatic_payment_methods[enabled]` to `true` and `automatic_payment_methods[allow_redirects]` to `never` when creating Setup Intents and Payment Intents.",
      param: 'return_url',
    });
  }
  return undefined;
}

export function checkAmount(amount: string, param: string, least: number): Reply | undefined {
  if (!/^-?\d+$/.test(amount)) {
    return stripeError(400, {
      code: 'parameter_invalid_integer',
      message: `Invalid integer: ${amount.slice(0, 40)}`,
      param,
    });
  }
  const value = Number(amount);
  if (value < 1) {
    return stripeError(400, {
      code: 'parameter_invalid_integer',
      message: 'This value must be greater than or equal to 1.',
      param,
    });
  }
  if (value < least) {
    return stripeError(400, {
      code: 'amount_too_small',
      message: `Amount must be at least ${least} in the smallest unit of the currency.`,
      param,
    });
  }
  if (value > MOST) {
    return stripeError(400, {
      code: 'amount_too_large',
      message: `Amount must be no more than ${MOST}.`,
      param,
    });
  }
  return undefined;
}

function checkToken(form: Form): Reply | undefined {
  const token = text(form, 'payment_method');
  if (token?.startsWith('pm_attached_') && text(form, 'customer') === undefined) {
    return stripeError(400, {
      message: `The provided PaymentMethod cannot be attached. To use a PaymentMethod that belongs to a Customer, provide that Customer's ID in the customer parameter.`,
      param: 'payment_method',
    });
  }
  if (token === undefined || stripeToken(token) !== undefined) return undefined;
  return noSuch('PaymentMethod', token, 'payment_method', 400);
}

export function metadataOf(
  form: Form,
  before: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string>> {
  const given = group(form, 'metadata');
  if (given === undefined) return before;
  const after: Record<string, string> = { ...before };
  for (const [key, value] of Object.entries(given)) {
    if (value === '') delete after[key];
    else if (typeof value === 'string') after[key] = value;
  }
  return after;
}
