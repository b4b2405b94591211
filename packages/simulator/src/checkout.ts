import { createHmac } from 'node:crypto';
import { isObject, type Json, parseJson } from './adyen-parameters.js';
import {
  APPROVED,
  type CheckoutAction,
  type CheckoutPayment,
  CheckoutPayments,
  renderAction,
  renderPayment,
} from './checkout-payments.js';
import { checkoutDisputeEvents, renderDispute } from './checkout-disputes.js';
import { type Clock } from './clock.js';
import { Disputes } from './disputes.js';
import { parseForm, text } from './form.js';
import { idSource } from './ids.js';
import { type Ledger, type Operation } from './ledger.js';
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

const MAX_REFERENCE_LENGTH = 80;
const MAX_KEY_LENGTH = 64;

const verbs = { captures: 'Capture', refunds: 'Refund', voids: 'Void' } as const;
type Verb = keyof typeof verbs;

/** Checkout.com's API as far as payments and what can be done to them go. */
export class CheckoutWire implements Wire {
  private readonly payments = new CheckoutPayments();
  private readonly disputes: Disputes<CheckoutPayment>;
  private readonly nextPayment = idSource('pay_', 26);
  private readonly nextAction = idSource('act_', 26);
  private readonly nextEvent = idSource('evt_', 26);
  private readonly nextRequest = idSource('', 16);

  constructor(
    private readonly clock: Clock,
    private readonly ledger: Ledger,
    private readonly webhooks: Webhooks,
    /** Where this PSP is reached, for the pages that customers are sent to. */
    private readonly pages: () => string,
  ) {
    const nextDispute = idSource('dsp_', 20);
    this.disputes = new Disputes(clock, ledger, nextDispute, (payment, dispute, step) => {
      for (const type of checkoutDisputeEvents[step]) {
        this.send(type, renderDispute(type, payment, dispute, clock.now()));
      }
    });
  }

  prepare(call: Call): Prepared | Reply {
    const prepared = this.authorize(call) ?? this.route(call);
    const headers = { 'cko-request-id': this.nextRequest() };
    return { ...prepared, headers };
  }

  serverError(status: number): Reply {
    return json(status, { error_type: 'processing_error', error_codes: ['internal_error'] });
  }

  throttled(retryAfterSeconds: number): Reply {
    const reply = json(429, { error_type: 'request_invalid', error_codes: ['too_many_requests'] });
    return { ...reply, headers: { 'retry-after': String(retryAfterSeconds) } };
  }

  authenticate(id: string, succeeded: boolean): CustomerReturn | undefined {
    const payment = this.payments.get(id);
    if (payment === undefined) return undefined;
    const { returnUrl } = payment;
    if (payment.status !== 'Pending') return { status: payment.status, returnUrl };
    const after = succeeded ? this.approve(payment, null) : this.decline(payment, '20151');
    return { status: after.status, returnUrl };
  }

  fail(id: string): boolean {
    const effect = this.ledger.undo(id, ['capture', 'refund']);
    const payment = this.payments.get(effect?.parent_reference ?? '');
    if (effect === undefined || payment === undefined) return false;
    const isCapture = effect.operation === 'capture';
    const { captured, refunded } = payment;
    const after = this.payments.replace({
      ...payment,
      captured: isCapture ? captured - effect.amount : captured,
      refunded: isCapture ? refunded : refunded - effect.amount,
      actions: payment.actions.map((one) =>
        one.id === id ? { ...one, approved: false, responseCode: '20005' } : one,
      ),
    });
    const action = after.actions.find((one) => one.id === id)!;
    this.announce(isCapture ? 'payment_capture_declined' : 'payment_refund_declined', after, action);
    return true;
  }

  dispute(id: string, step: DisputeStep, amount?: number): string | undefined {
    const payment = this.payments.get(id);
    return payment === undefined ? undefined : this.disputes.step(payment, step, amount);
  }

  reset(): void {
    this.payments.reset();
    this.disputes.reset();
  }

  private authorize({ headers }: Call): Reply | undefined {
    return /^Bearer sk_\w+$/.test(headers.authorization ?? '') ? undefined : { status: 401, body: '' };
  }

  private route(call: Call): Routed | Reply {
    const [, resource, id, verb, ...rest] = call.path.split('/');
    if (resource !== 'payments' || rest.length > 0) return { status: 404, body: '' };
    if (call.method === 'GET') return this.look(call, id, verb);
    const body = parseJson(call.body);
    if (body === undefined) return invalid('body_invalid');
    const given = call.headers['cko-idempotency-key'];
    const key = typeof given === 'string' && given !== '' ? given : null;
    if (key !== null && key.length > MAX_KEY_LENGTH) return invalid('idempotency_key_invalid');
    if (id === undefined) return this.pay(body, key);
    return verb !== undefined && Object.hasOwn(verbs, verb)
      ? this.modify(id, verb as Verb, body, key)
      : { status: 404, body: '' };
  }

  private look(call: Call, id: string | undefined, verb: string | undefined): Routed | Reply {
    const reference = text(parseForm(call.query), 'reference');
    if (id === undefined && reference === undefined) return invalid('reference_required');
    const named = id === undefined ? (reference ?? '') : (this.payments.get(id)?.reference ?? '');
    return {
      kind: 'lookup',
      references: [named],
      key: null,
      run: () => {
        const pages = this.pages();
        if (id === undefined) {
          const data = this.payments.named(named).map((payment) => renderPayment(payment, pages));
          return json(200, { limit: 50, skip: 0, total_count: data.length, data });
        }
        const payment = this.payments.get(id);
        if (payment === undefined) return { status: 404, body: '' };
        if (verb === 'actions') return json(200, payment.actions.map(renderAction));
        return verb === undefined ? json(200, renderPayment(payment, pages)) : { status: 404, body: '' };
      },
    };
  }

  private pay(body: Json, key: string | null): Routed | Reply {
    const { source, amount, currency, reference = null, metadata = {} } = body;
    const token = isObject(source) ? (source['id'] ?? source['token']) : undefined;
    if (typeof token !== 'string' || !/^(?:src|tok)_\w+$/.test(token))
      return invalid('payment_source_required');
    if (typeof amount !== 'number' || !Number.isSafeInteger(amount) || amount < 0)
      return invalid('amount_invalid');
    if (typeof currency !== 'string' || !/^[A-Z]{3}$/.test(currency)) return invalid('currency_invalid');
    if (reference !== null && (typeof reference !== 'string' || reference.length > MAX_REFERENCE_LENGTH)) {
      return invalid('reference_invalid');
    }
    const secure = isObject(body['3ds']) && body['3ds']['enabled'] === true;
    return {
      kind: 'execute',
      references: reference === null ? [] : [reference],
      key,
      run: (code) => {
        this.ledger.ensureRoom();
        const payment = this.payments.add({
          id: this.nextPayment(),
          amount,
          currency,
          reference,
          status: 'Pending',
          atOnce: body['capture'] !== false,
          captured: 0,
          refunded: 0,
          returnUrl: typeof body['success_url'] === 'string' ? body['success_url'] : null,
          redirects: token === 'src_3ds',
          metadata: isObject(metadata) ? metadata : {},
          actions: [],
          at: this.clock.now(),
        });
        return this.attempt(payment, code ?? behaviourOf(token, secure), key);
      },
    };
  }

  /** `code`: the issuer declines; `wait`: it is not asked yet. */
  private attempt(payment: CheckoutPayment, code: string, key: string | null): Reply {
    const pages = this.pages();
    if (code === 'wait') return json(202, renderPayment(payment, pages));
    const after = code === APPROVED ? this.approve(payment, key) : this.decline(payment, code);
    return { status: 201, body: () => JSON.stringify(renderPayment(after, pages)) };
  }

  private approve(payment: CheckoutPayment, key: string | null): CheckoutPayment {
    const { amount, atOnce } = payment;
    const action = this.action('Authorization', amount, APPROVED, payment);
    const after = this.payments.replace({
      ...payment,
      status: atOnce ? 'Captured' : 'Authorized',
      captured: atOnce ? amount : 0,
      actions: [...payment.actions, action],
    });
    this.book(atOnce ? 'charge' : 'authorize', after, after.id, null, amount, key, payment.reference);
    this.announce('payment_approved', after, action);
    if (atOnce) this.announce('payment_captured', after, { ...action, id: this.nextAction() });
    return after;
  }

  private decline(payment: CheckoutPayment, code: string): CheckoutPayment {
    const action = this.action('Authorization', payment.amount, code, payment);
    const after = this.payments.replace({
      ...payment,
      status: 'Declined',
      actions: [...payment.actions, action],
    });
    this.announce('payment_declined', after, action);
    return after;
  }

  private modify(id: string, verb: Verb, body: Json, key: string | null): Routed | Reply {
    const { reference: name, amount: asked } = body;
    const reference = typeof name === 'string' ? name : null;
    if (reference !== null && reference.length > MAX_REFERENCE_LENGTH) return invalid('reference_invalid');
    const now = this.payments.get(id);
    return {
      kind: verb === 'voids' ? 'cancel' : 'execute',
      references: [reference, now?.reference].filter((name) => typeof name === 'string'),
      key,
      run: (code) => {
        const payment = this.payments.get(id);
        if (payment === undefined) return { status: 404, body: '' };
        const left = leftFor(payment, verb);
        const amount = typeof asked === 'number' ? asked : left;
        if (left <= 0 || amount > left || amount <= 0) return { status: 403, body: '' };
        this.ledger.ensureRoom();
        const given = isObject(body['metadata']) ? body['metadata'] : {};
        const action = this.action(verbs[verb], amount, code ?? APPROVED, { reference, metadata: given });
        const after = this.payments.replace(changed(payment, verb, amount, action));
        const name = { captures: 'capture', refunds: 'refund', voids: 'void' } as const;
        if (action.approved) this.book(name[verb], after, action.id, id, amount, key, reference);
        const type = {
          captures: 'payment_captured',
          refunds: 'payment_refunded',
          voids: 'payment_voided',
        } as const;
        this.announce(action.approved ? type[verb] : declinedType[verb], after, action);
        return json(202, { action_id: action.id, ...(reference === null ? {} : { reference }) });
      },
    };
  }

  private action(
    type: CheckoutAction['type'],
    amount: number,
    responseCode: string,
    { reference, metadata }: Pick<CheckoutAction, 'reference' | 'metadata'>,
  ): CheckoutAction {
    const approved = responseCode === APPROVED;
    const at = this.clock.now();
    return { id: this.nextAction(), type, amount, approved, responseCode, reference, metadata, at };
  }

  private book(
    operation: Operation,
    { currency, metadata }: CheckoutPayment,
    own: string,
    parent: string | null,
    amount: number,
    key: string | null,
    reference: string | null,
  ): void {
    const route = metadata['payonce_route'];
    this.ledger.add({
      operation,
      psp_reference: own,
      parent_reference: parent,
      reference,
      route: parent === null && typeof route === 'string' ? route : null,
      amount,
      currency,
      idempotency_key: key,
    });
  }

  private announce(type: string, { id, currency }: CheckoutPayment, action: CheckoutAction): void {
    this.send(type, {
      id,
      action_id: action.id,
      amount: action.amount,
      currency,
      processed_on: new Date(action.at).toISOString(),
      response_code: action.responseCode,
      response_summary: action.approved ? 'Approved' : 'Declined',
      ...(action.reference === null ? {} : { reference: action.reference }),
      metadata: action.metadata,
    });
  }

  private send(type: string, data: object): void {
    const body = JSON.stringify({
      id: this.nextEvent(),
      type,
      version: '1.0.0',
      created_on: new Date(this.clock.now()).toISOString(),
      data,
    });
    this.webhooks.send(([secret = '']) => ({
      headers: { 'cko-signature': createHmac('sha256', secret).update(body).digest('hex') },
      body,
    }));
  }
}

const declinedType = {
  captures: 'payment_capture_declined',
  refunds: 'payment_refund_declined',
  voids: 'payment_void_declined',
} as const;

/** `src_decline_<code>`, `src_3ds` (where the customer may be asked), `src_pending`; any other is approved. */
function behaviourOf(token: string, secure: boolean): string {
  if (token.startsWith('src_decline_')) return token.slice('src_decline_'.length);
  if (token === 'src_3ds') return secure ? 'wait' : '20154';
  return token === 'src_pending' ? 'wait' : APPROVED;
}

function leftFor({ status, amount, captured, refunded }: CheckoutPayment, verb: Verb): number {
  if (verb === 'refunds') return captured - refunded;
  const isOpen = status === 'Authorized' || status === 'Partially Captured';
  return isOpen ? amount - captured : 0;
}

function changed(payment: CheckoutPayment, verb: Verb, by: number, action: CheckoutAction): CheckoutPayment {
  const actions = [...payment.actions, action];
  if (!action.approved) return { ...payment, actions };
  const { amount } = payment;
  if (verb === 'voids') return { ...payment, status: payment.captured > 0 ? 'Captured' : 'Voided', actions };
  if (verb === 'captures') {
    const captured = payment.captured + by;
    return { ...payment, captured, status: captured < amount ? 'Partially Captured' : 'Captured', actions };
  }
  const refunded = payment.refunded + by;
  return {
    ...payment,
    refunded,
    status: refunded < payment.captured ? 'Partially Refunded' : 'Refunded',
    actions,
  };
}

function invalid(code: string): Reply {
  return json(422, { request_id: '0HL80RJLS76I7', error_type: 'request_invalid', error_codes: [code] });
}
