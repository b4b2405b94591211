import { createHmac } from 'node:crypto';
import {
  type AdyenAmount,
  type AdyenEvent,
  type AdyenPayment,
  AdyenPayments,
  renderEvent,
  renderPayment,
  signedFields,
} from './adyen-payments.js';
import {
  amountOf,
  failure,
  invalid,
  isManual,
  isObject,
  type Json,
  neverAuthenticates,
  noAccount,
  parseJson,
} from './adyen-parameters.js';
import { type AdyenBehaviour, adyenReason, adyenToken } from './cards.js';
import { type Clock } from './clock.js';
import { idSource } from './ids.js';
import { type Ledger, type Operation } from './ledger.js';
import { type Webhooks } from './webhooks.js';
import {
  type Call,
  type CustomerReturn,
  json,
  type Prepared,
  type Reply,
  type Routed,
  type Wire,
} from './wire.js';

const LONGEST_KEY = 64;
const LONGEST_REFERENCE = 80;

/** Adyen's Checkout API v71 as far as payments, captures and cancels go. */
export class AdyenWire implements Wire {
  private readonly payments = new AdyenPayments();
  private readonly nextReference = idSource('', 16);

  constructor(
    private readonly clock: Clock,
    private readonly ledger: Ledger,
    private readonly webhooks: Webhooks,
    /** Where this PSP is reached, for the pages that shoppers are sent to. */
    private readonly pages: () => string,
  ) {}

  prepare(call: Call): Prepared | Reply {
    const prepared = this.authorize(call) ?? this.route(call);
    const key = call.headers['idempotency-key'];
    const headers: Record<string, string> = { pspreference: this.nextReference() };
    if (typeof key === 'string') headers['idempotency-key'] = key;
    if (!('run' in prepared)) return { ...prepared, headers };
    return { ...prepared, headers };
  }

  serverError(status: number): Reply {
    return failure(status, '000', 'Internal Server Error', 'internal');
  }

  throttled(retryAfterSeconds: number): Reply {
    const reply = failure(429, '010', 'Too Many Requests', 'security');
    return { ...reply, headers: { 'retry-after': String(retryAfterSeconds) } };
  }

  authenticate(id: string, succeeded: boolean): CustomerReturn | undefined {
    const payment = this.payments.get(id);
    if (payment === undefined) return undefined;
    if (payment.status !== 'redirect' && payment.status !== 'pending') {
      return { status: payment.status, returnUrl: payment.returnUrl };
    }
    const after = succeeded ? this.approve(payment, null) : this.refuse(payment, '11');
    return { status: after.status, returnUrl: after.returnUrl };
  }

  settings(): void {}

  reset(): void {
    this.payments.reset();
  }

  private authorize({ headers }: Call): Reply | undefined {
    const key = headers['x-api-key'];
    if (typeof key === 'string' && key !== '') return undefined;
    return failure(401, '000', 'HTTP Status Response - Unauthorized', 'security');
  }

  private route(call: Call): Routed | Reply {
    const [, version, resource, reference, verb, ...rest] = call.path.split('/');
    const known = version === 'v71' && rest.length === 0 && call.method === 'POST';
    if (!known) return failure(404, '000', 'Not Found', 'validation');
    const key = call.headers['idempotency-key'];
    if (typeof key === 'string' && key.length > LONGEST_KEY) {
      return invalid('000', `Idempotency-Key is longer than ${LONGEST_KEY} characters`);
    }
    const body = parseJson(call.body);
    if (body === undefined) return failure(400, '702', 'Unexpected input', 'validation');
    const name = typeof key === 'string' && key !== '' ? key : null;
    if (resource === 'payments' && reference === undefined) return this.pay(body, name);
    if (resource === 'payments' && reference === 'details' && verb === undefined)
      return this.details(body, name);
    if (resource === 'payments' && reference !== undefined && verb === 'captures') {
      return this.modify(body, name, reference, 'capture');
    }
    if (resource === 'payments' && reference !== undefined && verb === 'cancels') {
      return this.modify(body, name, reference, 'cancel');
    }
    if (resource === 'payments' && reference !== undefined && verb === 'reversals') {
      return this.modify(body, name, reference, 'reverse');
    }
    if (resource === 'cancels' && reference === undefined) return this.technicalCancel(body, name);
    return failure(404, '000', 'Not Found', 'validation');
  }

  private pay(body: Json, key: string | null): Routed | Reply {
    const merchantAccount = body['merchantAccount'];
    if (typeof merchantAccount !== 'string' || merchantAccount === '') return noAccount();
    const amount = amountOf(body);
    if ('status' in amount) return amount;
    const reference = body['reference'];
    if (typeof reference !== 'string' || reference === '') return invalid('130', 'Reference Missing');
    if (reference.length > LONGEST_REFERENCE) return invalid('132', 'Reference is too long');
    const method = body['paymentMethod'];
    if (!isObject(method) || typeof method['type'] !== 'string') {
      return invalid('14_006', "Required object 'paymentMethod' is not provided.");
    }
    const token = method['storedPaymentMethodId'] ?? method['encryptedCardNumber'];
    if (method['type'] === 'scheme' && (typeof token !== 'string' || token === '')) {
      return invalid('101', 'Invalid card number');
    }
    const metadata = isObject(body['metadata']) ? body['metadata'] : {};
    return {
      kind: 'execute',
      references: [reference],
      key,
      run: (decline) => {
        this.ledger.ensureRoom();
        const payment = this.payments.add({
          pspReference: this.nextReference(),
          merchantAccount,
          merchantReference: reference,
          amount,
          status: 'pending',
          manual: isManual(body),
          captured: 0,
          route: typeof metadata['payonce_route'] === 'string' ? metadata['payonce_route'] : null,
          returnUrl: typeof body['returnUrl'] === 'string' ? body['returnUrl'] : null,
          refusalCode: null,
        });
        const behaviour =
          decline === undefined ? adyenToken(String(token)) : ({ does: 'decline', code: decline } as const);
        // Told to ask no shopper anything, the issuer can only say no.
        const alone = behaviour.does === 'authenticate' && neverAuthenticates(body);
        return this.attempt(payment, alone ? { does: 'decline', code: '38' } : behaviour, key);
      },
    };
  }

  /** Asks the issuer. */
  private attempt(payment: AdyenPayment, behaviour: AdyenBehaviour, key: string | null): Reply {
    switch (behaviour.does) {
      case 'approve':
        return this.result(this.approve(payment, key));
      case 'decline':
        return this.result(this.refuse(payment, behaviour.code));
      case 'authenticate':
        return this.result(this.payments.replace({ ...payment, status: 'redirect' }));
      case 'wait':
        return this.result(payment);
      case 'receive':
        return this.result(payment, 'Received');
      case 'fail':
        break;
    }
    return this.result(this.payments.replace({ ...payment, status: 'error', refusalCode: '4' }));
  }

  private approve(payment: AdyenPayment, key: string | null): AdyenPayment {
    const { manual, amount } = payment;
    const after = this.payments.replace({
      ...payment,
      status: manual ? 'authorised' : 'captured',
      captured: manual ? 0 : amount.value,
    });
    this.book(manual ? 'authorize' : 'charge', after, after.pspReference, null, amount.value, key);
    this.announce({
      ...about(after),
      eventCode: 'AUTHORISATION',
      success: true,
      pspReference: after.pspReference,
    });
    return after;
  }

  private refuse(payment: AdyenPayment, code: string): AdyenPayment {
    const after = this.payments.replace({ ...payment, status: 'refused', refusalCode: code });
    const { pspReference } = after;
    this.announce({
      ...about(after),
      eventCode: 'AUTHORISATION',
      success: false,
      pspReference,
      reason: adyenReason(code),
    });
    return after;
  }

  private result(payment: AdyenPayment, resultCode?: string): Reply {
    const pages = this.pages();
    return { status: 200, body: () => renderPayment(payment, pages, resultCode) };
  }

  private details(body: Json, key: string | null): Routed | Reply {
    const details = isObject(body['details']) ? body['details'] : {};
    const id = details['redirectResult'];
    const payment = typeof id === 'string' ? this.payments.get(id) : undefined;
    if (payment === undefined) return invalid('14_033', 'redirectResult is invalid');
    return {
      kind: 'execute',
      references: [payment.merchantReference],
      key,
      run: () => this.result(this.payments.get(payment.pspReference) ?? payment),
    };
  }

  private modify(
    body: Json,
    key: string | null,
    parent: string,
    does: 'capture' | 'cancel' | 'reverse',
  ): Routed | Reply {
    const merchantAccount = body['merchantAccount'];
    if (typeof merchantAccount !== 'string' || merchantAccount === '') return noAccount();
    const amount = does === 'capture' ? amountOf(body) : undefined;
    if (amount !== undefined && 'status' in amount) return amount;
    const reference = typeof body['reference'] === 'string' ? body['reference'] : undefined;
    const before = this.payments.get(parent);
    const references = [reference, before?.merchantReference].filter((one) => one !== undefined);
    return {
      kind: does === 'capture' ? 'execute' : 'cancel',
      references,
      key,
      run: () => {
        const payment = this.payments.get(parent);
        if (payment === undefined) {
          return invalid('167', 'Original pspReference required for this operation');
        }
        if (amount !== undefined && amount.currency !== payment.amount.currency) {
          return invalid('138', 'Currency differs from the authorised one');
        }
        this.ledger.ensureRoom();
        const own = this.nextReference();
        if (amount !== undefined) this.capture(payment, own, reference, amount, key);
        else if (does === 'reverse') this.reverse(payment, own, reference, key);
        else this.void(payment, own, reference, key, 'CANCELLATION');
        return json(201, {
          merchantAccount,
          paymentPspReference: parent,
          reference,
          pspReference: own,
          status: 'received',
          ...(amount === undefined ? {} : { amount }),
        });
      },
    };
  }

  /** Received is received; whether it worked is only told by the notification, as at Adyen. */
  private capture(
    payment: AdyenPayment,
    own: string,
    reference: string | undefined,
    amount: AdyenAmount,
    key: string | null,
  ): void {
    const captured = payment.captured + amount.value;
    const success = payment.manual && payment.status === 'authorised' && captured <= payment.amount.value;
    const after = success ? this.payments.replace({ ...payment, captured }) : payment;
    const merchantReference = reference ?? payment.merchantReference;
    if (success)
      this.book('capture', { ...after, merchantReference }, own, payment.pspReference, amount.value, key);
    this.announce({
      ...about(payment),
      eventCode: 'CAPTURE',
      success,
      pspReference: own,
      originalReference: payment.pspReference,
      merchantReference,
      amount,
      reason: success ? undefined : 'Insufficient balance on payment',
    });
  }

  /** Voids what is reserved, gives back what was taken. */
  private reverse(
    payment: AdyenPayment,
    own: string,
    reference: string | undefined,
    key: string | null,
  ): void {
    if (payment.captured === 0) {
      this.void(payment, own, reference, key, 'CANCEL_OR_REFUND');
      return;
    }
    const merchantReference = reference ?? payment.merchantReference;
    const success = payment.status !== 'cancelled';
    if (success) {
      this.payments.replace({ ...payment, status: 'cancelled' });
      const { pspReference, captured } = payment;
      this.book('refund', { ...payment, merchantReference }, own, pspReference, captured, key);
    }
    this.announce({
      ...about(payment),
      eventCode: 'CANCEL_OR_REFUND',
      success,
      pspReference: own,
      originalReference: payment.pspReference,
      merchantReference,
      reason: success ? undefined : 'Transaction is not in a state that can be reversed',
    });
  }

  private void(
    payment: AdyenPayment,
    own: string,
    reference: string | undefined,
    key: string | null,
    eventCode: 'CANCELLATION' | 'TECHNICAL_CANCEL' | 'CANCEL_OR_REFUND',
  ): void {
    const reserved = payment.status === 'authorised' && payment.captured === 0;
    const waiting = payment.status === 'redirect' || payment.status === 'pending';
    const success = reserved || waiting;
    if (success) this.payments.replace({ ...payment, status: 'cancelled' });
    const merchantReference = reference ?? payment.merchantReference;
    if (reserved) {
      this.book(
        'void',
        { ...payment, merchantReference },
        own,
        payment.pspReference,
        payment.amount.value,
        key,
      );
    }
    this.announce({
      ...about(payment),
      eventCode,
      success,
      pspReference: own,
      originalReference: payment.pspReference,
      merchantReference,
      reason: success ? undefined : 'Transaction is not in a state that can be cancelled',
    });
  }

  /** By the merchant's own reference, for a payment whose answer was lost. */
  private technicalCancel(body: Json, key: string | null): Routed | Reply {
    const { merchantAccount, paymentReference } = body;
    if (typeof merchantAccount !== 'string' || merchantAccount === '') return noAccount();
    if (typeof paymentReference !== 'string' || paymentReference === '') {
      return invalid('130', "Required field 'paymentReference' is not provided.");
    }
    const reference = typeof body['reference'] === 'string' ? body['reference'] : undefined;
    return {
      kind: 'cancel',
      references: [paymentReference, ...(reference === undefined ? [] : [reference])],
      key,
      run: () => {
        this.ledger.ensureRoom();
        const own = this.nextReference();
        for (const payment of this.payments.named(paymentReference)) {
          this.void(payment, own, reference, key, 'TECHNICAL_CANCEL');
        }
        return json(201, {
          merchantAccount,
          paymentReference,
          reference,
          pspReference: own,
          status: 'received',
        });
      },
    };
  }

  private book(
    operation: Operation,
    payment: AdyenPayment,
    pspReference: string,
    parent: string | null,
    amount: number,
    key: string | null,
  ): void {
    this.ledger.add({
      operation,
      psp_reference: pspReference,
      parent_reference: parent,
      reference: payment.merchantReference,
      route: payment.route,
      amount,
      currency: payment.amount.currency,
      idempotency_key: key,
    });
  }

  private announce(event: AdyenEvent): void {
    this.webhooks.send((secret) => {
      const signature = createHmac('sha256', Buffer.from(secret, 'hex'))
        .update(signedFields(event))
        .digest('base64');
      return { headers: {}, body: renderEvent(event, signature, this.clock) };
    });
  }
}

function about({ merchantAccount, merchantReference, amount }: AdyenPayment) {
  return { merchantAccount, merchantReference, amount };
}
