import { type Created } from './objects.js';
import { feeOf, type Row } from './settlement-report.js';

export interface PaypalPart {
  readonly id: string;
  readonly status: string;
  readonly amount: number;
  readonly customId: string | null;
  /** Of a card that was declined. */
  readonly code?: string;
}

export type PaypalStatus = 'PAYER_ACTION_REQUIRED' | 'APPROVED' | 'COMPLETED' | 'VOIDED';

/** Never changed, only replaced. Amounts are in minor units of ISO 4217. */
export interface PaypalOrder extends Created {
  readonly status: PaypalStatus;
  readonly intent: 'CAPTURE' | 'AUTHORIZE';
  readonly amount: number;
  readonly currency: string;
  readonly customId: string | null;
  readonly referenceId: string | null;
  readonly returnUrl: string | null;
  /** The customer's way to pay does not work, which is known when it is tried. */
  readonly failing: string | null;
  readonly authorization: PaypalPart | null;
  readonly capture: PaypalPart | null;
  readonly refunds: readonly PaypalPart[];
  /** The amount that can be disputed, in minor units. */
  readonly captured: number;
  readonly key: string | null;
}

const WHOLE_UNITS = new Set(['HUF', 'JPY', 'TWD']);
const IN_HUNDREDTHS = new Set(['HUF', 'TWD']);
const CURRENCIES =
  /^(?:AUD|BRL|CAD|CHF|CNY|CZK|DKK|EUR|GBP|HKD|HUF|ILS|JPY|MXN|MYR|NOK|NZD|PHP|PLN|SEK|SGD|THB|TWD|USD)$/;

/** `{"currency_code": "EUR", "value": "10.00"}` as minor units; some currencies take no decimals here. */
export function paypalAmount(value: unknown): { amount: number; currency: string } | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { currency_code: currency, value: number } = value as Record<string, unknown>;
  if (typeof currency !== 'string' || typeof number !== 'string' || !CURRENCIES.test(currency))
    return undefined;
  const form = WHOLE_UNITS.has(currency) ? /^(\d{1,12})$/ : /^(\d{1,12})\.(\d\d)$/;
  const [, whole, fraction = ''] = form.exec(number) ?? [];
  if (whole === undefined) return undefined;
  const amount = Number(whole + fraction) * (IN_HUNDREDTHS.has(currency) ? 100 : 1);
  return { amount, currency };
}

export function renderPaypalAmount(amount: number, currency: string): object {
  const units = IN_HUNDREDTHS.has(currency) ? amount / 100 : amount;
  const digits = String(units).padStart(3, '0');
  const value = WHOLE_UNITS.has(currency) ? String(units) : `${digits.slice(0, -2)}.${digits.slice(-2)}`;
  return { currency_code: currency, value };
}

export function renderPaypalPart(part: PaypalPart, of: PaypalOrder): object {
  const { currency, id: order, authorization, refunds } = of;
  const isRefund = refunds.some(({ id }) => id === part.id);
  const isOther = authorization !== null && authorization.id !== part.id;
  const ofAuthorization = isOther ? { authorization_id: authorization.id } : {};
  return {
    id: part.id,
    status: part.status,
    amount: renderPaypalAmount(part.amount, currency),
    ...(part.customId === null ? {} : { custom_id: part.customId }),
    ...(part.code === undefined ? {} : { processor_response: { response_code: part.code } }),
    ...(isRefund ? {} : { supplementary_data: { related_ids: { order_id: order, ...ofAuthorization } } }),
  };
}

/** An order as it is now. `pages`: where customers are sent. */
export function renderPaypalOrder(order: PaypalOrder, pages: string): object {
  const { id, status, intent, amount, currency, customId, referenceId, authorization, capture, refunds } =
    order;
  const render = (part: PaypalPart) => renderPaypalPart(part, order);
  const payments = {
    ...(authorization === null ? {} : { authorizations: [render(authorization)] }),
    ...(capture === null ? {} : { captures: [render(capture)] }),
    ...(refunds.length === 0 ? {} : { refunds: refunds.map(render) }),
  };
  const self = `${pages}/v2/checkout/orders/${id}`;
  const isOpen = status === 'PAYER_ACTION_REQUIRED' || status === 'APPROVED';
  return {
    id,
    intent,
    status,
    purchase_units: [
      {
        reference_id: referenceId ?? 'default',
        amount: renderPaypalAmount(amount, currency),
        ...(customId === null ? {} : { custom_id: customId }),
        ...(Object.keys(payments).length === 0 ? {} : { payments }),
      },
    ],
    links: [
      { href: self, rel: 'self', method: 'GET' },
      ...(isOpen
        ? [{ href: `${pages}/_customer/authenticate/${id}`, rel: 'payer-action', method: 'GET' }]
        : []),
    ],
  };
}

const eventCodes = {
  payment: 'T0006',
  refund: 'T1107',
  refund_reversed: 'T1107',
  payout: 'T0001',
  payout_returned: 'T1114',
  dispute: 'T1201',
  dispute_reversed: 'T1202',
} as const;

/** A movement of the account's balance. `capture`: the id of the transaction, where the ledger has it by its order. */
export function renderPaypalTransaction(row: Row, capture: string | undefined): object {
  const { effect, type, gross, at, id } = row;
  const { psp_reference: own, parent_reference: parent, currency, reference, route } = effect;
  const isOwn = type === 'refund' || (type === 'payment' && effect.operation === 'capture');
  const suffix = id.replaceAll(/^\d+|\W|_/g, '').toUpperCase();
  const transaction = isOwn ? own : (capture ?? `SIM${id}`.replaceAll(/\W|_/g, ''));
  const of = type === 'refund_reversed' ? own : parent;
  const related = capture === undefined ? of : own;
  return {
    transaction_info: {
      transaction_id: `${transaction}${suffix}`,
      transaction_event_code: eventCodes[type],
      transaction_status: 'S',
      transaction_initiation_date: at,
      transaction_updated_date: at,
      transaction_amount: renderSigned(gross, currency),
      ...(feeOf(row) === 0 ? {} : { fee_amount: renderSigned(-feeOf(row), currency) }),
      ...(related === null
        ? {}
        : {
            paypal_reference_id: related,
            paypal_reference_id_type: capture === undefined ? 'TXN' : 'ODR',
          }),
      ...(reference === null ? {} : { custom_field: `${reference} ${route ?? ''}`.trim() }),
    },
  };
}

function renderSigned(amount: number, currency: string): object {
  const rendered = renderPaypalAmount(Math.abs(amount), currency) as { value: string };
  return amount < 0 ? { ...rendered, value: `-${rendered.value}` } : rendered;
}
