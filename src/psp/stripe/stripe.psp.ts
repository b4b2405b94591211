import StripeSdk, { type Stripe } from 'stripe';
import {
  type Answer,
  type CallContext,
  type Capabilities,
  type Instruction,
  type PspAdapter,
} from '../contract.js';
import { type Clock } from '../../kernel/index.js';
import { Wire } from '../wire.js';
import { OneRequestHttpClient } from './stripe-http-client.js';
import { stripeCurrencies } from './stripe-currencies.js';
import {
  answerOfCancel,
  answerOfError,
  answerOfIntent,
  captureParams,
  createParams,
  ENTITY_KEY,
  ROUTE,
} from './stripe.mapping.js';

/**
 * Stripe, PaymentIntents, through its SDK. https://docs.stripe.com/api/payment_intents
 * The API version is the one the SDK's types are made for.
 */
export const stripeCapabilities: Capabilities = {
  operations: ['charge', 'authorize', 'capture', 'void'],
  currencies: stripeCurrencies,
  // "You can remove keys from the system automatically after they're at least 24 hours old", and
  // results are saved "regardless of whether it succeeds or fails […] including 500 errors".
  // https://docs.stripe.com/api/idempotent_requests
  idempotency: { windowMs: 24 * 3_600_000, replays: 'all' },
  // By our metadata. Search is eventually consistent ("data is searchable in less than a minute",
  // an hour in outages: https://docs.stripe.com/api/payment_intents/search), so it is trusted only
  // for what it finds; "not found" is said by listing, which reads what was written.
  // How long a request that was received may still run is not documented; Stripe's own SDK waits
  // for 80 s before it gives an answer up.
  lookup: { by: 'reference', consistency: 'strong', settlesAfterMs: 90_000 },
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

export interface StripeOptions {
  readonly secretKey: string;
  /** Origin only: the SDK knows the paths. */
  readonly baseUrl?: string;
  readonly timeoutMs: number;
  readonly capabilities?: Capabilities;
  /** The clock that `firstSentAt` is read from. */
  readonly clock: Clock;
}

type Verb = (options: Stripe.RequestOptions) => Promise<Stripe.Response<Stripe.PaymentIntent>>;

const PAGE = 100;
const MOST_PAGES = 10;
/** How far Stripe's clock and ours may be apart before a list by time proves nothing, in s. */
const CLOCK_SKEW_S = 300;

export class StripePsp implements PspAdapter {
  readonly capabilities: Capabilities;
  private readonly wire: Wire;
  private readonly http: OneRequestHttpClient;
  private readonly stripe: Stripe;
  private readonly clock: Clock;

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
  }

  async execute(instruction: Instruction, call: CallContext): Promise<Answer> {
    const send = this.verbOf(instruction);
    if (!send) return notExpressible();
    return this.said('execute', call, async (options) => {
      const intent = await send({ ...options, idempotencyKey: instruction.idempotencyKey });
      return withStatus(intent, answerOfIntent(intent, instruction, 'execute'));
    });
  }

  async lookup(instruction: Instruction, call: CallContext): Promise<Answer> {
    // A capture or void is found by what it acts upon, and by nothing else.
    if (!opens(instruction) && !instruction.parentReference) {
      return { outcome: 'unknown', pspCode: 'parent_reference_missing' };
    }
    return this.said('lookup', call, async (options) => {
      const id = idOf(instruction) ?? (await this.search(instruction, options));
      if (id) {
        call.signal.throwIfAborted();
        const intent = await this.stripe.paymentIntents.retrieve(id, {}, options);
        return withStatus(intent, answerOfIntent(intent, instruction, 'lookup'));
      }
      return this.listed(instruction, call, options);
    });
  }

  async cancel(instruction: Instruction, call: CallContext): Promise<Answer> {
    const { pspReference, idempotencyKey } = instruction;
    // The PaymentIntent of a capture or void is the authorization itself: voiding that would undo
    // more than the operation in doubt.
    if (!opens(instruction) || !pspReference) {
      return { outcome: 'unknown', pspCode: 'nothing_to_cancel' };
    }
    return this.said('cancel', call, async (options) => {
      try {
        const keyed = { ...options, idempotencyKey: `${idempotencyKey}-cancel` };
        const intent = await this.stripe.paymentIntents.cancel(pspReference, {}, keyed);
        return withStatus(intent, answerOfCancel(intent, instruction));
      } catch (error) {
        // "You cannot cancel this PaymentIntent because it has a status of succeeded": the refusal
        // carries the PaymentIntent, and that is the answer.
        const intent = error instanceof StripeSdk.errors.StripeError ? error.payment_intent : undefined;
        if (intent?.id === pspReference) return answerOfCancel(intent, instruction);
        throw error;
      }
    });
  }

  async close(): Promise<void> {
    this.wire.close();
  }

  /** The one request of an execute, or null where Stripe cannot be told the amount. */
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

  /** Runs requests under the call's signal and makes answers of Stripe's refusals. */
  private async said(
    kind: 'execute' | 'lookup' | 'cancel',
    call: CallContext,
    ask: (options: Stripe.RequestOptions) => Promise<Answer>,
  ): Promise<Answer> {
    try {
      return await this.http.during(call.signal, (headers) =>
        ask({ headers, timeout: call.timeoutMs, maxNetworkRetries: 0 }),
      );
    } catch (error) {
      const answer = error instanceof StripeSdk.errors.StripeError ? answerOfError(error, kind) : null;
      if (answer) return answer;
      throw error;
    }
  }

  /** The id of our PaymentIntent where search knows one; its state may be old, so only the id. */
  private async search(instruction: Instruction, options: Stripe.RequestOptions): Promise<string | null> {
    const query = `metadata['${ENTITY_KEY}']:'${instruction.entityKey}' AND metadata['${ROUTE}']:'${instruction.route}'`;
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

  /** Reads every PaymentIntent of the time in question. The only source of "not found". */
  private async listed(
    instruction: Instruction,
    call: CallContext,
    options: Stripe.RequestOptions,
  ): Promise<Answer> {
    const created = windowOf(instruction, this.capabilities.lookup?.settlesAfterMs ?? 0);
    const ours: Stripe.PaymentIntent[] = [];
    let after: string | undefined;
    for (let page = 0; page < MOST_PAGES; page++) {
      call.signal.throwIfAborted();
      const params = {
        limit: PAGE,
        ...(created ? { created } : {}),
        ...(after ? { starting_after: after } : {}),
      };
      const { data, has_more, lastResponse } = await this.stripe.paymentIntents.list(params, options);
      // Whoever else may answer here does not get to say that there is nothing more.
      if (typeof has_more !== 'boolean') return { outcome: 'unknown', pspCode: 'unreadable_answer' };
      ours.push(...data.filter((intent) => isOurs(intent, instruction)));
      after = data.at(-1)?.id;
      if (!has_more) {
        const nothing = ours.length === 0 && created && !this.agreesWith(lastResponse.headers['date']);
        return nothing ? { outcome: 'unknown', pspCode: 'clocks_differ' } : verdictOf(ours, instruction);
      }
      if (!after) break;
    }
    return ours.length > 0
      ? verdictOf(ours, instruction)
      : { outcome: 'unknown', pspCode: 'too_many_to_list' };
  }

  /** Where the clocks are apart, the time that was listed is not the time that was meant. */
  private agreesWith(date: string | undefined): boolean {
    const apartMs = Math.abs(this.clock.now().getTime() - Date.parse(date ?? ''));
    return apartMs < CLOCK_SKEW_S * 1_000;
  }
}

function verdictOf(ours: readonly Stripe.PaymentIntent[], instruction: Instruction): Answer {
  const [only] = ours;
  if (!only) return { outcome: 'not_found' };
  if (ours.length === 1) return answerOfIntent(only, instruction, 'lookup');
  const reference = { pspReference: only.id, pspCode: 'several_found' };
  return { ...reference, outcome: 'conflict', message: `${ours.length} PaymentIntents for one route` };
}

/** Whether the operation makes a PaymentIntent, rather than acting upon one. */
function opens({ operation }: Instruction): boolean {
  return operation === 'charge' || operation === 'authorize';
}

/** Our own PaymentIntent, once known, or the one that is acted upon. */
function idOf(instruction: Instruction): string | undefined {
  return opens(instruction) ? instruction.pspReference : instruction.parentReference;
}

function withStatus({ lastResponse }: Stripe.Response<Stripe.PaymentIntent>, answer: Answer): Answer {
  return { ...answer, httpStatus: lastResponse.statusCode };
}

function isOurs({ metadata }: Stripe.PaymentIntent, { entityKey, route }: Instruction): boolean {
  return metadata?.[ENTITY_KEY] === entityKey && metadata[ROUTE] === String(route);
}

/** When ours can have been created: from the first execute on, until the last one has settled. */
function windowOf({ firstSentAt, lastSentAt }: Instruction, settlesAfterMs: number) {
  if (!firstSentAt) return undefined;
  const gte = Math.floor(firstSentAt.getTime() / 1_000) - CLOCK_SKEW_S;
  if (!lastSentAt) return { gte };
  return { gte, lte: Math.ceil((lastSentAt.getTime() + settlesAfterMs) / 1_000) + CLOCK_SKEW_S };
}

function notExpressible(): Answer {
  return {
    outcome: 'rejected',
    pspCode: 'amount_not_expressible',
    message: 'This amount cannot be told to this PSP exactly in this currency',
  };
}
