import { createHmac } from 'node:crypto';
import { isObject, type Json, parseJson } from './adyen-parameters.js';
import { Books, type PaidOut } from './books.js';
import { type Clock } from './clock.js';
import { Disputes } from './disputes.js';
import { type Form, parseForm, text } from './form.js';
import { idSource } from './ids.js';
import { type Ledger, type Operation } from './ledger.js';
import { type Created, Objects } from './objects.js';
import { type ReportRequest } from './report-request.js';
import { feeOf, type Row } from './settlement-report.js';
import { type Webhooks } from './webhooks.js';
import {
  json,
  keyOf,
  type Call,
  type CustomerReturn,
  type DisputeStep,
  type Prepared,
  type Reply,
  type Routed,
  type Wire,
} from './wire.js';

const CURRENCIES = new Set(['AUD', 'CAD', 'DKK', 'EUR', 'GBP', 'NZD', 'SEK', 'USD']);
const MAX_PAGE = 500;

interface Payment extends Created {
  readonly amount: number;
  readonly currency: string;
  readonly status: string;
  readonly mandate: string;
  readonly refunded: number;
  /** The amount that can be disputed, in minor units. */
  readonly captured: number;
  readonly metadata: unknown;
  readonly key: string | null;
}

interface Refund extends Created {
  readonly amount: number;
  readonly currency: string;
  readonly status: string;
  readonly payment: string;
  readonly metadata: unknown;
}

interface Event extends Created {
  readonly action: string;
  readonly payment: string;
  readonly cause: string;
}

/**
 * GoCardless's payments and refunds. A debit is ordered when it is created; the bank decides days later, but for mandates
 * that begin with `MD_confirmed` and `MD_failed_<cause>`, whose banks decide at once, so that tests need not wait.
 */
export class GocardlessWire implements Wire {
  private readonly payments = new Objects<Payment>('payments');
  private readonly refunds = new Objects<Refund>('refunds');
  private readonly events = new Objects<Event>('events');
  private readonly disputes: Disputes<Payment>;
  private readonly books: Books;
  private readonly nextPayout = idSource('PO', 16);
  private readonly nextPayment = idSource('PM', 16);
  private readonly nextRefund = idSource('RF', 16);
  private readonly nextEvent = idSource('EV', 16);

  constructor(
    private readonly clock: Clock,
    private readonly ledger: Ledger,
    private readonly webhooks: Webhooks,
  ) {
    this.books = new Books(clock, ledger);
    const actions = {
      open: 'charged_back',
      win: 'chargeback_cancelled',
      lose: 'chargeback_settled',
    } as const;
    this.disputes = new Disputes(clock, ledger, idSource('CB', 16), ({ id }, _dispute, step) =>
      this.announce(this.payments.get(id)!, actions[step], 'authorisation_disputed'),
    );
  }

  prepare(call: Call): Prepared | Reply {
    const { authorization = '', 'gocardless-version': version } = call.headers;
    if (!/^Bearer (?:sandbox|live)_\S+$/.test(authorization))
      return error(401, 'invalid_api_usage', 'access_token_not_found');
    if (version === undefined) return error(400, 'invalid_api_usage', 'version_not_found');
    const prepared = this.route(call);
    return 'run' in prepared ? { ...prepared, headers: {} } : prepared;
  }

  serverError(status: number): Reply {
    return error(status, 'gocardless', 'internal_error');
  }

  throttled(retryAfterSeconds: number): Reply {
    const reply = error(429, 'invalid_api_usage', 'rate_limit_exceeded');
    return { ...reply, headers: { 'retry-after': String(retryAfterSeconds) } };
  }

  /** No customer is sent anywhere: the bank decides. */
  authenticate(id: string, succeeded: boolean): CustomerReturn | undefined {
    const payment = this.payments.get(id);
    if (payment === undefined) return undefined;
    if (payment.status !== 'pending_submission') return { status: payment.status, returnUrl: null };
    const after = succeeded ? this.confirm(payment) : this.failPayment(payment, 'insufficient_funds');
    return { status: after.status, returnUrl: null };
  }

  fail(id: string): boolean {
    const refund = this.refunds.get(id);
    const payment = this.payments.get(refund?.payment ?? '');
    if (refund === undefined || payment === undefined) return false;
    if (this.ledger.undo(id, ['refund']) === undefined) return false;
    this.payments.replace({ ...payment, refunded: payment.refunded - refund.amount });
    this.announceRefund(this.refunds.replace({ ...refund, status: 'bounced' }), 'failed');
    return true;
  }

  publish(request: ReportRequest): string {
    return this.books.payOut(request, this.nextPayout);
  }

  dispute(id: string, step: DisputeStep, amount?: number): string | undefined {
    const payment = this.payments.get(id);
    return payment === undefined ? undefined : this.disputes.step(payment, step, amount);
  }

  reset(): void {
    this.payments.reset();
    this.refunds.reset();
    this.events.reset();
    this.disputes.reset();
    this.books.reset();
  }

  private route(call: Call): Routed | Reply {
    const [, resource, id, ...rest] = call.path.split('/');
    if (call.method === 'GET') return this.look(call, resource, id);
    const body = parseJson(call.body);
    if (body === undefined) return error(400, 'invalid_api_usage', 'invalid_document_structure');
    if (resource === 'payments' && id === undefined) return this.pay(body, keyOf(call));
    if (resource === 'refunds' && id === undefined) return this.refund(body, keyOf(call));
    return resource === 'payments' && id !== undefined && rest.join('/') === 'actions/cancel'
      ? this.cancel(id)
      : notFound();
  }

  private look(call: Call, resource: string | undefined, id: string | undefined): Routed | Reply {
    const form = parseForm(call.query);
    const ofPayment = id ?? text(form, 'payment') ?? '';
    return {
      kind: 'lookup',
      references: namesIn(this.payments.get(ofPayment)?.metadata ?? this.refunds.get(ofPayment)?.metadata),
      key: null,
      run: () => {
        switch (resource) {
          case 'payments':
            if (id !== undefined) return one('payments', this.payments.get(id), renderPayment);
            return this.list(form, 'payments', this.payments, renderPayment, ({ mandate }) =>
              isOrAny(text(form, 'mandate'), mandate),
            );
          case 'refunds':
            if (id !== undefined) return one('refunds', this.refunds.get(id), renderRefund);
            return this.list(form, 'refunds', this.refunds, renderRefund, ({ payment }) =>
              isOrAny(text(form, 'payment'), payment),
            );
          case 'payouts':
          case 'payout_items':
            return this.payouts(resource, form);
          case 'events':
            return this.list(
              form,
              'events',
              this.events,
              (event) => this.renderEvent(event),
              ({ payment }) => isOrAny(text(form, 'payment'), payment),
            );
          default:
            return notFound();
        }
      },
    };
  }

  private list<T extends Created>(
    form: Form,
    name: string,
    objects: Objects<T>,
    render: (object: T) => object,
    fits: (object: T) => boolean,
  ): Reply {
    const limit = Number(text(form, 'limit') ?? 50);
    if (!(limit >= 1 && limit <= MAX_PAGE)) return error(422, 'validation_failed', 'limit');
    const created = form['created_at'];
    const range: Form = typeof created === 'object' ? created : {};
    const since = Date.parse(text(range, 'gte') ?? '1970-01-01T00:00:00Z');
    const until = Date.parse(text(range, 'lte') ?? '9999-01-01T00:00:00Z');
    const after = text(form, 'after');
    const found: T[] = [];
    for (const object of objects.newestFirst(since, after === undefined ? undefined : objects.get(after))) {
      if (object.createdMs <= until && fits(object)) found.push(object);
      if (found.length > limit) break;
    }
    const page = found.slice(0, limit);
    const cursors = { before: null, after: found.length > limit ? page.at(-1)!.id : null };
    return json(200, { [name]: page.map(render), meta: { cursors, limit } });
  }

  private payouts(name: 'payouts' | 'payout_items', form: Form): Reply {
    const created = form['created_at'];
    const range: Form = typeof created === 'object' ? created : {};
    const since = Date.parse(text(range, 'gte') ?? '1970-01-01T00:00:00Z');
    const until = Date.parse(text(range, 'lt') ?? '9999-01-01T00:00:00Z');
    const start = Number(text(form, 'after') ?? 0);
    const limit = Number(text(form, 'limit') ?? 50);
    if (!(limit >= 1 && limit <= MAX_PAGE)) return error(422, 'validation_failed', 'limit');
    const all =
      name === 'payouts'
        ? this.books.payouts(since, until).map(renderPayout)
        : (this.books.payout(text(form, 'payout') ?? '')?.rows.flatMap(renderItems) ?? []);
    const after = all.length > start + limit ? String(start + limit) : null;
    const meta = { cursors: { before: null, after }, limit };
    return json(200, { [name]: all.slice(start, start + limit), meta });
  }

  private pay(body: Json, key: string | null): Routed | Reply {
    const asked = isObject(body['payments']) ? body['payments'] : {};
    const { amount, currency, links, metadata = {} } = asked;
    const mandate = isObject(links) ? links['mandate'] : undefined;
    if (typeof mandate !== 'string' || !/^MD\w+$/.test(mandate))
      return error(422, 'validation_failed', 'mandate');
    if (typeof amount !== 'number' || !Number.isSafeInteger(amount) || amount <= 0)
      return error(422, 'validation_failed', 'amount');
    if (typeof currency !== 'string' || !CURRENCIES.has(currency))
      return error(422, 'validation_failed', 'currency');
    if (!isObject(metadata) || Object.keys(metadata).length > 3)
      return error(422, 'validation_failed', 'metadata');
    return {
      kind: 'execute',
      references: namesIn(metadata),
      key,
      run: (code) => {
        this.ledger.ensureRoom();
        const payment = this.payments.add({
          id: this.nextPayment(),
          index: this.payments.nextIndex(),
          createdMs: this.clock.now(),
          amount,
          currency,
          status: 'pending_submission',
          mandate,
          refunded: 0,
          captured: 0,
          metadata,
          key,
        });
        const failure = code ?? /^MD_failed_(\w+)$/.exec(mandate)?.[1];
        if (failure !== undefined) this.failPayment(payment, failure);
        // A bank's no comes after the order was taken, as it does in life.
        const isConfirmed = failure === undefined && mandate.startsWith('MD_confirmed');
        return json(201, { payments: renderPayment(isConfirmed ? this.confirm(payment) : payment) });
      },
    };
  }

  private confirm(payment: Payment): Payment {
    const { id, amount, key } = payment;
    const after = this.payments.replace({ ...payment, status: 'confirmed', captured: amount });
    this.book('charge', after, { own: id, parent: null, amount, key });
    this.announce(after, 'confirmed', 'payment_confirmed');
    return after;
  }

  private failPayment(payment: Payment, cause: string): Payment {
    const after = this.payments.replace({ ...payment, status: 'failed' });
    this.announce(after, 'failed', cause);
    return after;
  }

  private cancel(id: string): Routed {
    return {
      kind: 'cancel',
      references: namesIn(this.payments.get(id)?.metadata),
      key: null,
      run: () => {
        const payment = this.payments.get(id);
        if (payment === undefined) return notFound();
        if (payment.status !== 'pending_submission')
          return error(422, 'invalid_state', 'cancellation_failed');
        const after = this.payments.replace({ ...payment, status: 'cancelled' });
        this.announce(after, 'cancelled', 'payment_cancelled');
        return json(200, { payments: renderPayment(after) });
      },
    };
  }

  private refund(body: Json, key: string | null): Routed | Reply {
    const asked = isObject(body['refunds']) ? body['refunds'] : {};
    const { amount, total_amount_confirmation: total, links, metadata = {} } = asked;
    const of = isObject(links) ? links['payment'] : undefined;
    if (typeof amount !== 'number' || !Number.isSafeInteger(amount) || amount <= 0)
      return error(422, 'validation_failed', 'amount');
    if (typeof of !== 'string') return error(422, 'validation_failed', 'payment');
    return {
      kind: 'execute',
      references: [...namesIn(metadata), ...namesIn(this.payments.get(of)?.metadata)],
      key,
      run: (code) => {
        const payment = this.payments.get(of);
        if (payment === undefined) return notFound();
        if (total !== payment.refunded + amount)
          return error(422, 'invalid_state', 'total_amount_confirmation_invalid');
        if (amount > payment.captured - payment.refunded)
          return error(422, 'invalid_state', 'refund_payment_invalid_state');
        this.ledger.ensureRoom();
        const refund = this.refunds.add({
          id: this.nextRefund(),
          index: this.refunds.nextIndex(),
          createdMs: this.clock.now(),
          amount,
          currency: payment.currency,
          status: 'submitted',
          payment: of,
          metadata,
        });
        if (code === undefined) {
          this.payments.replace({ ...payment, refunded: payment.refunded + amount });
          this.book('refund', { ...payment, metadata }, { own: refund.id, parent: of, amount, key });
          this.announceRefund(refund, 'created');
        } else this.announceRefund(this.refunds.replace({ ...refund, status: 'bounced' }), 'failed');
        return json(201, { refunds: renderRefund(refund) });
      },
    };
  }

  private book(
    operation: Operation,
    { currency, metadata }: Payment,
    effect: { own: string; parent: string | null; amount: number; key: string | null },
  ): void {
    const [reference = null] = namesIn(metadata);
    const route = isObject(metadata) ? metadata['payonce_route'] : undefined;
    this.ledger.add({
      operation,
      psp_reference: effect.own,
      parent_reference: effect.parent,
      reference,
      route: typeof route === 'string' ? route : null,
      amount: effect.amount,
      currency,
      idempotency_key: effect.key,
    });
  }

  private announce({ id, metadata }: Payment, action: string, cause: string): void {
    const event = this.events.add({
      id: this.nextEvent(),
      index: this.events.nextIndex(),
      createdMs: this.clock.now(),
      action,
      payment: id,
      cause,
    });
    this.send({ ...this.renderEvent(event), resource_metadata: metadata });
  }

  private renderEvent({ id, createdMs, action, payment, cause }: Event): object {
    return {
      id,
      created_at: new Date(createdMs).toISOString(),
      resource_type: 'payments',
      action,
      details: { origin: 'bank', cause, description: cause.replaceAll('_', ' ') },
      metadata: {},
      links: { payment },
    };
  }

  private announceRefund({ id, payment, metadata }: Refund, action: string): void {
    this.send({
      id: this.nextEvent(),
      created_at: new Date(this.clock.now()).toISOString(),
      resource_type: 'refunds',
      action,
      details: { origin: 'gocardless', cause: `refund_${action}`, description: action },
      metadata: {},
      resource_metadata: metadata,
      links: { refund: id, payment },
    });
  }

  private send(event: object): void {
    const body = JSON.stringify({ events: [event], meta: { webhook_id: this.nextEvent() } });
    this.webhooks.send(([secret = '']) => ({
      headers: { 'webhook-signature': createHmac('sha256', secret).update(body).digest('hex') },
      body,
    }));
  }
}

function renderPayment({
  id,
  createdMs,
  amount,
  currency,
  status,
  mandate,
  refunded,
  metadata,
}: Payment): object {
  return {
    id,
    created_at: new Date(createdMs).toISOString(),
    charge_date: new Date(createdMs).toISOString().slice(0, 10),
    amount,
    amount_refunded: refunded,
    currency,
    status,
    description: null,
    reference: null,
    metadata,
    retry_if_possible: false,
    links: { mandate, creditor: 'CR123' },
  };
}

const itemTypes = {
  payment: 'payment_paid_out',
  refund: 'payment_refunded',
  refund_reversed: 'refund_funds_returned',
  dispute: 'payment_charged_back',
  dispute_reversed: 'payment_paid_out',
  payout: 'refund',
  payout_returned: 'refund_funds_returned',
} as const;

function renderPayout({ id, createdMs, currency, rows }: PaidOut): object {
  const fees = rows.reduce((sum, row) => sum + feeOf(row), 0);
  return {
    id,
    amount: rows.reduce((sum, { gross }) => sum + gross, -fees),
    deducted_fees: fees,
    currency,
    created_at: new Date(createdMs).toISOString(),
    payout_type: 'merchant',
    status: 'paid',
  };
}

/** What moved money, and what GoCardless took for it. */
function renderItems(row: Row): object[] {
  const { effect, type, gross } = row;
  const { psp_reference: own, parent_reference: parent } = effect;
  const links = type === 'payment' ? { payment: own } : { payment: parent ?? own };
  const part = type.startsWith('refund') ? { refund: own } : {};
  const fee = feeOf(row);
  const item = { amount: gross.toFixed(1), type: itemTypes[type], links: { ...links, ...part } };
  return fee === 0 ? [item] : [item, { amount: (-fee).toFixed(1), type: 'gocardless_fee', links }];
}

function renderRefund({ id, createdMs, amount, currency, status, payment, metadata }: Refund): object {
  const createdAt = new Date(createdMs).toISOString();
  return {
    id,
    created_at: createdAt,
    amount,
    currency,
    status,
    reference: null,
    metadata,
    links: { payment },
  };
}

function one<T>(name: string, found: T | undefined, render: (found: T) => object): Reply {
  return found === undefined ? notFound() : json(200, { [name]: render(found) });
}

function isOrAny(asked: string | undefined, value: string): boolean {
  return asked === undefined || asked === value;
}

function namesIn(metadata: unknown): string[] {
  const name = isObject(metadata) ? metadata['payonce_key'] : undefined;
  return typeof name === 'string' ? [name] : [];
}

function error(code: number, type: string, reason: string): Reply {
  const message = reason.replaceAll('_', ' ');
  return json(code, { error: { message, errors: [{ reason, message }], type, code } });
}

function notFound(): Reply {
  return error(404, 'invalid_api_usage', 'resource_not_found');
}
