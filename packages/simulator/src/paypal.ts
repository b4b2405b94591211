import { randomUUID } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { isObject, type Json, parseJson } from './adyen-parameters.js';
import { Books } from './books.js';
import { type Clock } from './clock.js';
import { type Dispute, Disputes } from './disputes.js';
import { parseForm, text } from './form.js';
import { idSource } from './ids.js';
import { type Ledger, type Operation } from './ledger.js';
import { Objects } from './objects.js';
import { type ReportRequest } from './report-request.js';
import { Signer } from './signer.js';
import { type Webhooks } from './webhooks.js';
import {
  paypalAmount,
  type PaypalOrder,
  type PaypalPart,
  renderPaypalAmount,
  renderPaypalOrder,
  renderPaypalPart,
  renderPaypalTransaction,
} from './paypal-orders.js';
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

const TOKEN = 'A21AAsimulated';
const TOKEN_SECONDS = 32_400;
const MAX_KEY_LENGTH = 108;
/** A seller answers within ten days. */
const ANSWERED_WITHIN_MS = 10 * 24 * 3_600_000;
const disputeOutcomes = { win: 'RESOLVED_SELLER_FAVOUR', lose: 'RESOLVED_BUYER_FAVOUR' } as const;
const MAX_SEARCH_MS = 31 * 24 * 3_600_000;
const CERTIFICATE = '/v1/notifications/certs/CERT-simulated-1';

/** PayPal's orders, and what is done with them. An answer is rendered when it is sent: a repeat shows the latest state. */
export class PaypalWire implements Wire {
  private readonly orders = new Objects<PaypalOrder>('orders');
  /** The order of an authorization, a capture or a refund. */
  private readonly orderOf = new Map<string, string>();
  private readonly books: Books;
  private readonly disputes: Disputes<PaypalOrder>;
  private readonly nextOrder = idSource('', 17);
  private readonly nextPart = idSource('', 18);
  private readonly nextDebugId = idSource('', 13);
  private readonly nextEvent = idSource('WH-', 20);
  private readonly signer = new Signer('messageverificationcerts.paypal.com');

  constructor(
    private readonly clock: Clock,
    private readonly ledger: Ledger,
    private readonly webhooks: Webhooks,
    /** Where this PSP is reached, for the pages that customers are sent to. */
    private readonly pages: () => string,
  ) {
    this.books = new Books(clock, ledger);
    this.disputes = new Disputes(clock, ledger, idSource('PP-D-', 16), (order, dispute, step) =>
      this.announceDispute(order, dispute, step),
    );
  }

  /** A request for an access token, or for the certificate that notifications are signed by. */
  signIn({ method, path, headers }: Call): Reply | undefined {
    if (method === 'GET' && path === CERTIFICATE)
      return {
        status: 200,
        body: this.signer.certificate,
        headers: { 'content-type': 'application/x-pem-file' },
      };
    if (method !== 'POST' || path !== '/v1/oauth2/token') return undefined;
    if (!/^Basic \S{8,}$/.test(headers.authorization ?? '')) return this.refuse(401, 'invalid_client');
    return json(200, { scope: '', access_token: TOKEN, token_type: 'Bearer', expires_in: TOKEN_SECONDS });
  }

  prepare(call: Call): Prepared | Reply {
    if (call.headers.authorization !== `Bearer ${TOKEN}`) return this.refuse(401, 'AUTHENTICATION_FAILURE');
    const prepared = this.route(call);
    return 'run' in prepared ? { ...prepared, headers: { 'paypal-debug-id': this.nextDebugId() } } : prepared;
  }

  serverError(status: number): Reply {
    return this.refuse(status, 'INTERNAL_SERVER_ERROR');
  }

  throttled(retryAfterSeconds: number): Reply {
    const reply = this.refuse(429, 'RATE_LIMIT_REACHED');
    return { ...reply, headers: { 'retry-after': String(retryAfterSeconds) } };
  }

  /** The customer agrees at PayPal's page; `failed`: by a way to pay that does not work. */
  authenticate(id: string, succeeded: boolean): CustomerReturn | undefined {
    const order = this.orders.get(id);
    if (order === undefined) return undefined;
    const { returnUrl } = order;
    if ((order.capture ?? order.authorization)?.status === 'PENDING') {
      const { status } = succeeded ? this.take(order, 'COMPLETED') : this.take(order, 'DECLINED', '5100');
      return { status, returnUrl };
    }
    const details = { token: id, PayerID: 'SIMULATEDPAYER' };
    if (order.status !== 'PAYER_ACTION_REQUIRED') return { status: order.status, returnUrl, details };
    const failing = succeeded ? null : 'INSTRUMENT_DECLINED';
    this.orders.replace({ ...order, status: 'APPROVED', failing });
    return { status: 'APPROVED', returnUrl, details };
  }

  fail(id: string): boolean {
    const order = this.orders.get(this.orderOf.get(id) ?? '');
    if (order === undefined || this.ledger.undo(id, ['refund']) === undefined) return false;
    const refunds = order.refunds.map((one) => (one.id === id ? { ...one, status: 'FAILED' } : one));
    const after = this.orders.replace({ ...order, refunds });
    this.announce(
      'PAYMENT.REFUND.FAILED',
      after,
      after.refunds.find((one) => one.id === id)!,
    );
    return true;
  }

  publish(request: ReportRequest): string {
    this.books.publish(request);
    return 'transactions';
  }

  dispute(id: string, step: DisputeStep, amount?: number): string | undefined {
    const order = this.orders.get(this.orderOf.get(id) ?? id);
    return order === undefined ? undefined : this.disputes.step(order, step, amount);
  }

  reset(): void {
    this.orders.reset();
    this.orderOf.clear();
    this.books.reset();
    this.disputes.reset();
  }

  private route(call: Call): Routed | Reply {
    const [, , area, resource, id = '', verb, ...rest] = call.path.split('/');
    if (rest.length > 0) return this.refuse(404, 'RESOURCE_NOT_FOUND');
    const given = call.headers['paypal-request-id'];
    const key = typeof given === 'string' && given !== '' ? given : null;
    if (key !== null && key.length > MAX_KEY_LENGTH) return this.refuse(400, 'INVALID_REQUEST');
    if (call.method === 'GET') {
      if (call.path === '/v1/reporting/transactions') return this.transactions(call.query);
      return area === 'checkout' ? this.look(id) : this.refuse(404, 'RESOURCE_NOT_FOUND');
    }
    const body = parseJson(call.body === '' ? '{}' : call.body);
    if (body === undefined) return this.refuse(400, 'INVALID_REQUEST');
    switch (`${resource} ${verb ?? ''}`) {
      case 'orders ':
        return this.create(body, key);
      case 'orders capture':
      case 'orders authorize':
        return this.complete(id, key);
      case 'authorizations capture':
        return this.capture(id, body, key);
      case 'authorizations void':
        return this.void(id, key);
      case 'captures refund':
        return this.refund(id, body, key);
      default:
        return this.refuse(404, 'RESOURCE_NOT_FOUND');
    }
  }

  private look(id: string): Routed {
    return {
      kind: 'lookup',
      references: namesIn(this.orders.get(id)?.customId),
      key: null,
      run: () => {
        const order = this.orders.get(id);
        return order === undefined ? this.refuse(404, 'RESOURCE_NOT_FOUND') : this.shown(200, id);
      },
    };
  }

  private transactions(query: string): Routed | Reply {
    const form = parseForm(query);
    const since = Date.parse(text(form, 'start_date') ?? '');
    const until = Date.parse(text(form, 'end_date') ?? '');
    const size = Number(text(form, 'page_size') ?? 100);
    const number = Number(text(form, 'page') ?? 1);
    if (!(until - since < MAX_SEARCH_MS)) return this.refuse(400, 'INVALID_REQUEST');
    return {
      kind: 'lookup',
      references: [],
      key: null,
      run: () => {
        const rows = this.books.rows().filter(({ at }) => Date.parse(at) >= since && Date.parse(at) <= until);
        const page = rows.slice((number - 1) * size, number * size);
        return json(200, {
          transaction_details: page.map((row) => {
            const order = this.orders.get(row.effect.psp_reference.replace(/X$/, ''));
            return renderPaypalTransaction(row, order?.capture?.id);
          }),
          page: number,
          total_items: rows.length,
          total_pages: Math.ceil(rows.length / size),
        });
      },
    };
  }

  private create(body: Json, key: string | null): Routed | Reply {
    const { intent, purchase_units: units, payment_source: source } = body;
    const unit: unknown = Array.isArray(units) ? units[0] : undefined;
    const asked = isObject(unit) ? paypalAmount(unit['amount']) : undefined;
    if (!isObject(unit) || asked === undefined) return this.refuse(400, 'INVALID_REQUEST');
    if (intent !== 'CAPTURE' && intent !== 'AUTHORIZE') return this.refuse(400, 'INVALID_REQUEST');
    if (key === null) return this.refuse(400, 'PAYPAL_REQUEST_ID_REQUIRED');
    const { customId, referenceId } = { customId: unit['custom_id'], referenceId: unit['reference_id'] };
    const way = isObject(source) ? source : {};
    const wallet = isObject(way['paypal']) ? way['paypal'] : undefined;
    const card = isObject(way['card']) ? way['card'] : undefined;
    const token = (card ?? wallet)?.['vault_id'];
    if (card === undefined && wallet === undefined) return this.refuse(422, 'MISSING_PAYMENT_SOURCE');
    if (card !== undefined && typeof token !== 'string') return this.refuse(422, 'MISSING_VAULT_ID');
    const context = (card ?? wallet)?.['experience_context'];
    const returnUrl = isObject(context) ? context['return_url'] : undefined;
    return {
      kind: 'execute',
      references: namesIn(customId),
      key,
      run: (code) => {
        this.ledger.ensureRoom();
        const order = this.orders.add({
          id: this.nextOrder(),
          index: this.orders.nextIndex(),
          createdMs: this.clock.now(),
          status: 'PAYER_ACTION_REQUIRED',
          intent,
          ...asked,
          customId: typeof customId === 'string' ? customId : null,
          referenceId: typeof referenceId === 'string' ? referenceId : null,
          returnUrl: typeof returnUrl === 'string' ? returnUrl : null,
          failing: null,
          authorization: null,
          capture: null,
          refunds: [],
          captured: 0,
          key,
        });
        if (typeof token === 'string') this.attempt(order, code ?? declineOf(token), token);
        return this.shown(201, order.id);
      },
    };
  }

  /** A stored card or wallet is charged at once. */
  private attempt(order: PaypalOrder, code: string | undefined, token: string): void {
    if (token === 'vault-3ds' && code === undefined) return;
    if (token === 'vault-pending') this.take(order, 'PENDING');
    else this.take(order, code === undefined ? 'COMPLETED' : 'DECLINED', code);
  }

  private take(order: PaypalOrder, status: 'COMPLETED' | 'PENDING' | 'DECLINED', code?: string): PaypalOrder {
    const { id, amount, intent, customId, key } = order;
    const isCapture = intent === 'CAPTURE';
    const made = isCapture || status !== 'COMPLETED' ? status : 'CREATED';
    const shown = made === 'DECLINED' && !isCapture ? 'DENIED' : made;
    // What was pending keeps its id.
    const pending = isCapture ? order.capture : order.authorization;
    const part = this.part(id, shown, amount, customId, code, pending?.id);
    const after = this.orders.replace({
      ...order,
      status: 'COMPLETED',
      [isCapture ? 'capture' : 'authorization']: part,
      captured: isCapture && status === 'COMPLETED' ? amount : 0,
    });
    if (status === 'COMPLETED')
      this.book(isCapture ? 'charge' : 'authorize', after, { own: id, parent: null, amount, key, customId });
    this.announce(`PAYMENT.${isCapture ? 'CAPTURE' : 'AUTHORIZATION'}.${made}`, after, part);
    return after;
  }

  private part(
    order: string,
    status: string,
    amount: number,
    customId: string | null,
    code?: string,
    id = this.nextPart(),
  ): PaypalPart {
    this.orderOf.set(id, order);
    return { id, status, amount, customId, ...(code === undefined ? {} : { code }) };
  }

  private complete(id: string, key: string | null): Routed {
    return {
      kind: 'complete',
      references: namesIn(this.orders.get(id)?.customId),
      key,
      run: () => {
        const order = this.orders.get(id);
        if (order === undefined) return this.refuse(404, 'RESOURCE_NOT_FOUND');
        const done = order.intent === 'CAPTURE' ? 'ORDER_ALREADY_CAPTURED' : 'ORDER_ALREADY_AUTHORIZED';
        if (order.status === 'COMPLETED') return this.refuse(422, done);
        if (order.status !== 'APPROVED') return this.refuse(422, 'ORDER_NOT_APPROVED');
        if (order.failing !== null) return this.refuse(422, order.failing);
        this.ledger.ensureRoom();
        this.take(order, 'COMPLETED');
        return this.shown(201, id);
      },
    };
  }

  private capture(id: string, body: Json, key: string | null): Routed | Reply {
    return this.act(id, key, [], 'execute', (order) => {
      const { authorization } = order;
      const asked = paypalAmount(body['amount']) ?? { amount: order.amount, currency: order.currency };
      if (authorization?.status === 'VOIDED') return this.refuse(422, 'AUTHORIZATION_VOIDED');
      if (authorization?.status !== 'CREATED') return this.refuse(422, 'AUTHORIZATION_ALREADY_CAPTURED');
      if (asked.currency !== order.currency || asked.amount > order.amount || asked.amount <= 0)
        return this.refuse(422, 'MAX_CAPTURE_AMOUNT_EXCEEDED');
      const { amount } = asked;
      const capture = this.part(order.id, 'COMPLETED', amount, order.customId);
      const after = {
        ...order,
        capture,
        captured: amount,
        authorization: { ...authorization, status: 'CAPTURED' },
      };
      this.orders.replace(after);
      const effect = { own: capture.id, parent: order.id, amount, key, customId: order.customId };
      this.book('capture', order, effect);
      this.announce('PAYMENT.CAPTURE.COMPLETED', after, capture);
      return this.shownPart(201, order.id, capture.id);
    });
  }

  private void(id: string, key: string | null): Routed | Reply {
    return this.act(id, key, [], 'cancel', (order) => {
      const { authorization } = order;
      if (authorization?.status === 'VOIDED') return this.refuse(422, 'PREVIOUSLY_VOIDED');
      if (authorization?.status !== 'CREATED') return this.refuse(422, 'PREVIOUSLY_CAPTURED');
      const voided = { ...authorization, status: 'VOIDED' };
      const after = this.orders.replace({ ...order, authorization: voided });
      const effect = {
        own: authorization.id,
        parent: order.id,
        amount: order.amount,
        key,
        customId: order.customId,
      };
      this.book('void', order, effect);
      this.announce('PAYMENT.AUTHORIZATION.VOIDED', after, voided);
      return this.shownPart(200, order.id, authorization.id);
    });
  }

  private refund(id: string, body: Json, key: string | null): Routed | Reply {
    const customId = typeof body['custom_id'] === 'string' ? body['custom_id'] : null;
    return this.act(id, key, namesIn(customId), 'execute', (order, code) => {
      const given = order.refunds.reduce(
        (sum, { amount, status }) => (status === 'FAILED' ? sum : sum + amount),
        0,
      );
      const left = order.captured - given;
      const asked = paypalAmount(body['amount']) ?? { amount: left, currency: order.currency };
      if (asked.currency !== order.currency || asked.amount > left || asked.amount <= 0)
        return this.refuse(422, 'REFUND_AMOUNT_EXCEEDED');
      const { amount } = asked;
      // A bank's no is known later, as the state of the refund.
      const refund = this.part(order.id, code === undefined ? 'COMPLETED' : 'PENDING', amount, customId);
      const stored = code === undefined ? refund : { ...refund, status: 'FAILED' };
      const after = this.orders.replace({ ...order, refunds: [...order.refunds, stored] });
      this.announce(code === undefined ? 'PAYMENT.CAPTURE.REFUNDED' : 'PAYMENT.REFUND.FAILED', after, stored);
      if (code === undefined) {
        this.book('refund', order, { own: refund.id, parent: order.id, amount, key, customId });
        return this.shownPart(201, order.id, refund.id);
      }
      return json(201, renderPaypalPart(refund, order));
    });
  }

  private act(
    part: string,
    key: string | null,
    own: readonly string[],
    kind: 'execute' | 'cancel',
    run: (order: PaypalOrder, code: string | undefined) => Reply,
  ): Routed {
    const order = () => this.orders.get(this.orderOf.get(part) ?? '');
    return {
      kind,
      references: [...own, ...namesIn(order()?.customId)],
      key,
      run: (code) => {
        const found = order();
        if (found === undefined) return this.refuse(404, 'RESOURCE_NOT_FOUND');
        this.ledger.ensureRoom();
        return run(found, code);
      },
    };
  }

  private book(
    operation: Operation,
    { currency }: PaypalOrder,
    effect: {
      own: string;
      parent: string | null;
      amount: number;
      key: string | null;
      customId: string | null;
    },
  ): void {
    const [reference = null, route = null] = (effect.customId ?? '').split(' ');
    const isNamed = operation === 'charge' || operation === 'authorize' || operation === 'refund';
    this.ledger.add({
      operation,
      psp_reference: effect.own,
      parent_reference: effect.parent,
      // A capture or void has no name of its own: that of the order is told.
      reference,
      route: isNamed ? route : null,
      amount: effect.amount,
      currency,
      idempotency_key: effect.key,
    });
  }

  /** Signed by the certificate: the ids, the time and a checksum of the body. */
  private announce(type: string, order: PaypalOrder, part: PaypalPart): void {
    const kind = order.refunds.some(({ id }) => id === part.id)
      ? 'refund'
      : order.authorization?.id === part.id
        ? 'authorization'
        : 'capture';
    this.send(type, kind, renderPaypalPart(part, order));
  }

  private announceDispute(order: PaypalOrder, { id, amount, at }: Dispute, step: DisputeStep): void {
    const { currency, customId, capture } = order;
    this.send(`CUSTOMER.DISPUTE.${step === 'open' ? 'CREATED' : 'RESOLVED'}`, 'dispute', {
      dispute_id: id,
      create_time: new Date(at).toISOString(),
      disputed_transactions: [{ seller_transaction_id: capture?.id, custom: customId }],
      reason: 'UNAUTHORISED',
      status: step === 'open' ? 'WAITING_FOR_SELLER_RESPONSE' : 'RESOLVED',
      dispute_amount: renderPaypalAmount(amount, currency),
      dispute_life_cycle_stage: 'CHARGEBACK',
      seller_response_due_date: new Date(at + ANSWERED_WITHIN_MS).toISOString(),
      ...(step === 'open' ? {} : { dispute_outcome: { outcome_code: disputeOutcomes[step] } }),
    });
  }

  private send(type: string, kind: string, resource: object): void {
    const at = new Date(this.clock.now()).toISOString();
    const body = JSON.stringify({
      id: this.nextEvent(),
      event_version: '1.0',
      create_time: at,
      resource_type: kind,
      resource_version: '2.0',
      event_type: type,
      resource,
    });
    this.webhooks.send(([webhookId = '']) => {
      const transmission = randomUUID();
      return {
        headers: {
          'paypal-transmission-id': transmission,
          'paypal-transmission-time': at,
          'paypal-transmission-sig': this.signer.sign(`${transmission}|${at}|${webhookId}|${crc32(body)}`),
          'paypal-cert-url': `${this.pages()}${CERTIFICATE}`,
          'paypal-auth-algo': 'SHA256withRSA',
        },
        body,
      };
    });
  }

  private shown(status: number, id: string): Reply {
    return { status, body: () => JSON.stringify(renderPaypalOrder(this.orders.get(id)!, this.pages())) };
  }

  private shownPart(status: number, id: string, part: string): Reply {
    const render = (): string => {
      const order = this.orders.get(id)!;
      const parts = [order.authorization, order.capture, ...order.refunds];
      return JSON.stringify(
        renderPaypalPart(
          parts.find((one) => one?.id === part)!,
          order,
        ),
      );
    };
    return { status, body: render };
  }

  private refuse(status: number, issue: string): Reply {
    const details = [{ issue, description: issue.toLowerCase().replaceAll('_', ' ') }];
    const name = status === 422 ? 'UNPROCESSABLE_ENTITY' : issue;
    return json(status, { name, message: details[0]!.description, debug_id: this.nextDebugId(), details });
  }
}

/** `vault-decline-<code>`; `vault-3ds` asks its customer, `vault-pending` waits, every other stored card is charged. */
function declineOf(token: string): string | undefined {
  return /^vault-decline-(\w+)$/.exec(token)?.[1];
}

/** The caller's name of an operation is the first word of a `custom_id`. */
function namesIn(customId: unknown): string[] {
  const [name] = (typeof customId === 'string' ? customId : '').split(' ');
  return name ? [name] : [];
}
