import { code as currencyByCode } from 'currency-codes';
import { type AdyenAmount } from './adyen-payments.js';
import { idSource } from './ids.js';
import { json, type Reply } from './wire.js';

export type Json = Readonly<Record<string, unknown>>;

const nextReference = idSource('', 16);

/** An error as Adyen words it. */
export function failure(status: number, errorCode: string, message: string, errorType: string): Reply {
  return json(status, { status, errorCode, message, errorType, pspReference: nextReference() });
}

export function invalid(errorCode: string, message: string): Reply {
  return failure(422, errorCode, message, 'validation');
}

export function noAccount(): Reply {
  return failure(403, '901', 'Invalid Merchant Account', 'security');
}

export function amountOf(body: Json): AdyenAmount | Reply {
  const amount = body['amount'];
  if (!isObject(amount)) return invalid('100', "Required object 'amount' is not provided.");
  const { value, currency } = amount;
  if (typeof currency !== 'string' || currencyByCode(currency) === undefined) {
    return invalid('138', 'Currency not supported');
  }
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0) {
    return invalid('137', 'Invalid amount specified');
  }
  return { value, currency };
}

/** Methods of a bank that send the shopper to its page; their money is taken at once. */
const BANK_PAGES = new Set(['ideal', 'bcmc_mobile']);

/**
 * The token, which decides how a payment goes, or for a bank's page `redirect`. '' where it is missing; undefined for a
 * type that there is not.
 */
export function tokenOf(method: Json): string | undefined {
  const { type } = method;
  if (BANK_PAGES.has(String(type))) return 'redirect';
  const field = {
    scheme: 'storedPaymentMethodId',
    sepadirectdebit: 'storedPaymentMethodId',
    applepay: 'applePayToken',
    googlepay: 'googlePayToken',
  }[String(type)];
  if (field === undefined) return undefined;
  const token = method[field] ?? (type === 'scheme' ? method['encryptedCardNumber'] : undefined);
  return typeof token === 'string' ? token : '';
}

/** Banks take euros, and no authorization. */
export function checkMethod(type: string, { currency }: AdyenAmount, body: Json): Reply | undefined {
  if (!BANK_PAGES.has(type)) return undefined;
  if (currency !== 'EUR') return invalid('138', 'Currency not supported');
  return isManual(body)
    ? invalid('167', 'Manual capture is not supported for this payment method')
    : undefined;
}

/** Whose stored card it is must be said, and what the statement shows is held to Adyen's characters. */
export function checkShopper(body: Json, method: Json): Reply | undefined {
  const { shopperReference, shopperStatement } = body;
  if (shopperReference !== undefined || method['storedPaymentMethodId'] !== undefined) {
    const fits = typeof shopperReference === 'string' && /^.{3,256}$/s.test(shopperReference);
    if (!fits) return invalid('130', "Required field 'shopperReference' is not provided or invalid.");
  }
  const readable =
    shopperStatement === undefined ||
    (typeof shopperStatement === 'string' && /^[A-Za-z0-9 .,'_\-?+*/]{1,22}$/.test(shopperStatement));
  return readable ? undefined : invalid('125', 'Invalid shopperStatement');
}

/** Reserve only: asked for by this request, or by a capture delay. */
export function isManual(body: Json): boolean {
  const additional = isObject(body['additionalData']) ? body['additionalData'] : {};
  const delay = body['captureDelayHours'];
  return String(additional['manualCapture']) === 'true' || (typeof delay === 'number' && delay > 0);
}

/** authenticationData.attemptAuthentication: the shopper is not to be asked. */
export function neverAuthenticates(body: Json): boolean {
  return (
    isObject(body['authenticationData']) && body['authenticationData']['attemptAuthentication'] === 'never'
  );
}

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function parseJson(text: string): Json | undefined {
  try {
    const value: unknown = JSON.parse(text === '' ? '{}' : text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
