import { createHmac, randomUUID } from 'node:crypto';
import { isObject, type Json, parseJson } from './adyen-parameters.js';
import { Books } from './books.js';
import { type Clock } from './clock.js';
import { type Dispute, Disputes } from './disputes.js';
import { parseForm, text } from './form.js';
import { idSource } from './ids.js';
import { type Ledger, type Operation } from './ledger.js';
import { Objects } from './objects.js';
import {
  renderSquareDecline,
  renderSquareEntry,
  renderSquarePayment,
  renderSquarePayout,
  renderSquareRefund,
  type SquarePayment,
  type SquareRefund,
  squareError,
} from './square-payments.js';
import { type ReportRequest } from './report-request.js';
import { type Webhooks } from './webhooks.js';
import {
  json,
  type Call,
  type CustomerReturn,
  type DisputeStep,
  type Prepared,
  type Reply,
  type Routed,
  type Wire,
} from './wire.js';

const MAX_KEY_LENGTH = 45;
const MAX_REFERENCE_LENGTH = 40;
const MAX_NOTE_LENGTH = 500;
const MAX_REASON_LENGTH = 192;
const PAGE = 100;
const MERCHANT = 'MLSIMULATEDPAYONCE';
/** A seller answers within a week or two. */
const ANSWERED_WITHIN_MS = 7 * 24 * 3_600_000;

const disputeStates = { open: 'EVIDENCE_REQUIRED', win: 'WON', lose: 'LOST' } as const;

/**
 * Square's payments and refunds. For how long it remembers a key is not published: the simulator does not, so that nothing
 * can rest on it. A payment can be canceled by its key all the same.
 */
export class SquareWire implements Wire {
  private readonly payments = new Objects<SquarePayment>('payments');
  private readonly refunds = new Objects<SquareRefund>('refunds');
  private readonly byKey = new Map<string, string>();
  private readonly disputes: Disputes<SquarePayment>;
  private readonly books: Books;
  private readonly nextPayout = idSource('po_', 32);
  private readonly nextPayment = idSource('', 27);
  private readonly nextRefund = idSource('', 40);
  /** How late a list is. */
  private lagMs = 0;

  constructor(
    private readonly clock: Clock,
    private readonly ledger: Ledger,
    private readonly webhooks: Webhooks,
  ) {
    this.books = new Books(clock, ledger);
    this.disputes = new Disputes(clock, ledger, idSource('', 22), (payment, dispute, step) =>
      this.announceDispute(payment, dispute, step),
    );
  }

  prepare(call: Call): Prepared | Reply {
    if (!/^Bearer \S{8,}$/.test(call.headers.authorization ?? '')) {
      return refused(401, 'AUTHENTICATION_ERROR', 'UNAUTHORIZED');
    }
    const prepared = this.route(call);
    return 'run' in prepared ? { ...prepared, headers: { 'square-version': '2026-07-15' } } : prepared;
  }

  serverError(status: number): Reply {
    return refused(status, 'API_ERROR', 'INTERNAL_SERVER_ERROR');
  }

  throttled(retryAfterSeconds: number): Reply {
    const reply = refused(429, 'RATE_LIMIT_ERROR', 'RATE_LIMITED');
    return { ...reply, headers: { 'retry-after': String(retryAfterSeconds) } };
  }

  /** Square sends no customer anywhere: a bank decides of what is pending. */
  authenticate(id: string, succeeded: boolean): CustomerReturn | undefined {
    const payment = this.payments.get(id);
    if (payment === undefined) return undefined;
    if (payment.status !== 'PENDING') return { status: payment.status, returnUrl: null };
    const after = succeeded ? this.approve(payment, payment.key) : this.decline(payment, 'GENERIC_DECLINE');
    this.announce('payment.updated', after);
    return { status: after.status, returnUrl: null };
  }

  fail(id: string): boolean {
    const refund = this.refunds.get(id);
    if (refund === undefined || this.ledger.undo(id, ['refund']) === undefined) return false;
    this.failRefund(refund);
    return true;
  }

  publish(request: ReportRequest): string {
    return this.books.payOut(request, this.nextPayout);
  }

  dispute(id: string, step: DisputeStep, amount?: number): string | undefined {
    const payment = this.payments.get(id);
    return payment === undefined ? undefined : this.disputes.step(payment, step, amount);
  }

  settings({ search_lag_ms: lagMs }: Readonly<Record<string, unknown>>): void {
    if (typeof lagMs === 'number') this.lagMs = lagMs;
  }

  reset(): void {
    this.payments.reset();
    this.refunds.reset();
    this.byKey.clear();
    this.disputes.reset();
    this.books.reset();
    this.lagMs = 0;
  }

  private route(call: Call): Routed | Reply {
    const [, version, resource, id, verb] = call.path.split('/');
    if (version !== 'v2') return notFound();
    if (call.method === 'GET') return this.look(call, resource, id);
    const body = parseJson(call.body === '' ? '{}' : call.body);
    if (body === undefined) return invalid('EXPECTED_JSON_BODY');
    if (resource === 'refunds' && id === undefined) return this.refund(body);
    if (resource !== 'payments') return notFound();
    if (id === undefined) return this.pay(body);
    if (id === 'cancel' && verb === undefined) return this.cancelByKey(body);
    return verb === 'complete' || verb === 'cancel' ? this.end(id, verb) : notFound();
  }

  private look(call: Call, resource: string | undefined, id: string | undefined): Routed | Reply {
    const one = (found: object | undefined): Reply => (found === undefined ? notFound() : json(200, found));
    if (resource === 'payments' && id !== undefined) {
      const references = namesOf(this.payments.get(id));
      return lookup(references, () => {
        const payment = this.payments.get(id);
        return one(payment && { payment: renderSquarePayment(payment) });
      });
    }
    if (resource === 'refunds' && id !== undefined) {
      return lookup(namesOf(this.payments.get(this.refunds.get(id)?.paymentId ?? '')), () => {
        const refund = this.refunds.get(id);
        return one(refund && { refund: renderSquareRefund(refund) });
      });
    }
    if (resource === 'payouts') return this.payouts(call.query, id);
    return resource === 'payments' ? this.list(call.query) : notFound();
  }

  /** Payouts of a time, or the entries of one. */
  private payouts(query: string, id: string | undefined): Routed {
    const form = parseForm(query);
    const [begin, end, cursor] = [text(form, 'begin_time'), text(form, 'end_time'), text(form, 'cursor')];
    const start = Number(cursor ?? 0);
    return lookup([], () => {
      const payout = this.books.payout(id ?? '');
      if (id !== undefined && payout === undefined) return notFound();
      const all =
        payout === undefined
          ? this.books
              .payouts(Date.parse(begin ?? '1970-01-01T00:00:00Z'), Date.parse(end ?? '9999-01-01T00:00:00Z'))
              .map((one) => renderSquarePayout(one, text(form, 'location_id') ?? 'MAIN'))
          : payout.rows.map((row) => renderSquareEntry(payout.id, row));
      const page = all.slice(start, start + PAGE);
      const more = all.length > start + PAGE ? { cursor: String(start + PAGE) } : {};
      return json(200, { [payout === undefined ? 'payouts' : 'payout_entries']: page, ...more });
    });
  }

  /** Oldest or newest first; what is younger than the lag is not shown yet. */
  private list(query: string): Routed | Reply {
    const form = parseForm(query);
    const begin = Date.parse(text(form, 'begin_time') ?? '1970-01-01T00:00:00Z');
    const end = Date.parse(text(form, 'end_time') ?? '9999-01-01T00:00:00Z');
    const limit = Number(text(form, 'limit') ?? PAGE);
    const [location, cursor] = [text(form, 'location_id'), text(form, 'cursor')];
    if (Number.isNaN(begin) || Number.isNaN(end)) return invalid('INVALID_TIME');
    if (!(limit >= 1 && limit <= PAGE)) return invalid('INVALID_VALUE');
    return lookup([], () => {
      const shown = this.clock.now() - this.lagMs;
      const start = cursor === undefined ? undefined : this.payments.get(cursor);
      if (cursor !== undefined && start === undefined) return invalid('INVALID_CURSOR');
      const found: SquarePayment[] = [];
      for (const payment of this.payments.newestFirst(begin, start)) {
        const { createdMs, locationId } = payment;
        const isShown = createdMs < end && createdMs <= shown;
        if (isShown && (location === undefined || location === locationId)) found.push(payment);
        if (found.length > limit) break;
      }
      const page = found.slice(0, limit);
      const more = found.length > limit ? { cursor: page.at(-1)!.id } : {};
      return json(200, { ...(page.length > 0 ? { payments: page.map(renderSquarePayment) } : {}), ...more });
    });
  }

  private pay(body: Json): Routed | Reply {
    const { source_id: source, idempotency_key: key, reference_id: referenceId = null, note = null } = body;
    const { autocomplete = true, location_id: locationId = 'MAIN' } = body;
    const asked = moneyOf(body['amount_money']);
    if (typeof source !== 'string' || !/^(?:cnon|ccof|bauth|wnon):\S+$/.test(source))
      return invalid('NOT_FOUND');
    if (!isText(key, MAX_KEY_LENGTH)) return invalid('VALUE_TOO_LONG');
    if (asked === undefined) return invalid('INVALID_VALUE');
    if (referenceId !== null && !isText(referenceId, MAX_REFERENCE_LENGTH)) return invalid('VALUE_TOO_LONG');
    if (note !== null && !isText(note, MAX_NOTE_LENGTH)) return invalid('VALUE_TOO_LONG');
    if (source.startsWith('ccof:') && typeof body['customer_id'] !== 'string')
      return invalid('MISSING_REQUIRED_PARAMETER');
    return {
      kind: 'execute',
      references: [...nameIn(note)],
      key,
      run: (code) => {
        this.ledger.ensureRoom();
        const now = this.clock.now();
        const payment = this.payments.add({
          id: this.nextPayment(),
          index: this.payments.nextIndex(),
          createdMs: now,
          updatedMs: now,
          ...asked,
          status: 'PENDING',
          atOnce: autocomplete !== false,
          captured: 0,
          refunded: 0,
          refundIds: [],
          key,
          referenceId,
          note,
          locationId: String(locationId),
          error: null,
        });
        this.byKey.set(key, payment.id);
        const declined = code ?? declineOf(source);
        if (source === 'bauth:ok' && declined === undefined) {
          this.announce('payment.created', payment);
          return json(200, { payment: renderSquarePayment(payment) });
        }
        const after = declined === undefined ? this.approve(payment, key) : this.decline(payment, declined);
        this.announce('payment.created', after);
        const rendered = declined === undefined ? { payment: renderSquarePayment(after) } : undefined;
        return json(rendered ? 200 : 402, rendered ?? renderSquareDecline(after));
      },
    };
  }

  private approve(payment: SquarePayment, key: string): SquarePayment {
    const { amount, atOnce } = payment;
    const after = this.change(payment, {
      status: atOnce ? 'COMPLETED' : 'APPROVED',
      captured: atOnce ? amount : 0,
    });
    this.book(atOnce ? 'charge' : 'authorize', after, { own: after.id, parent: null, amount, key });
    return after;
  }

  private decline(payment: SquarePayment, error: string): SquarePayment {
    return this.change(payment, { status: 'FAILED', error });
  }

  private end(id: string, verb: 'complete' | 'cancel'): Routed | Reply {
    return {
      kind: verb === 'cancel' ? 'cancel' : 'execute',
      references: namesOf(this.payments.get(id)),
      key: null,
      run: () => {
        const payment = this.payments.get(id);
        if (payment === undefined) return notFound();
        if (payment.status !== 'APPROVED') return invalid('BAD_REQUEST');
        this.ledger.ensureRoom();
        return json(200, { payment: renderSquarePayment(this.ended(payment, verb)) });
      },
    };
  }

  private ended(payment: SquarePayment, verb: 'complete' | 'cancel'): SquarePayment {
    const { id, amount } = payment;
    const after =
      verb === 'complete'
        ? this.change(payment, { status: 'COMPLETED', captured: amount })
        : this.change(payment, { status: 'CANCELED' });
    const operation = verb === 'complete' ? 'capture' : 'void';
    this.book(operation, after, { own: id, parent: id, amount, key: null });
    this.announce('payment.updated', after);
    return after;
  }

  /** "If no payment with the specified idempotency key is found, no action is taken and the endpoint returns successfully." */
  private cancelByKey({ idempotency_key: key }: Json): Routed | Reply {
    if (!isText(key, MAX_KEY_LENGTH)) return invalid('MISSING_REQUIRED_PARAMETER');
    const found = () => this.payments.get(this.byKey.get(key) ?? '');
    return {
      kind: 'cancel',
      references: namesOf(found()),
      key,
      run: () => {
        const payment = found();
        if (payment?.status === 'COMPLETED') return invalid('BAD_REQUEST');
        if (payment?.status === 'APPROVED') this.ended(payment, 'cancel');
        else if (payment?.status === 'PENDING')
          this.announce('payment.updated', this.change(payment, { status: 'CANCELED' }));
        return json(200, {});
      },
    };
  }

  private refund(body: Json): Routed | Reply {
    const { idempotency_key: key, payment_id: paymentId, reason = null } = body;
    const asked = moneyOf(body['amount_money']);
    if (!isText(key, MAX_KEY_LENGTH)) return invalid('VALUE_TOO_LONG');
    if (reason !== null && !isText(reason, MAX_REASON_LENGTH)) return invalid('VALUE_TOO_LONG');
    if (asked === undefined || typeof paymentId !== 'string') return invalid('MISSING_REQUIRED_PARAMETER');
    return {
      kind: 'execute',
      references: [...nameIn(reason), ...namesOf(this.payments.get(paymentId))],
      key,
      run: (code) => {
        const payment = this.payments.get(paymentId);
        if (payment === undefined) return notFound();
        if (payment.captured === 0) return refundError('REFUND_ERROR_PAYMENT_NEEDS_COMPLETION');
        const { amount, currency } = asked;
        const left = payment.captured - payment.refunded;
        if (currency !== payment.currency || amount > left || amount <= 0)
          return refundError('REFUND_AMOUNT_INVALID');
        this.ledger.ensureRoom();
        const now = this.clock.now();
        const refund = this.refunds.add({
          id: `${paymentId}_${this.nextRefund()}`,
          index: this.refunds.nextIndex(),
          createdMs: now,
          updatedMs: now,
          paymentId,
          ...asked,
          reason,
          status: 'PENDING',
          locationId: payment.locationId,
        });
        this.change(payment, { refundIds: [...payment.refundIds, refund.id] });
        if (code === undefined) this.settleRefund(refund, key);
        else this.failRefund(refund);
        return json(200, { refund: renderSquareRefund(refund) });
      },
    };
  }

  private settleRefund(refund: SquareRefund, key: string): void {
    const { id, paymentId, amount } = refund;
    const payment = this.payments.get(paymentId)!;
    this.change(payment, { refunded: payment.refunded + amount });
    this.book('refund', { ...payment, note: refund.reason }, { own: id, parent: paymentId, amount, key });
    this.announceRefund(this.refunds.replace({ ...refund, status: 'COMPLETED' }));
  }

  private failRefund(refund: SquareRefund): void {
    const payment = this.payments.get(refund.paymentId)!;
    if (refund.status === 'COMPLETED') this.change(payment, { refunded: payment.refunded - refund.amount });
    const failed = { ...refund, status: 'FAILED', updatedMs: this.clock.now() } as const;
    this.announceRefund(this.refunds.replace(failed));
  }

  private change(payment: SquarePayment, by: Partial<SquarePayment>): SquarePayment {
    const now = this.payments.get(payment.id) ?? payment;
    return this.payments.replace({ ...now, ...by, updatedMs: this.clock.now() });
  }

  private book(
    operation: Operation,
    { currency, note }: SquarePayment,
    effect: { own: string; parent: string | null; amount: number; key: string | null },
  ): void {
    const [reference = null, route = null] = (note ?? '').split(' ');
    this.ledger.add({
      operation,
      psp_reference: effect.own,
      parent_reference: effect.parent,
      // A capture or void has no name of its own: that of the payment is told.
      reference,
      route: effect.own === effect.parent ? null : route,
      amount: effect.amount,
      currency,
      idempotency_key: effect.key,
    });
  }

  private announce(type: string, payment: SquarePayment): void {
    this.send(type, 'payment', payment.id, { payment: renderSquarePayment(payment) });
  }

  private announceRefund(refund: SquareRefund): void {
    this.send('refund.updated', 'refund', refund.id, { refund: renderSquareRefund(refund) });
  }

  private announceDispute(
    { id, currency, locationId }: SquarePayment,
    dispute: Dispute,
    step: DisputeStep,
  ): void {
    const type = step === 'open' ? 'dispute.created' : 'dispute.state.updated';
    this.send(type, 'dispute', dispute.id, {
      dispute: {
        id: dispute.id,
        amount_money: { amount: dispute.amount, currency },
        reason: 'NO_KNOWLEDGE',
        state: disputeStates[step],
        due_at: new Date(dispute.at + ANSWERED_WITHIN_MS).toISOString(),
        disputed_payment: { payment_id: id },
        location_id: locationId,
        created_at: new Date(dispute.at).toISOString(),
      },
    });
  }

  /** Square signs the address that it notifies, and the body behind it. */
  private send(type: string, kind: string, id: string, object: object): void {
    const body = JSON.stringify({
      merchant_id: MERCHANT,
      type,
      event_id: randomUUID(),
      created_at: new Date(this.clock.now()).toISOString(),
      data: { type: kind, id, object },
    });
    this.webhooks.send(([secret = ''], url) => ({
      headers: {
        'x-square-hmacsha256-signature': createHmac('sha256', secret)
          .update(url + body)
          .digest('base64'),
      },
      body,
    }));
  }
}

/** `cnon:decline-<code>`; every other source is approved, but for `bauth:ok`, which waits for its bank. */
function declineOf(source: string): string | undefined {
  return /^cnon:decline-(\w+)$/.exec(source)?.[1];
}

function moneyOf(value: unknown): { readonly amount: number; readonly currency: string } | undefined {
  if (!isObject(value)) return undefined;
  const { amount, currency } = value;
  const isMoney = typeof amount === 'number' && Number.isSafeInteger(amount) && amount >= 0;
  return isMoney && typeof currency === 'string' && /^[A-Z]{3}$/.test(currency)
    ? { amount, currency }
    : undefined;
}

function isText(value: unknown, maxLength: number): value is string {
  return typeof value === 'string' && value !== '' && value.length <= maxLength;
}

/** The caller's name of an operation is the first word of a note. */
function nameIn(note: string | null): string[] {
  const [name] = (note ?? '').split(' ');
  return name ? [name] : [];
}

function namesOf(payment: SquarePayment | undefined): string[] {
  return nameIn(payment?.note ?? null);
}

function lookup(references: readonly string[], run: () => Reply): Routed {
  return { kind: 'lookup', references, key: null, run };
}

function refused(status: number, category: string, code: string): Reply {
  return json(status, squareError(category, code, code.toLowerCase().replaceAll('_', ' ')));
}

function invalid(code: string): Reply {
  return refused(400, 'INVALID_REQUEST_ERROR', code);
}

function refundError(code: string): Reply {
  return refused(400, 'REFUND_ERROR', code);
}

function notFound(): Reply {
  return refused(404, 'INVALID_REQUEST_ERROR', 'NOT_FOUND');
}
