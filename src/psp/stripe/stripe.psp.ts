import StripeSdk, { type Stripe } from 'stripe';
import {
  type Answer,
  type AttemptKind,
  type CallContext,
  type Capabilities,
  type Instruction,
  OTHER_PARAMETERS,
  type Outcome,
  type PspAdapter,
} from '../contract.js';
import { type Clock } from '../../core/clock.js';
import { Wire } from '../wire.js';
import { OneRequestHttpClient } from './stripe-http-client.js';
import { StripeAccount } from './stripe-account.js';
import { stripeCurrencies } from './stripe-currencies.js';
import { payoutsOf, refundsOf, type StripeKind } from './stripe-kinds.js';
import { timesOf, verdictByList } from '../listing.js';
import { isOurs, type MarkedObject, pageOf } from './stripe-listing.js';
import {
  answerOfError,
  answerOfIntent,
  captureParams,
  createParams,
  ENTITY_KEY,
  KEY,
  named,
  ROUTE,
} from './stripe.mapping.js';

/** "can take up to 14 business days", https://docs.stripe.com/payments/sepa-debit */
const DEBIT_ANSWERS_WITHIN_MS = 21 * 24 * 3_600_000;

/**
 * Stripe, PaymentIntents, refunds and payouts, through its SDK. https://docs.stripe.com/api
 * The API version is the one the SDK's types are made for.
 */
export const stripeCapabilities: Capabilities = {
  operations: ['charge', 'authorize', 'capture', 'void', 'refund', 'payout'],
  currencies: stripeCurrencies,
  methods: {
    card: {},
    apple_pay: {},
    google_pay: {},
    paypal: { withoutToken: true },
    ideal: { withoutToken: true },
    // Stripe wants the payer's name for Bancontact, and an address and its country for Klarna: both stand in the token.
    bancontact: {},
    klarna: {},
    sepa: { answersWithinMs: DEBIT_ANSWERS_WITHIN_MS },
    bacs: { answersWithinMs: DEBIT_ANSWERS_WITHIN_MS },
    ach: { answersWithinMs: DEBIT_ANSWERS_WITHIN_MS },
  },
  // "You can remove keys from the system automatically after they're at least 24 hours old", and
  // results are saved "regardless of whether it succeeds or fails […] including 500 errors".
  // https://docs.stripe.com/api/idempotent_requests
  idempotency: { windowMs: 24 * 3_600_000, replays: 'all' },
  // By our metadata. Search is eventually consistent ("data is searchable in less than a minute",
  // an hour in outages: https://docs.stripe.com/api/payment_intents/search), so it is trusted only
  // for what it finds; "not found" is said by listing, which reads what was written.
  // How long a request that was received may still run is not documented; Stripe's own SDK waits
  // for 80 s before it gives an answer up.
  // Stripe says to treat the result of an answer of 500 as indeterminate, and that its engineers look at
  // such requests and may finish what they began, reported by webhook: https://docs.stripe.com/error-low-level
  // No time is named; a day is how long it remembers the request by its key.
  lookup: {
    by: 'reference',
    consistency: 'strong',
    settlesAfterMs: 90_000,
    settlesAfterServerErrorMs: 24 * 3_600_000,
  },
  // POST /v1/payment_intents/:id/cancel
  cancel: 'id',
  // "amount_to_capture: must be less than or equal to the original amount"; the rest is released.
  // https://docs.stripe.com/api/payment_intents/capture
  captures: 'one',
};

/** A PSP that speaks Stripe's API but remembers no Idempotency-Key. */
export const keylessCapabilities: Capabilities = {
  ...stripeCapabilities,
  idempotency: { windowMs: null, replays: 'none' },
};

interface StripeOptions {
  readonly secretKey: string;
  /** The account that the key must be of, where it does not name it. */
  readonly account?: string | undefined;
  /** Origin only: the SDK knows the paths. */
  readonly baseUrl?: string;
  readonly timeoutMs: number;
  readonly capabilities?: Capabilities;
  /** The clock that `sentAt` is read from. */
  readonly clock: Clock;
}

/** A lookup with one of these outcomes is taken as the answer of the execute. */
const DEFINITE: ReadonlySet<Outcome> = new Set(['succeeded', 'declined', 'requires_action', 'pending']);

type Verb = (options: Stripe.RequestOptions) => Promise<Stripe.Response<Stripe.PaymentIntent>>;

export class StripePsp implements PspAdapter {
  readonly capabilities: Capabilities;
  private readonly wire: Wire;
  private readonly http: OneRequestHttpClient;
  private readonly stripe: Stripe;
  private readonly account: StripeAccount;
  private readonly clock: Clock;
  private readonly refunds: StripeKind<Stripe.Refund>;
  private readonly payouts: StripeKind<Stripe.Payout>;

  constructor(options: StripeOptions) {
    this.clock = options.clock;
    this.capabilities = options.capabilities ?? stripeCapabilities;
    this.wire = new Wire(options.timeoutMs);
    this.http = new OneRequestHttpClient(this.wire);
    const { protocol, hostname, port } = new URL(options.baseUrl ?? 'https://api.stripe.com');
    this.stripe = new StripeSdk(options.secretKey, {
      httpClient: this.http,
      maxNetworkRetries: 0,
      telemetry: false,
      timeout: options.timeoutMs,
      protocol: protocol === 'http:' ? 'http' : 'https',
      host: hostname,
      port: port || (protocol === 'http:' ? 80 : 443),
    });
    this.account = new StripeAccount(this.stripe, options.account);
    this.refunds = refundsOf(this.stripe);
    this.payouts = payoutsOf(this.stripe);
  }

  async execute(instruction: Instruction, call: CallContext): Promise<Answer> {
    if (instruction.operation === 'refund') return this.make(this.refunds, instruction, call);
    if (instruction.operation === 'payout') return this.make(this.payouts, instruction, call);
    const send = this.verbOf(instruction);
    if (!send) return notExpressible();
    const answer = await this.said('execute', instruction, call, async (options) => {
      const intent = await send({ ...options, idempotencyKey: instruction.idempotencyKey });
      return withStatus(intent, {
        ...named(intent, instruction),
        ...answerOfIntent(intent, instruction, 'execute'),
      });
    });
    if (!opens(instruction)) return answer;
    return this.metByKey(answer, instruction, () =>
      this.said('lookup', instruction, call, async (options) => {
        const id = await this.search(instruction, options);
        if (id === null) return answer;
        const intent = await this.stripe.paymentIntents.retrieve(id, {}, options);
        return withStatus(intent, answerOfIntent(intent, instruction, 'lookup'));
      }),
    );
  }

  /** Reads a payment, as lookups do. @throws what Stripe refuses */
  check(call: CallContext): Promise<string> {
    return this.http.during(call, async (headers) => {
      const options = { headers, timeout: call.timeoutMs, maxNetworkRetries: 0 };
      await this.account.confirm(options);
      await this.stripe.paymentIntents.list({ limit: 1 }, options);
      return 'Stripe takes the key, and lets it read payments.';
    });
  }

  async lookup(instruction: Instruction, call: CallContext): Promise<Answer> {
    const { operation, parentReference } = instruction;
    if (operation === 'payout') return this.find(this.payouts, instruction, call);
    // A capture or void is found by what it acts upon, and by nothing else; a refund among those of
    // its payment.
    if (!opens(instruction) && !parentReference) {
      return { outcome: 'unknown', pspCode: 'parent_reference_missing' };
    }
    if (operation === 'refund') return this.find(this.refunds, instruction, call);
    return this.said('lookup', instruction, call, async (options) => {
      const id = idOf(instruction) ?? (await this.search(instruction, options));
      if (id) {
        call.signal.throwIfAborted();
        const intent = await this.stripe.paymentIntents.retrieve(id, {}, options);
        if (opens(instruction) && !isOurs(intent, instruction)) return notOurs(intent);
        return withStatus(intent, answerOfIntent(intent, instruction, 'lookup'));
      }
      return this.listIntents(instruction, call, options);
    });
  }

  async cancel(instruction: Instruction, call: CallContext): Promise<Answer> {
    const { pspReference = '', idempotencyKey } = instruction;
    return this.said('cancel', instruction, call, async (options) => {
      const keyed = { ...options, idempotencyKey: `${idempotencyKey}-cancel` };
      const intent = await this.stripe.paymentIntents.cancel(pspReference, {}, keyed);
      return withStatus(intent, answerOfIntent(intent, instruction, 'cancel'));
    });
  }

  async close(): Promise<void> {
    this.wire.close();
  }

  /** The one request of an execute, or null where Stripe cannot represent the amount. */
  private verbOf(instruction: Instruction): Verb | null {
    const { paymentIntents } = this.stripe;
    const { operation, parentReference = '' } = instruction;
    if (operation === 'void') return (options) => paymentIntents.cancel(parentReference, {}, options);
    if (operation === 'capture') {
      const params = captureParams(instruction);
      return params && ((options) => paymentIntents.capture(parentReference, params, options));
    }
    const params = createParams(instruction);
    return params && ((options) => paymentIntents.create(params, options));
  }

  /** Makes a refund or a payout. */
  private async make<T extends MarkedObject>(
    kind: StripeKind<T>,
    instruction: Instruction,
    call: CallContext,
  ): Promise<Answer> {
    const send = kind.create(instruction);
    if (!send) return notExpressible();
    const answer = await this.said('execute', instruction, call, async (options) => {
      const made = await send({ ...options, idempotencyKey: instruction.idempotencyKey });
      return withStatus(made, { ...named(made, instruction), ...kind.answer(made) });
    });
    return this.metByKey(answer, instruction, () => this.find(kind, { ...instruction, sentAt: [] }, call));
  }

  /**
   * Our key came to Stripe before, with other parameters: what was made under it then is the answer, where
   * it can be found by the key that it carries and says something definite. Else it stays a conflict.
   */
  private async metByKey(
    answer: Answer,
    { carriesKey }: Instruction,
    lookUp: () => Promise<Answer>,
  ): Promise<Answer> {
    if (answer.pspCode !== OTHER_PARAMETERS || !carriesKey) return answer;
    const found = await lookUp().catch(() => answer);
    return DEFINITE.has(found.outcome) && found.pspReference !== undefined ? found : answer;
  }

  /** By its id, or in the list of those that it can be among. */
  private async find<T extends MarkedObject>(
    kind: StripeKind<T>,
    instruction: Instruction,
    call: CallContext,
  ): Promise<Answer> {
    const { pspReference } = instruction;
    return this.said('lookup', instruction, call, async (options) => {
      if (pspReference) {
        const found = await kind.retrieve(pspReference, options);
        if (!isOurs(found, instruction)) return notOurs(found);
        return withStatus(found, kind.answer(found));
      }
      return verdictByList<T>(
        {
          list: (page) => pageOf(page, (asked) => kind.list(asked, instruction, options)),
          ...this.listed(instruction),
          judge: (object) => kind.answer(object),
          times: kind.byTime ? this.timesOf(instruction) : undefined,
        },
        call,
      );
    });
  }

  /** Runs requests under the call's signal and makes answers of Stripe's refusals. */
  private async said(
    kind: AttemptKind,
    instruction: Instruction,
    call: CallContext,
    ask: (options: Stripe.RequestOptions) => Promise<Answer>,
  ): Promise<Answer> {
    try {
      return await this.http.during(call, async (headers) => {
        const options = { headers, timeout: call.timeoutMs, maxNetworkRetries: 0 };
        await this.account.confirm(options);
        return ask(options);
      });
    } catch (error) {
      if (!(error instanceof StripeSdk.errors.StripeError)) throw error;
      const answer = answerOfError(error, kind, instruction);
      if (!answer) throw error;
      // The header of stored answers. A success names its object, so that nobody searches for that.
      const isReplay = error.headers?.['idempotent-replayed'] === 'true';
      return isReplay ? { ...answer, isReplay } : answer;
    }
  }

  /** The id of our PaymentIntent where search knows one; its state may be old, so only the id. */
  private async search(instruction: Instruction, options: Stripe.RequestOptions): Promise<string | null> {
    const { carriesKey, idempotencyKey, entityKey, route } = instruction;
    const query = carriesKey
      ? `metadata['${KEY}']:'${idempotencyKey}'`
      : `metadata['${ENTITY_KEY}']:'${entityKey}' AND metadata['${ROUTE}']:'${route}'`;
    try {
      const { data } = await this.stripe.paymentIntents.search({ query, limit: 10 }, options);
      const ours = data.filter((intent) => isOurs(intent, instruction));
      // Several are for the list to see, and to call a conflict.
      return ours.length === 1 ? ours[0]!.id : null;
    } catch (error) {
      // Search does not exist for accounts in India, and may be down by itself: the list decides.
      if (error instanceof StripeSdk.errors.StripeError && error.statusCode !== undefined) return null;
      throw error;
    }
  }

  /** Reads every PaymentIntent of the times in question. */
  private listIntents(
    instruction: Instruction,
    call: CallContext,
    options: Stripe.RequestOptions,
  ): Promise<Answer> {
    return verdictByList<Stripe.PaymentIntent>(
      {
        list: (page) => pageOf(page, (asked) => this.stripe.paymentIntents.list(asked, options)),
        ...this.listed(instruction),
        judge: (intent) => answerOfIntent(intent, instruction, 'lookup'),
        times: this.timesOf(instruction),
      },
      call,
    );
  }

  private listed(instruction: Instruction) {
    return {
      idOf: ({ id }: MarkedObject) => id,
      isOurs: (object: MarkedObject) => isOurs(object, instruction),
      clock: this.clock,
    };
  }

  private timesOf(instruction: Instruction) {
    return timesOf(instruction, this.capabilities.lookup?.settlesAfterMs ?? 0);
  }
}

/** Whether the operation makes a PaymentIntent, rather than acting upon one. */
function opens({ operation }: Instruction): boolean {
  return operation === 'charge' || operation === 'authorize';
}

/** Our own PaymentIntent, once known, or the one that is acted upon. */
function idOf(instruction: Instruction): string | undefined {
  return opens(instruction) ? instruction.pspReference : instruction.parentReference;
}

/** There is something by the id that the route holds, and another route made it, or another system. */
function notOurs({ lastResponse }: Stripe.Response<object>): Answer {
  const message = 'The object of this id does not carry the names of this operation';
  return { httpStatus: lastResponse.statusCode, outcome: 'conflict', pspCode: 'not_ours', message };
}

function withStatus({ lastResponse }: Stripe.Response<object>, answer: Answer): Answer {
  return { ...answer, httpStatus: lastResponse.statusCode };
}

function notExpressible(): Answer {
  return {
    outcome: 'rejected',
    pspCode: 'amount_not_expressible',
    message: 'This PSP cannot represent this amount exactly in this currency',
  };
}
