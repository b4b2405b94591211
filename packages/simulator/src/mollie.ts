import { createHmac } from 'node:crypto';
import { isObject, type Json, parseJson } from './adyen-parameters.js';
import { Books } from './books.js';
import { type Clock } from './clock.js';
import { type Dispute, Disputes } from './disputes.js';
import { parseForm, text } from './form.js';
import { idSource } from './ids.js';
import { type Ledger, type Operation } from './ledger.js';
import {
  amountIn,
  type MolliePart,
  type MolliePayment,
  renderAmount,
  renderMolliePart,
  renderMolliePayment,
  renderMollieTransaction,
  transactionId,
} from './mollie-objects.js';
import { Objects } from './objects.js';
import { type ReportRequest } from './report-request.js';
import { type Notification, type Webhooks } from './webhooks.js';
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

const METHODS = new Set(['creditcard', 'ideal', 'bancontact', 'paypal', 'applepay', 'directdebit']);
const MAX_PAGE = 250;

/** Mollie's payments, captures and refunds. */
export class MollieWire implements Wire {
  private readonly payments = new Objects<MolliePayment>('payments');
  private readonly parts = new Objects<MolliePart>('captures and refunds');
  private readonly disputes: Disputes<MolliePayment>;
  private readonly books: Books;
  private readonly nextPayment = idSource('tr_', 18);
  private readonly nextCapture = idSource('cpt_', 22);
  private readonly nextRefund = idSource('re_', 18);
  private readonly nextEvent = idSource('event_', 21);

  constructor(
    private readonly clock: Clock,
    private readonly ledger: Ledger,
    private readonly webhooks: Webhooks,
    /** Where this PSP is reached, for the pages that customers are sent to. */
    private readonly pages: () => string,
  ) {
    this.books = new Books(clock, ledger);
    this.disputes = new Disputes(clock, ledger, idSource('chb_', 21), (payment, dispute, step) =>
      this.announceChargeback(payment, dispute, step),
    );
  }

  prepare(call: Call): Prepared | Reply {
    // Balances are the organization's, which no key of payments is shown.
    const isBalance = call.path.startsWith('/v2/balances/');
    const token = isBalance ? /^Bearer access_\w+$/ : /^Bearer (?:test|live)_\w+$/;
    if (!token.test(call.headers.authorization ?? '')) return error(401, 'Unauthorized Request');
    const prepared = this.route(call);
    return 'run' in prepared
      ? { ...prepared, headers: { 'content-type': 'application/hal+json' } }
      : prepared;
  }

  serverError(status: number): Reply {
    return error(status, 'Internal Server Error');
  }

  throttled(retryAfterSeconds: number): Reply {
    return { ...error(429, 'Too Many Requests'), headers: { 'retry-after': String(retryAfterSeconds) } };
  }

  authenticate(id: string, succeeded: boolean): CustomerReturn | undefined {
    const payment = this.payments.get(id);
    if (payment === undefined) return undefined;
    const { status, redirectUrl: returnUrl } = payment;
    if (status !== 'open' && status !== 'pending') return { status, returnUrl };
    const after = succeeded ? this.approve(payment) : this.decline(payment, 'authentication_failed');
    return { status: after.status, returnUrl };
  }

  fail(id: string): boolean {
    const effect = this.ledger.undo(id, ['capture', 'refund']);
    const part = this.parts.get(id);
    const payment = this.payments.get(part?.paymentId ?? '');
    if (effect === undefined || part === undefined || payment === undefined) return false;
    const taken = part.kind === 'capture' ? 'captured' : 'refunded';
    this.payments.replace({ ...payment, [taken]: payment[taken] - part.amount });
    this.announcePart(this.parts.replace({ ...part, status: 'failed' }));
    return true;
  }

  publish(request: ReportRequest): string {
    this.books.publish(request);
    return 'balance-transactions';
  }

  dispute(id: string, step: DisputeStep, amount?: number): string | undefined {
    const payment = this.payments.get(id);
    return payment === undefined ? undefined : this.disputes.step(payment, step, amount);
  }

  reset(): void {
    this.payments.reset();
    this.parts.reset();
    this.disputes.reset();
    this.books.reset();
  }

  private route(call: Call): Routed | Reply {
    const [, version, resource, id, verb, ...rest] = call.path.split('/');
    if (call.method === 'GET' && call.path === '/v2/balances/primary/transactions')
      return this.transactions(call);
    if (version !== 'v2' || resource !== 'payments' || rest.length > 0) return notFound();
    if (call.method === 'GET') return this.look(call, id, verb);
    if (call.method === 'DELETE') return id === undefined ? notFound() : this.cancel(id);
    const body = parseJson(call.body === '' ? '{}' : call.body);
    if (body === undefined) return error(400, 'Bad Request');
    if (id === undefined) return this.pay(body, keyOf(call));
    switch (verb) {
      case 'captures':
        return this.part('capture', id, body, keyOf(call));
      case 'refunds':
        return this.part('refund', id, body, keyOf(call));
      case 'release-authorization':
        return this.release(id, keyOf(call));
      default:
        return notFound();
    }
  }

  private look(call: Call, id: string | undefined, verb: string | undefined): Routed | Reply {
    const named = id === undefined ? [] : namesIn(this.payments.get(id)?.metadata);
    const form = parseForm(call.query);
    return {
      kind: 'lookup',
      references: named,
      key: null,
      run: () => {
        const pages = this.pages();
        const render = (payment: MolliePayment) => renderMolliePayment(payment, pages);
        if (id === undefined)
          return this.list(form, 'payments', this.payments, () => true, render, call.path);
        const payment = this.payments.get(id);
        if (payment === undefined) return notFound();
        if (verb === undefined) return json(200, render(payment));
        const kind = { captures: 'capture', refunds: 'refund' }[verb];
        if (kind === undefined) return notFound();
        const isOf = (part: MolliePart) => part.paymentId === id && part.kind === kind;
        return this.list(form, verb, this.parts, isOf, renderMolliePart, call.path);
      },
    };
  }

  /** Newest first, as all its lists. */
  private transactions(call: Call): Routed | Reply {
    const form = parseForm(call.query);
    const limit = Number(text(form, 'limit') ?? 50);
    if (!(limit >= 1 && limit <= MAX_PAGE)) return invalid('limit', 'The limit is not valid');
    return {
      kind: 'lookup',
      references: [],
      key: null,
      run: () => {
        const rows = this.books.rows().toReversed();
        const from = text(form, 'from');
        const first = from === undefined ? 0 : rows.findIndex((row) => transactionId(row) === from);
        if (first === -1) return notFound();
        const page = rows.slice(first, first + limit);
        const after = rows[first + limit];
        const href = after && `${this.pages()}${call.path}?limit=${limit}&from=${transactionId(after)}`;
        return json(200, {
          count: page.length,
          _embedded: { balance_transactions: page.map(renderMollieTransaction) },
          _links: {
            next: href === undefined ? null : { href, type: 'application/hal+json' },
            previous: null,
          },
        });
      },
    };
  }

  /** Newest first; `from` is the first of the page. */
  private list<T extends MolliePayment | MolliePart>(
    form: ReturnType<typeof parseForm>,
    name: string,
    objects: Objects<T>,
    fits: (object: T) => boolean,
    render: (object: T) => object,
    path: string,
  ): Reply {
    const limit = Number(text(form, 'limit') ?? 50);
    if (!(limit >= 1 && limit <= MAX_PAGE)) return invalid('limit', 'The limit is not valid');
    const from = text(form, 'from');
    const first = from === undefined ? undefined : objects.get(from);
    if (from !== undefined && first === undefined) return notFound();
    const found: T[] = first === undefined ? [] : [first];
    for (const object of objects.newestFirst(0, first)) {
      if (found.length > limit) break;
      if (fits(object)) found.push(object);
    }
    const after = found[limit];
    const href = after && `${this.pages()}${path}?limit=${limit}&from=${after.id}`;
    const page = found.slice(0, limit);
    return json(200, {
      count: page.length,
      _embedded: { [name]: page.map(render) },
      _links: { next: href === undefined ? null : { href, type: 'application/hal+json' }, previous: null },
    });
  }

  private pay(body: Json, key: string | null): Routed | Reply {
    const asked = amountIn(body['amount']);
    const { description, method, metadata = null, captureMode, redirectUrl = null, webhookUrl = null } = body;
    const token = body['cardToken'] ?? body['mandateId'] ?? body['applePayPaymentToken'];
    if (asked === undefined) return invalid('amount', 'The amount is not valid');
    if (typeof description !== 'string' || description === '' || description.length > 255)
      return invalid('description', 'The description is not valid');
    if (typeof method !== 'string' || !METHODS.has(method))
      return invalid('method', 'The payment method is invalid');
    const isManual = captureMode === 'manual';
    if (isManual && method !== 'creditcard')
      return invalid('captureMode', 'The method has no manual capture');
    const isRecurring = body['sequenceType'] === 'recurring';
    if (isRecurring && typeof body['customerId'] !== 'string')
      return invalid('customerId', 'The customer is missing');
    if (!isRecurring && method === 'directdebit') return invalid('sequenceType', 'A mandate is needed');
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
          ...asked,
          status: 'open',
          method,
          description,
          isManual,
          captured: 0,
          refunded: 0,
          redirectUrl: typeof redirectUrl === 'string' ? redirectUrl : null,
          webhookUrl: typeof webhookUrl === 'string' ? webhookUrl : null,
          metadata,
          failure: null,
          key,
        });
        const after = this.attempt(payment, code, typeof token === 'string' ? token : undefined);
        return { status: 201, body: JSON.stringify(renderMolliePayment(after, this.pages())) };
      },
    };
  }

  /** Without a token, and with `tkn_3ds`, the customer has to come to Mollie's page. */
  private attempt(
    payment: MolliePayment,
    code: string | undefined,
    token: string | undefined,
  ): MolliePayment {
    const declined = code ?? /^tkn_decline_(\w+)$/.exec(token ?? '')?.[1];
    if (declined !== undefined) return this.decline(payment, declined);
    if (token === undefined || token === 'tkn_3ds') return payment;
    if (token === 'tkn_pending' || payment.method === 'directdebit') {
      const waiting = this.payments.replace({ ...payment, status: 'pending' });
      this.announcePayment('payment.pending', waiting);
      return waiting;
    }
    return this.approve(payment);
  }

  private approve(payment: MolliePayment): MolliePayment {
    const { id, amount, isManual, key } = payment;
    const after = this.payments.replace({
      ...payment,
      status: isManual ? 'authorized' : 'paid',
      captured: isManual ? 0 : amount,
    });
    this.book(isManual ? 'authorize' : 'charge', after, { own: id, parent: null, amount, key });
    this.announcePayment(isManual ? 'payment.authorized' : 'payment.paid', after);
    return after;
  }

  private decline(payment: MolliePayment, failure: string): MolliePayment {
    const after = this.payments.replace({ ...payment, status: 'failed', failure });
    this.announcePayment('payment.failed', after);
    return after;
  }

  private part(kind: MolliePart['kind'], id: string, body: Json, key: string | null): Routed | Reply {
    const { metadata = null } = body;
    return {
      kind: 'execute',
      references: [...namesIn(metadata), ...namesIn(this.payments.get(id)?.metadata)],
      key,
      run: (code) => {
        const payment = this.payments.get(id);
        if (payment === undefined) return notFound();
        const left = kind === 'capture' ? leftToCapture(payment) : payment.captured - payment.refunded;
        const asked = amountIn(body['amount']) ?? { amount: left, currency: payment.currency };
        if (asked.currency !== payment.currency || asked.amount > left || asked.amount <= 0)
          return invalid('amount', 'The amount is higher than the maximum');
        this.ledger.ensureRoom();
        const made = this.parts.add({
          id: kind === 'capture' ? this.nextCapture() : this.nextRefund(),
          index: this.parts.nextIndex(),
          createdMs: this.clock.now(),
          kind,
          paymentId: id,
          ...asked,
          status: kind === 'capture' ? 'succeeded' : 'pending',
          metadata,
        });
        if (code === undefined) this.settle(payment, made, key);
        else this.announcePart(this.parts.replace({ ...made, status: 'failed' }));
        const answered = kind === 'capture' ? (this.parts.get(made.id) ?? made) : made;
        return { status: 201, body: JSON.stringify(renderMolliePart(answered)) };
      },
    };
  }

  private settle(payment: MolliePayment, part: MolliePart, key: string | null): void {
    const { id, kind, amount, metadata } = part;
    const taken = kind === 'capture' ? 'captured' : 'refunded';
    const after = { ...payment, [taken]: payment[taken] + amount };
    const isDone = kind === 'capture' && after.captured === after.amount;
    this.payments.replace(isDone ? { ...after, status: 'paid' } : after);
    this.book(kind, { ...payment, metadata }, { own: id, parent: payment.id, amount, key });
    this.announcePart(part);
  }

  private release(id: string, key: string | null): Routed {
    return {
      kind: 'cancel',
      references: namesIn(this.payments.get(id)?.metadata),
      key,
      run: () => {
        const payment = this.payments.get(id);
        if (payment === undefined) return notFound();
        if (payment.status !== 'authorized') return invalid('', 'Authorization cannot be released');
        this.void(payment, key);
        return json(202, {});
      },
    };
  }

  private cancel(id: string): Routed {
    return {
      kind: 'cancel',
      references: namesIn(this.payments.get(id)?.metadata),
      key: null,
      run: () => {
        const payment = this.payments.get(id);
        if (payment === undefined) return notFound();
        if (payment.status !== 'authorized') return invalid('', 'The payment cannot be canceled');
        return json(200, renderMolliePayment(this.void(payment, null), this.pages()));
      },
    };
  }

  private void(payment: MolliePayment, key: string | null): MolliePayment {
    const { id, amount, captured } = payment;
    this.ledger.ensureRoom();
    const after = this.payments.replace({ ...payment, status: captured > 0 ? 'paid' : 'canceled' });
    this.book('void', after, { own: id, parent: id, amount: amount - captured, key });
    this.announcePayment(captured > 0 ? 'payment.paid' : 'payment.canceled', after);
    return after;
  }

  private book(
    operation: Operation,
    { currency, metadata }: MolliePayment,
    effect: { own: string; parent: string | null; amount: number; key: string | null },
  ): void {
    const [reference = null] = namesIn(metadata);
    const route = isObject(metadata) ? metadata['payonce_route'] : undefined;
    this.ledger.add({
      operation,
      psp_reference: effect.own,
      parent_reference: effect.parent,
      reference,
      route: typeof route === 'string' && effect.own !== effect.parent ? route : null,
      amount: effect.amount,
      currency,
      idempotency_key: effect.key,
    });
  }

  private announcePayment(type: string, payment: MolliePayment): void {
    this.send(type, payment.id, renderMolliePayment(payment, this.pages()), payment);
  }

  private announcePart(part: MolliePart): void {
    const type = `${part.kind}.${part.status}`;
    this.send(type, part.id, renderMolliePart(part), this.payments.get(part.paymentId)!);
  }

  private announceChargeback(payment: MolliePayment, dispute: Dispute, step: DisputeStep): void {
    if (step === 'lose') return;
    const at = new Date(dispute.at).toISOString();
    const reversedAt = step === 'win' ? new Date(this.clock.now()).toISOString() : null;
    const chargeback = {
      resource: 'chargeback',
      id: dispute.id,
      amount: renderAmount({ amount: dispute.amount, currency: payment.currency }),
      reason: { code: 'AC01', description: 'Account identifier incorrect' },
      paymentId: payment.id,
      createdAt: at,
      reversedAt,
    };
    this.send(`chargeback.${step === 'win' ? 'reversed' : 'received'}`, dispute.id, chargeback, payment);
  }

  /**
   * An endpoint with a secret is a subscription: it gets events, signed. One without is the address of each payment: it
   * gets the payment's id.
   */
  private send(
    type: string,
    entityId: string,
    entity: object,
    { id: payment, webhookUrl }: MolliePayment,
  ): void {
    const body = JSON.stringify({
      resource: 'event',
      id: this.nextEvent(),
      type,
      entityId,
      createdAt: new Date(this.clock.now()).toISOString(),
      _embedded: { entity },
    });
    this.webhooks.send(([secret = '']): Notification => {
      if (secret === '' && webhookUrl !== null)
        return { headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: `id=${payment}` };
      const signature = createHmac('sha256', secret).update(body).digest('hex');
      return { headers: { 'x-mollie-signature': `sha256=${signature}` }, body };
    });
  }
}

function leftToCapture({ status, amount, captured }: MolliePayment): number {
  return status === 'authorized' ? amount - captured : 0;
}

function namesIn(metadata: unknown): string[] {
  const name = isObject(metadata) ? metadata['payonce_key'] : undefined;
  return typeof name === 'string' ? [name] : [];
}

function error(status: number, title: string, more: object = {}): Reply {
  return json(status, { status, title, detail: title, ...more });
}

function invalid(field: string, detail: string): Reply {
  return error(422, 'Unprocessable Entity', { detail, field });
}

function notFound(): Reply {
  return error(404, 'Not Found');
}
