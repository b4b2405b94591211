import { code as currencyByCode } from 'currency-codes';
import {
  type PayoutBehaviour,
  stripeDestination,
  stripeFailureMessage,
  stripePayoutDecline,
  stripeRefusalMessage,
} from './bank-accounts.js';
import { type Clock } from './clock.js';
import { type Form, parseForm, text } from './form.js';
import { idSource } from './ids.js';
import { type Ledger } from './ledger.js';
import { ENTITY_KEY, entityKeys, ROUTE } from './payment-intents.js';
import { type StripeEvents } from './stripe-events.js';
import { type Created, Objects } from './objects.js';
import { listed, lookup, seconds } from './stripe-objects.js';
import { checkAmount, checkForm, metadataOf, missing, noSuch, stripeError } from './stripe-parameters.js';
import { type Call, json, keyOf, type Reply, type Routed } from './wire.js';

const PAYOUTS = '/v1/payouts';
const DEFAULT_DESTINATION = 'ba_default';
const MAX_DESCRIPTOR_LENGTH = 22;
/** From `pending` to `in_transit`, and from the start to `paid`, by the simulator's clock. */
const SUBMITTED_MS = 3_600_000;
const PAID_MS = 48 * 3_600_000;

interface Payout extends Created {
  readonly amount: number;
  /** Lower case. */
  readonly currency: string;
  readonly destination: string;
  readonly description: string | null;
  readonly descriptor: string | null;
  readonly method: string;
  /** null where the money is sent. */
  readonly failureCode: string | null;
  readonly metadata: Readonly<Record<string, string>>;
}

/** Stripe's payouts to external accounts. */
export class StripePayouts {
  private readonly payouts = new Objects<Payout>('payouts');
  private readonly nextPayout = idSource('po_1', 23);

  constructor(
    private readonly clock: Clock,
    private readonly ledger: Ledger,
    private readonly events: StripeEvents,
  ) {}

  /** undefined: there is no such call. */
  route(call: Call, id: string | undefined): Routed | Reply | undefined {
    if (call.method === 'POST' && id === undefined) return this.create(call, parseForm(call.body));
    if (call.method !== 'GET') return undefined;
    return id === undefined ? this.list(parseForm(call.query)) : this.retrieve(id);
  }

  reset(): void {
    this.payouts.reset();
  }

  private create(call: Call, form: Form): Routed | Reply {
    const refused = checkForm(form, 'payout') ?? checkPayout(form);
    if (refused !== undefined) return refused;
    const destination = text(form, 'destination') ?? DEFAULT_DESTINATION;
    const key = keyOf(call);
    return {
      kind: 'execute',
      references: entityKeys(metadataOf(form)),
      key,
      run: (decline) => {
        const asked = stripeDestination(destination);
        if (asked === undefined) return noSuch('external account', destination, 'destination', 400);
        return this.pay(form, destination, decline === undefined ? asked : stripePayoutDecline(decline), key);
      },
    };
  }

  private pay(form: Form, destination: string, behaviour: PayoutBehaviour, key: string | null): Reply {
    if (behaviour.does === 'refuse') {
      return stripeError(400, { code: behaviour.code, message: stripeRefusalMessage(behaviour.code) });
    }
    this.ledger.ensureRoom();
    const payout = this.payouts.add({
      id: this.nextPayout(),
      index: this.payouts.nextIndex(),
      createdMs: this.clock.now(),
      amount: Number(text(form, 'amount')),
      currency: (text(form, 'currency') ?? '').toLowerCase(),
      destination,
      description: text(form, 'description') ?? null,
      descriptor: text(form, 'statement_descriptor') ?? null,
      method: text(form, 'method') ?? 'standard',
      failureCode: behaviour.does === 'fail' ? behaviour.code : null,
      metadata: metadataOf(form),
    });
    const { id, amount, currency, metadata, failureCode, createdMs } = payout;
    if (failureCode === null) {
      this.ledger.add({
        operation: 'payout',
        psp_reference: id,
        parent_reference: null,
        reference: metadata[ENTITY_KEY] ?? null,
        route: metadata[ROUTE] ?? null,
        amount,
        currency: currency.toUpperCase(),
        idempotency_key: key,
      });
    }
    const shown = (nowMs: number) => () => render(payout, nowMs);
    this.events.announce('payout.created', shown(createdMs), key);
    const still = () => this.payouts.get(id)?.failureCode === null;
    if (failureCode === null) {
      this.events.later(SUBMITTED_MS, 'payout.updated', shown(createdMs + SUBMITTED_MS), still);
      this.events.later(PAID_MS, 'payout.paid', shown(createdMs + PAID_MS), still);
    } else this.events.announce('payout.failed', shown(createdMs), key);
    return json(200, render(payout, createdMs));
  }

  /** The recipient's bank sends it back. */
  fail(id: string): boolean {
    const payout = this.payouts.get(id);
    if (payout === undefined || this.ledger.undo(id, ['payout']) === undefined) return false;
    const failed = this.payouts.replace({ ...payout, failureCode: 'account_closed' });
    const now = this.clock.now();
    this.events.announce('payout.failed', () => render(failed, now), null);
    return true;
  }

  private retrieve(id: string): Routed {
    return lookup(entityKeys(this.payouts.get(id)?.metadata ?? {}), () => {
      const payout = this.payouts.get(id);
      return payout === undefined
        ? noSuch('payout', id, 'payout')
        : json(200, render(payout, this.clock.now()));
    });
  }

  private list(query: Form): Routed | Reply {
    const to = text(query, 'destination');
    return listed(query, {
      objects: this.payouts,
      thing: 'payout',
      url: PAYOUTS,
      fits: ({ destination }) => to === undefined || to === destination,
      render: (payout) => render(payout, this.clock.now()),
    });
  }
}

function checkPayout(form: Form): Reply | undefined {
  const amount = text(form, 'amount');
  const currency = text(form, 'currency');
  if (amount === undefined) return missing('amount');
  if (currency === undefined) return missing('currency');
  if (currencyByCode(currency.toUpperCase()) === undefined) {
    return stripeError(400, { message: `Invalid currency: ${currency}.`, param: 'currency' });
  }
  if ((text(form, 'statement_descriptor') ?? '').length > MAX_DESCRIPTOR_LENGTH) {
    return stripeError(400, {
      message: `The statement descriptor must be at most ${MAX_DESCRIPTOR_LENGTH} characters.`,
      param: 'statement_descriptor',
    });
  }
  return checkAmount(amount, 'amount', 1);
}

function render(payout: Payout, nowMs: number): object {
  const { id, amount, createdMs, currency, description, destination, failureCode, metadata } = payout;
  return {
    id,
    object: 'payout',
    amount,
    application_fee: null,
    application_fee_amount: null,
    arrival_date: seconds(createdMs + PAID_MS),
    automatic: false,
    balance_transaction: null,
    created: seconds(createdMs),
    currency,
    description,
    destination,
    failure_balance_transaction: null,
    failure_code: failureCode,
    failure_message: failureCode === null ? null : stripeFailureMessage(failureCode),
    livemode: false,
    metadata,
    method: payout.method,
    original_payout: null,
    payout_method: null,
    reconciliation_status: 'not_applicable',
    reversed_by: null,
    source_type: 'card',
    statement_descriptor: payout.descriptor,
    status: statusOf(payout, nowMs),
    trace_id: null,
    type: destination.startsWith('card_') ? 'card' : 'bank_account',
  };
}

function statusOf({ failureCode, createdMs }: Payout, nowMs: number): string {
  if (failureCode !== null) return 'failed';
  if (nowMs < createdMs + SUBMITTED_MS) return 'pending';
  return nowMs < createdMs + PAID_MS ? 'in_transit' : 'paid';
}
