import { randomBytes } from 'node:crypto';
import { about, AdyenBooks } from './adyen-books.js';
import { AdyenDisputes } from './adyen-disputes.js';
import { AdyenModifications } from './adyen-modifications.js';
import { type AdyenPayment, AdyenPayments, renderPayment, type ShopperReturn } from './adyen-payments.js';
import {
  amountOf,
  checkMethod,
  checkShopper,
  failure,
  invalid,
  isManual,
  isObject,
  type Json,
  neverAuthenticates,
  noAccount,
  parseJson,
  tokenOf,
} from './adyen-parameters.js';
import { AdyenReports } from './adyen-reports.js';
import { AdyenTransfers } from './adyen-transfers.js';
import { type AdyenAction, type AdyenBehaviour, adyenReason, adyenToken } from './cards.js';
import { type Clock } from './clock.js';
import { idSource } from './ids.js';
import { type Ledger } from './ledger.js';
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

const MAX_KEY_LENGTH = 64;
const MAX_REFERENCE_LENGTH = 80;
/** How long what a shopper brought back may be handed in. */
const RETURN_MS = 3_600_000;
const TRANSFERS = '/btl/v4/transfers';

/** Adyen's Checkout API v71, as far as payments and what can be done to them go, and its transfers. */
export class AdyenWire implements Wire {
  private readonly payments = new AdyenPayments();
  private readonly nextReference = idSource('', 16);
  private readonly books: AdyenBooks;
  private readonly modifications: AdyenModifications;
  private readonly transfers: AdyenTransfers;
  private readonly disputes: AdyenDisputes;
  private readonly reports: AdyenReports;

  constructor(
    private readonly clock: Clock,
    ledger: Ledger,
    webhooks: Webhooks,
    /** Where this PSP is reached, for the pages that shoppers are sent to. */
    private readonly pages: () => string,
  ) {
    this.books = new AdyenBooks(this.payments, clock, ledger, webhooks);
    this.modifications = new AdyenModifications(this.books, this.nextReference);
    this.transfers = new AdyenTransfers(clock, ledger, webhooks);
    this.disputes = new AdyenDisputes(this.books, this.nextReference);
    this.reports = new AdyenReports(this.books, ledger, pages);
  }

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
    // The issuer is asked by /payments/details alone: without it the payment waits for ever.
    if (payment.status === 'redirect') {
      const { status, returnUrl, action } = payment;
      const token = randomBytes(24).toString('base64');
      this.payments.returns.set(token, {
        pspReference: id,
        action,
        succeeded,
        at: this.clock.now(),
        used: false,
      });
      const name = action.startsWith('redirect') ? 'redirectResult' : 'threeDSResult';
      return { status, returnUrl, details: { [name]: token } };
    }
    if (payment.status !== 'pending') return { status: payment.status, returnUrl: payment.returnUrl };
    const after = succeeded ? this.approve(payment, null) : this.refuse(payment, '11');
    return { status: after.status, returnUrl: after.returnUrl };
  }

  fail(id: string): boolean {
    return this.modifications.fail(id) || this.transfers.fail(id);
  }

  dispute(id: string, step: DisputeStep, amount?: number): string | undefined {
    const payment = this.payments.get(id);
    return payment === undefined ? undefined : this.disputes.step(payment, step, amount);
  }

  publish(request: ReportRequest): string {
    return this.reports.publish(request);
  }

  reset(): void {
    this.payments.reset();
    this.transfers.reset();
    this.disputes.reset();
    this.reports.reset();
  }

  private authorize({ headers, method }: Call): Reply | undefined {
    const key = headers['x-api-key'];
    if (typeof key === 'string' && key !== '') return undefined;
    // A user of reports may sign in by name.
    if (method === 'GET' && /^Basic \S+/.test(headers.authorization ?? '')) return undefined;
    return failure(401, '000', 'HTTP Status Response - Unauthorized', 'security');
  }

  private route(call: Call): Routed | Reply {
    const [, version, resource, reference, verb, ...rest] = call.path.split('/');
    const transfers = call.path === TRANSFERS;
    const checkout = version === 'v71' && rest.length === 0;
    if (call.method === 'GET') return this.reports.download(call.path);
    const known = call.method === 'POST' && (transfers || checkout);
    if (!known) return failure(404, '000', 'Not Found', 'validation');
    const key = call.headers['idempotency-key'];
    if (typeof key === 'string' && key.length > MAX_KEY_LENGTH) {
      return invalid('000', `Idempotency-Key is longer than ${MAX_KEY_LENGTH} characters`);
    }
    const body = parseJson(call.body);
    if (body === undefined) return failure(400, '702', 'Unexpected input', 'validation');
    const name = typeof key === 'string' && key !== '' ? key : null;
    if (transfers) return this.transfers.create(body, name);
    if (resource === 'payments' && reference === undefined) return this.pay(body, name);
    if (resource === 'payments' && reference === 'details' && verb === undefined)
      return this.details(body, name);
    if (resource === 'payments' && reference !== undefined && verb !== undefined) {
      const routed = this.modifications.route(verb, reference, body, name);
      if (routed !== undefined) return routed;
    }
    if (resource === 'paymentMethods' && reference === undefined) return paymentMethods(body);
    if (resource === 'cancels' && reference === undefined) {
      return this.modifications.technicalCancel(body, name);
    }
    return failure(404, '000', 'Not Found', 'validation');
  }

  private pay(body: Json, key: string | null): Routed | Reply {
    const merchantAccount = body['merchantAccount'];
    if (typeof merchantAccount !== 'string' || merchantAccount === '') return noAccount();
    const amount = amountOf(body);
    if ('status' in amount) return amount;
    const reference = body['reference'];
    if (typeof reference !== 'string' || reference === '') return invalid('130', 'Reference Missing');
    if (reference.length > MAX_REFERENCE_LENGTH) return invalid('132', 'Reference is too long');
    const method = body['paymentMethod'];
    if (!isObject(method) || typeof method['type'] !== 'string') {
      return invalid('14_006', "Required object 'paymentMethod' is not provided.");
    }
    const { type } = method;
    const token = tokenOf(method);
    if (token === undefined) return invalid('14_006', `Unable to process the payment method ${type}.`);
    if (token === '') return invalid('101', 'Invalid card number');
    const refused = checkMethod(type, amount, body) ?? checkShopper(body, method);
    if (refused !== undefined) return refused;
    const metadata = isObject(body['metadata']) ? body['metadata'] : {};
    return {
      kind: 'execute',
      references: [reference],
      key,
      run: (decline) => {
        this.books.ensureRoom();
        const payment = this.payments.add({
          pspReference: this.nextReference(),
          merchantAccount,
          merchantReference: reference,
          amount,
          status: 'pending',
          manual: isManual(body),
          captured: 0,
          refunded: 0,
          route: typeof metadata['payonce_route'] === 'string' ? metadata['payonce_route'] : null,
          returnUrl: typeof body['returnUrl'] === 'string' ? body['returnUrl'] : null,
          refusalCode: null,
          action: 'redirect',
          refusal: null,
          methodType: type,
        });
        const behaviour =
          decline === undefined ? adyenToken(token) : ({ does: 'decline', code: decline } as const);
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
        return this.ask(payment, behaviour.action, behaviour.refusal ?? null);
      case 'wait':
        return this.result(payment);
      case 'receive':
        return this.result(payment, 'Received');
      case 'fail':
        break;
    }
    return this.result(this.refuse(payment, '4', 'error'));
  }

  /** Sends the shopper away. */
  private ask(payment: AdyenPayment, action: AdyenAction, refusal: string | null): Reply {
    return this.result(this.payments.replace({ ...payment, status: 'redirect', action, refusal }));
  }

  private approve(payment: AdyenPayment, key: string | null): AdyenPayment {
    const { manual, amount } = payment;
    const after = this.payments.replace({
      ...payment,
      status: manual ? 'authorised' : 'captured',
      captured: manual ? 0 : amount.value,
    });
    this.books.book(manual ? 'authorize' : 'charge', after, after.pspReference, null, amount.value, key);
    this.books.announce({
      ...about(after),
      eventCode: 'AUTHORISATION',
      success: true,
      pspReference: after.pspReference,
      route: after.route,
    });
    return after;
  }

  private refuse(payment: AdyenPayment, code: string, status: 'refused' | 'error' = 'refused'): AdyenPayment {
    const after = this.payments.replace({ ...payment, status, refusalCode: code });
    const { pspReference, route } = after;
    this.books.announce({
      ...about(after),
      eventCode: 'AUTHORISATION',
      success: false,
      pspReference,
      route,
      reason: adyenReason(code),
    });
    return after;
  }

  private result(payment: AdyenPayment, resultCode?: string): Reply {
    const pages = this.pages();
    return { status: 200, body: () => renderPayment(payment, pages, resultCode) };
  }

  /** Asks the issuer with what the shopper brought back; each of them once. */
  private details(body: Json, key: string | null): Routed | Reply {
    const details = isObject(body['details']) ? body['details'] : {};
    const { redirectResult, threeDSResult } = details;
    const token = redirectResult ?? threeDSResult;
    const back = typeof token === 'string' ? this.payments.returns.get(token) : undefined;
    const name = back?.action.startsWith('redirect') ? redirectResult : threeDSResult;
    const payment = back === undefined ? undefined : this.payments.get(back.pspReference);
    if (back === undefined || payment === undefined || name === undefined) {
      return invalid('14_0394', 'Invalid payment details');
    }
    if (this.clock.now() > back.at + RETURN_MS) return invalid('14_0395', 'Payment details have expired');
    return {
      kind: 'complete',
      references: [payment.merchantReference],
      key,
      run: (decline) => {
        const now = this.payments.get(back.pspReference) ?? payment;
        // Under its own key it is answered as before, ahead of this.
        if (back.used || now.status !== 'redirect' || now.action !== back.action) {
          return invalid('704', 'request already processed or in progress');
        }
        this.books.ensureRoom();
        back.used = true;
        return this.completed(now, back, decline ?? now.refusal, key);
      },
    };
  }

  private completed(
    payment: AdyenPayment,
    { action, succeeded }: ShopperReturn,
    refusal: string | null,
    key: string | null,
  ): Reply {
    if (!succeeded) return this.result(this.refuse(payment, '11'));
    if (action === 'fingerprint') return this.ask(payment, 'challenge', payment.refusal);
    return this.result(refusal === null ? this.approve(payment, key) : this.refuse(payment, refusal));
  }
}

/** The payment methods of a merchant account; nothing is made. */
function paymentMethods({ merchantAccount }: Json): Reply {
  if (typeof merchantAccount !== 'string' || merchantAccount === '') return noAccount();
  return json(200, { paymentMethods: [{ type: 'scheme', name: 'Cards', brands: ['visa', 'mc', 'amex'] }] });
}
