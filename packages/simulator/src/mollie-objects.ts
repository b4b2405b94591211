import { code as currencyByCode } from 'currency-codes';
import { isObject } from './adyen-parameters.js';
import { type Created } from './objects.js';
import { feeOf, type Row } from './settlement-report.js';

export interface Amount {
  /** Minor units. */
  readonly amount: number;
  readonly currency: string;
}

export type MollieStatus = 'open' | 'pending' | 'authorized' | 'paid' | 'canceled' | 'expired' | 'failed';

/** Never changed, only replaced. */
export interface MolliePayment extends Created, Amount {
  readonly status: MollieStatus;
  readonly method: string;
  readonly description: string;
  readonly isManual: boolean;
  readonly captured: number;
  readonly refunded: number;
  readonly redirectUrl: string | null;
  readonly webhookUrl: string | null;
  readonly metadata: unknown;
  readonly failure: string | null;
  readonly key: string | null;
}

/** A capture or a refund. */
export interface MolliePart extends Created, Amount {
  readonly kind: 'capture' | 'refund';
  readonly paymentId: string;
  readonly status: string;
  readonly metadata: unknown;
}

const decimalsOf = (currency: string): number => currencyByCode(currency)?.digits ?? 2;

/** `{"currency": "EUR", "value": "10.00"}`, with as many decimals as the currency has. */
export function amountIn(value: unknown): Amount | undefined {
  if (!isObject(value)) return undefined;
  const { currency, value: number } = value;
  if (typeof currency !== 'string' || typeof number !== 'string' || !currencyByCode(currency))
    return undefined;
  const decimals = decimalsOf(currency);
  const form = decimals === 0 ? /^(\d{1,12})()$/ : new RegExp(`^(\\d{1,12})\\.(\\d{${decimals}})$`);
  const [, whole, fraction] = form.exec(number) ?? [];
  return whole === undefined ? undefined : { amount: Number(whole + fraction!), currency };
}

export function renderAmount({ amount, currency }: Amount): object {
  const decimals = decimalsOf(currency);
  const digits = String(Math.abs(amount)).padStart(decimals + 1, '0');
  const value = decimals === 0 ? digits : `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
  return { currency, value: amount < 0 ? `-${value}` : value };
}

const time = (ms: number): string => new Date(ms).toISOString();

/** A payment as it is answered and read. `pages`: where customers are sent. */
export function renderMolliePayment(payment: MolliePayment, pages: string): object {
  const { id, status, currency, captured, refunded, createdMs, failure } = payment;
  const href = `${pages}/_customer/authenticate/${id}`;
  return {
    resource: 'payment',
    id,
    mode: 'test',
    createdAt: time(createdMs),
    amount: renderAmount(payment),
    ...(payment.isManual ? { amountCaptured: renderAmount({ amount: captured, currency }) } : {}),
    ...(refunded > 0 ? { amountRefunded: renderAmount({ amount: refunded, currency }) } : {}),
    description: payment.description,
    method: payment.method,
    metadata: payment.metadata,
    status,
    isCancelable: status === 'authorized',
    ...(failure === null ? {} : { details: { failureReason: failure, failureMessage: failure } }),
    redirectUrl: payment.redirectUrl,
    webhookUrl: payment.webhookUrl,
    _links: {
      self: { href: `${pages}/v2/payments/${id}`, type: 'application/hal+json' },
      ...(status === 'open' ? { checkout: { href, type: 'text/html' } } : {}),
    },
  };
}

export function renderMolliePart(part: MolliePart): object {
  const { kind, id, status, metadata, paymentId, createdMs } = part;
  return {
    resource: kind,
    id,
    mode: 'test',
    amount: renderAmount(part),
    status,
    metadata,
    paymentId,
    createdAt: time(createdMs),
  };
}

const transactionTypes = {
  payment: 'payment',
  refund: 'refund',
  refund_reversed: 'returned-refund',
  payout: 'outgoing-transfer',
  payout_returned: 'returned-transfer',
  dispute: 'chargeback',
  dispute_reversed: 'chargeback-reversal',
} as const;

/** A movement of the balance. */
export function renderMollieTransaction(row: Row): object {
  const { effect, type, gross, at } = row;
  const { operation, psp_reference: own, parent_reference: parent, currency } = effect;
  const fee = feeOf(row);
  const isCapture = operation === 'capture';
  const part = { refund: 'refundId', dispute: 'chargebackId' }[type.replace(/_reversed$/, '')];
  const named = isCapture ? 'captureId' : part;
  return {
    resource: 'balance-transaction',
    id: transactionId(row),
    type: isCapture ? 'capture' : transactionTypes[type],
    resultAmount: renderAmount({ amount: gross - fee, currency }),
    initialAmount: renderAmount({ amount: gross, currency }),
    ...(fee === 0 ? {} : { deductions: renderAmount({ amount: -fee, currency }) }),
    createdAt: at,
    context:
      named === undefined
        ? { paymentId: own, paymentDescription: '' }
        : { ...(parent === null ? {} : { paymentId: parent }), [named]: own },
  };
}

export function transactionId({ id }: Row): string {
  return `baltr_${id}`;
}
