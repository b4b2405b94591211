import { stripeDecline, stripeMethod } from './cards.js';
import { type Clock, MAX_DELAY_MS } from './clock.js';
import { type Form, group, parseForm, text } from './form.js';
import { idSource } from './ids.js';
import { type Ledger, type Operation } from './ledger.js';
import {
  ENTITY_KEY,
  entityKeys,
  type IntentStatus,
  type PaymentIntent,
  PaymentIntents,
  renderError,
  renderIntent,
  ROUTE,
} from './payment-intents.js';
import { StripeBalance } from './stripe-balance.js';
import { StripeDisputes } from './stripe-disputes.js';
import { StripeEvents } from './stripe-events.js';
import { shown, StripeLookups } from './stripe-lookups.js';
import {
  checkAmount,
  checkCreate,
  checkForm,
  metadataOf,
  methodTypeOf,
  noSuch,
  stripeError,
  type Verb,
} from './stripe-parameters.js';
import { StripePayouts } from './stripe-payouts.js';
import { StripeRefunds } from './stripe-refunds.js';
import { type ReportRequest } from './report-request.js';
import { unexpected } from './unexpected-state.js';
import { type Webhooks } from './webhooks.js';
import {
  BadControl,
  type Call,
  type CustomerReturn,
  type DisputeStep,
  json,
  keyOf,
  type Prepared,
  type Reply,
  type Routed,
  type Wire,
} from './wire.js';

const NO_KEY =
  "You did not provide an API key. You need to provide your API key in the Authorization header, using Bearer auth (e.g. 'Authorization: Bearer YOUR_SECRET_KEY').";

type ChangeVerb = Extract<Verb, 'update' | 'confirm' | 'capture' | 'cancel'>;

/** Stripe's API v1 as far as payments, refunds and payouts go. */
export class StripeWire implements Wire {
  private readonly intents: PaymentIntents;
  private readonly nextIntent = idSource('pi_3', 23);
  private readonly nextMethod = idSource('pm_1', 23);
  private readonly nextCharge = idSource('ch_3', 23);
  private readonly nextRequest = idSource('req_', 14);
  private readonly lookups: StripeLookups;
  private readonly events: StripeEvents;
  private readonly refunds: StripeRefunds;
  private readonly payouts: StripePayouts;
  private readonly disputes: StripeDisputes;
  private readonly balance: StripeBalance;

  constructor(
    private readonly clock: Clock,
    private readonly ledger: Ledger,
    webhooks: Webhooks,
    /** Where this PSP is reached, for the pages that customers are sent to. */
    private readonly pages: () => string,
  ) {
    this.intents = new PaymentIntents();
    this.lookups = new StripeLookups(this.intents, clock, pages);
    this.events = new StripeEvents(clock, webhooks);
    this.refunds = new StripeRefunds(this.intents, clock, ledger, this.events);
    this.payouts = new StripePayouts(clock, ledger, this.events);
    this.disputes = new StripeDisputes(clock, this.events, ledger);
    this.balance = new StripeBalance(ledger, this.intents);
  }

  prepare(call: Call): Prepared | Reply {
    const prepared = this.authorize(call) ?? this.route(call);
    const key = call.headers['idempotency-key'];
    const headers: Record<string, string> = { 'request-id': this.nextRequest() };
    if (typeof key === 'string') headers['idempotency-key'] = key;
    if (!('run' in prepared)) return { ...prepared, headers };
    return { ...prepared, headers };
  }

  serverError(status: number): Reply {
    return stripeError(status, { type: 'api_error', message: 'An unknown error occurred' });
  }

  throttled(retryAfterSeconds: number): Reply {
    const reply = stripeError(429, { code: 'rate_limit', message: 'Request rate limit exceeded.' });
    return { ...reply, headers: { 'retry-after': String(retryAfterSeconds) } };
  }

  authenticate(id: string, succeeded: boolean): CustomerReturn | undefined {
    const intent = this.intents.get(id);
    if (intent === undefined) return undefined;
    if (intent.status !== 'requires_action' && intent.status !== 'processing') {
      return { status: intent.status, returnUrl: intent.returnUrl };
    }
    const failure = {
      code: 'payment_intent_authentication_failure',
      message: 'The provided PaymentMethod has failed authentication.',
    };
    const after = succeeded
      ? this.approve(intent, null)
      : this.save({ ...intent, status: 'requires_payment_method', lastError: failure });
    if (!succeeded) this.announce('payment_intent.payment_failed', after, null);
    return { status: after.status, returnUrl: after.returnUrl };
  }

  fail(id: string): boolean {
    return this.refunds.fail(id) || this.payouts.fail(id);
  }

  dispute(id: string, step: DisputeStep, amount?: number): string | undefined {
    const intent = this.intents.get(id);
    return intent === undefined ? undefined : this.disputes.step(intent, step, amount);
  }

  settings({ search_lag_ms: lag }: Readonly<Record<string, unknown>>): void {
    if (lag === undefined) return;
    if (typeof lag !== 'number' || !(lag >= 0 && lag <= MAX_DELAY_MS)) {
      throw new BadControl(`search_lag_ms: a number from 0 to ${MAX_DELAY_MS}`);
    }
    this.lookups.searchLagMs = lag;
  }

  publish(request: ReportRequest): string {
    return this.balance.publish(request);
  }

  reset(): void {
    this.intents.reset();
    this.refunds.reset();
    this.payouts.reset();
    this.disputes.reset();
    this.balance.publish({});
    this.lookups.searchLagMs = 0;
  }

  private authorize(call: Call): Reply | undefined {
    const key = keyIn(call);
    if (key === undefined) return stripeError(401, { message: NO_KEY });
    if (/^(sk|rk)_/.test(key)) return undefined;
    return stripeError(401, { message: `Invalid API Key provided: ${'*'.repeat(8)}` });
  }

  private route(call: Call): Routed | Reply {
    const [, version, resource, id, verb, ...rest] = call.path.split('/');
    const path = version === 'v1' && rest.length === 0 ? resource : undefined;
    if ((path === 'refunds' || path === 'payouts') && verb === undefined) {
      const routed = this[path].route(call, id);
      if (routed !== undefined) return routed;
    }
    if (path === 'balance_transactions' && id === undefined && call.method === 'GET') {
      return this.balance.list(parseForm(call.query));
    }
    if (path === 'account' && id === undefined && call.method === 'GET') {
      return json(200, { id: accountOfKey(keyIn(call) ?? ''), object: 'account' });
    }
    const known = path === 'payment_intents';
    if (known && call.method === 'GET' && verb === undefined) {
      const query = parseForm(call.query);
      if (id === undefined) return this.lookups.list(query);
      return id === 'search' ? this.lookups.search(query) : this.lookups.retrieve(id, query);
    }
    if (known && call.method === 'POST') {
      const form = parseForm(call.body);
      if (id === undefined) return this.create(call, form);
      if (verb === undefined) return this.change(call, form, id, 'update');
      if (verb === 'capture' || verb === 'cancel' || verb === 'confirm') {
        return this.change(call, form, id, verb);
      }
    }
    return stripeError(404, {
      message: `Unrecognized request URL (${call.method}: ${call.path}). Please see https://stripe.com/docs or we can help at https://support.stripe.com/.`,
    });
  }

  private create(call: Call, form: Form): Routed | Reply {
    const refused = checkForm(form, 'create') ?? checkCreate(form);
    if (refused !== undefined) return refused;
    const metadata = metadataOf(form);
    const key = keyOf(call);
    return {
      kind: 'execute',
      references: entityKeys(metadata),
      key,
      run: (decline) => {
        this.ledger.ensureRoom();
        const made = group(form, 'payment_method_data') === undefined ? null : this.nextMethod();
        const token = text(form, 'payment_method') ?? made;
        const created = this.intents.add({
          id: this.nextIntent(),
          index: this.intents.nextIndex(),
          createdMs: this.clock.now(),
          amount: Number(text(form, 'amount')),
          amountCapturable: 0,
          amountReceived: 0,
          amountRefunded: 0,
          currency: (text(form, 'currency') ?? '').toLowerCase(),
          status: token === null ? 'requires_payment_method' : 'requires_confirmation',
          manual: text(form, 'capture_method') === 'manual',
          methodType: methodTypeOf(form),
          offSession: text(form, 'off_session') === 'true',
          paymentMethod: token,
          customer: text(form, 'customer') ?? null,
          description: text(form, 'description') ?? null,
          receiptEmail: text(form, 'receipt_email') ?? null,
          descriptorSuffix: text(form, 'statement_descriptor_suffix') ?? null,
          returnUrl: text(form, 'return_url') ?? null,
          metadata,
          charge: null,
          lastError: null,
          canceledMs: null,
          cancellationReason: null,
        });
        if (text(form, 'confirm') !== 'true') return this.show(created, form);
        return this.attempt(created, key, form, decline);
      },
    };
  }

  private change(call: Call, form: Form, id: string, verb: ChangeVerb): Routed | Reply {
    const refused = checkForm(form, verb);
    if (refused !== undefined) return refused;
    const capture = text(form, 'amount_to_capture');
    const wrong = capture === undefined ? undefined : checkAmount(capture, 'amount_to_capture', 1);
    if (wrong !== undefined) return wrong;
    const now = this.intents.get(id);
    const given = metadataOf(form);
    const key = keyOf(call);
    return {
      kind: verb === 'cancel' ? 'cancel' : 'execute',
      references: [...entityKeys(given), ...entityKeys(now?.metadata ?? {})],
      key,
      run: (decline) => {
        const intent = this.intents.get(id);
        if (intent === undefined) return noSuch('payment_intent', id, 'intent');
        switch (verb) {
          case 'update':
            return this.update(intent, form);
          case 'confirm':
            return this.confirm(intent, form, key, decline);
          case 'capture':
            return this.capture(intent, form, key);
          case 'cancel':
            break;
        }
        return this.cancel(intent, form, key);
      },
    };
  }

  private update(intent: PaymentIntent, form: Form): Reply {
    const description = text(form, 'description') ?? intent.description;
    return this.show(
      this.save({ ...intent, metadata: metadataOf(form, intent.metadata), description }),
      form,
    );
  }

  private confirm(intent: PaymentIntent, form: Form, key: string | null, decline?: string): Reply {
    const allowed = ['requires_confirmation', 'requires_payment_method', 'requires_action'];
    if (!allowed.includes(intent.status)) return unexpected(intent, 'confirmed', allowed, this.pages());
    const paymentMethod = text(form, 'payment_method') ?? intent.paymentMethod;
    if (paymentMethod === null) return noSuch('PaymentMethod', '', 'payment_method', 400);
    const returnUrl = text(form, 'return_url') ?? intent.returnUrl;
    return this.attempt(
      this.save({ ...intent, paymentMethod, returnUrl, lastError: null }),
      key,
      form,
      decline,
    );
  }

  /** Asks the issuer. */
  private attempt(intent: PaymentIntent, key: string | null, form: Form, decline?: string): Reply {
    const asked = stripeMethod(intent.methodType, intent.paymentMethod ?? '');
    const behaviour = decline === undefined ? asked : ({ does: 'decline', code: decline } as const);
    switch (behaviour.does) {
      case 'approve':
        return this.show(this.approve(intent, key), form);
      case 'decline':
        return this.decline(intent, behaviour.code, key);
      case 'authenticate':
        if (intent.offSession) return this.decline(intent, 'authentication_required', key);
        // Asked to fail rather than wait for a customer who has nowhere to come back to.
        if (text(form, 'error_on_requires_action') === 'true') {
          return this.decline(intent, 'authentication_not_handled', key);
        }
        return this.show(this.wait(intent, 'requires_action', key), form);
      case 'wait':
        break;
    }
    return this.show(this.wait(intent, 'processing', key), form);
  }

  private wait(intent: PaymentIntent, status: IntentStatus, key: string | null): PaymentIntent {
    const after = this.save({ ...intent, status });
    this.announce(`payment_intent.${status}`, after, key);
    return after;
  }

  private approve(intent: PaymentIntent, key: string | null): PaymentIntent {
    const { manual, amount } = intent;
    const after = this.save({
      ...intent,
      status: manual ? 'requires_capture' : 'succeeded',
      charge: this.nextCharge(),
      lastError: null,
      amountCapturable: manual ? amount : 0,
      amountReceived: manual ? 0 : amount,
    });
    this.book(manual ? 'authorize' : 'charge', after, amount, key);
    this.announce(
      manual ? 'payment_intent.amount_capturable_updated' : 'payment_intent.succeeded',
      after,
      key,
    );
    return after;
  }

  private decline(intent: PaymentIntent, code: string, key: string | null): Reply {
    const after = this.save({
      ...intent,
      status: 'requires_payment_method',
      charge: this.nextCharge(),
      lastError: stripeDecline(code),
    });
    this.announce('payment_intent.payment_failed', after, key);
    const pages = this.pages();
    const error = renderError(stripeDecline(code), after);
    return {
      status: 402,
      body: () => JSON.stringify({ error: { ...error, payment_intent: renderIntent(after, pages) } }),
    };
  }

  private capture(intent: PaymentIntent, form: Form, key: string | null): Reply {
    if (intent.status !== 'requires_capture') {
      return unexpected(intent, 'captured', ['requires_capture'], this.pages());
    }
    const asked = Number(text(form, 'amount_to_capture') ?? intent.amountCapturable);
    if (asked > intent.amountCapturable) {
      return stripeError(400, {
        code: 'amount_too_large',
        message: `The amount to capture (${asked}) is greater than the remaining amount authorized (${intent.amountCapturable}).`,
        param: 'amount_to_capture',
      });
    }
    this.ledger.ensureRoom();
    const after = this.save({
      ...intent,
      status: 'succeeded',
      amountCapturable: 0,
      amountReceived: asked,
      metadata: metadataOf(form, intent.metadata),
    });
    this.book('capture', after, asked, key);
    this.announce('payment_intent.succeeded', after, key);
    return this.show(after, form);
  }

  private cancel(intent: PaymentIntent, form: Form, key: string | null): Reply {
    const final = intent.status === 'succeeded' || intent.status === 'canceled';
    if (final) {
      const allowed = [
        'requires_payment_method',
        'requires_capture',
        'requires_confirmation',
        'requires_action',
        'processing',
      ];
      return unexpected(intent, 'canceled', allowed, this.pages());
    }
    this.ledger.ensureRoom();
    const released = intent.amountCapturable;
    const after = this.save({
      ...intent,
      status: 'canceled',
      amountCapturable: 0,
      canceledMs: this.clock.now(),
      cancellationReason: text(form, 'cancellation_reason') ?? null,
    });
    if (released > 0) this.book('void', after, released, key);
    this.announce('payment_intent.canceled', after, key);
    return this.show(after, form);
  }

  private show(intent: PaymentIntent, form: Form): Reply {
    return shown(intent, this.pages(), form);
  }

  private save(intent: PaymentIntent): PaymentIntent {
    return this.intents.replace(intent);
  }

  private book(operation: Operation, intent: PaymentIntent, amount: number, key: string | null): void {
    this.ledger.add({
      operation,
      psp_reference: intent.id,
      parent_reference: operation === 'capture' || operation === 'void' ? intent.id : null,
      reference: intent.metadata[ENTITY_KEY] ?? null,
      route: intent.metadata[ROUTE] ?? null,
      amount,
      currency: intent.currency.toUpperCase(),
      idempotency_key: key,
    });
  }

  private announce(type: string, intent: PaymentIntent, key: string | null): void {
    this.events.announce(type, () => renderIntent(intent, this.pages()), key);
  }
}

/** The API key of the request. */
function keyIn({ headers: { authorization } }: Call): string | undefined {
  const [scheme, credentials = ''] = authorization?.split(' ') ?? [];
  if (scheme === undefined) return undefined;
  return scheme === 'Basic' ? Buffer.from(credentials, 'base64').toString().split(':')[0] : credentials;
}

/** The account that a key is of: newer ones name it behind their 5, and of the older ones the first word stands for it. */
function accountOfKey(key: string): string {
  const [, newer, older] =
    /^[sr]k_(?:live|test)_(?:5(1[A-Za-z0-9]{15})[A-Za-z0-9]{40,}|([A-Za-z0-9]*))/.exec(key) ?? [];
  return `acct_${newer ?? older ?? ''}`;
}
