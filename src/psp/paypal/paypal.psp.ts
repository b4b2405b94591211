import { type Clock } from '../../core/clock.js';
import {
  type Answer,
  type CallContext,
  type Capabilities,
  type Instruction,
  type PspAdapter,
} from '../contract.js';
import { type ApiRequest, type ApiResponse, JsonApi } from '../json-api.js';
import { bodyOf, type Json, text } from '../json-body.js';
import { answerToQuestion, notAskedYet } from '../question.js';
import { returnedIn } from '../return-query.js';
import { Wire } from '../wire.js';
import {
  answerOf,
  completeRequest,
  isOwnName,
  orderAnswer,
  orderRequest,
  partAnswer,
  partRequest,
  paymentsIn,
  readRequest,
  refundAnswer,
  signInRequest,
  voidRequest,
} from './paypal.mapping.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** How long a request without an answer may take to arrive is not documented. */
const SETTLES_AFTER_MS = 10 * 60_000;

/** "The server stores keys for 45 days", and shows what was done of an order that is known. */
const ofOrder = {
  idempotency: { windowMs: 45 * DAY_MS, replays: 'latest' },
  lookup: { by: 'reference', consistency: 'strong', settlesAfterMs: SETTLES_AFTER_MS },
} as const;

/** https://developer.paypal.com/api/rest/reference/currency-codes/ */
const CURRENCIES =
  'AUD BRL CAD CHF CNY CZK DKK EUR GBP HKD HUF ILS JPY MXN MYR NOK NZD PHP PLN SEK SGD THB TWD USD';

/** PayPal, Orders and Payments v2. https://developer.paypal.com/docs/api/orders/v2/ */
const paypalCapabilities: Capabilities = {
  operations: ['charge', 'authorize', 'capture', 'void', 'refund'],
  currencies: CURRENCIES.split(' '),
  methods: { card: {}, paypal: { withoutToken: true } },
  // "The server stores keys for 6 hours"; a repeat answers "the latest status of the previous request".
  // https://developer.paypal.com/api/rest/reference/idempotency/
  idempotency: { windowMs: 6 * HOUR_MS, replays: 'latest' },
  // An order is shown by PayPal's id alone; transactions are found by ours hours later.
  lookup: { by: 'id', consistency: 'strong', settlesAfterMs: SETTLES_AFTER_MS },
  of: { capture: ofOrder, void: ofOrder, refund: ofOrder },
  cancel: 'id',
  // PayPal takes nothing of an order that its customer agreed to before it is told to.
  completion: { repeatable: true },
  isOwnName,
  captures: 'one',
};

interface PaypalOptions {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly baseUrl?: string;
  readonly timeoutMs: number;
  readonly clock: Clock;
}

/** The sandbox; `https://api-m.paypal.com` takes real money. */
export const PUBLIC_URL = 'https://api-m.sandbox.paypal.com';
/** An access token is taken for so much shorter than it is good for. */
const TOKEN_MARGIN_MS = 60_000;

export class PaypalPsp implements PspAdapter {
  readonly capabilities = paypalCapabilities;
  private readonly wire: Wire;
  private readonly api: JsonApi;
  private token: { readonly value: string; readonly untilMs: number } | undefined;

  constructor(private readonly options: PaypalOptions) {
    const { baseUrl = PUBLIC_URL, timeoutMs } = options;
    this.wire = new Wire(timeoutMs);
    this.api = new JsonApi(this.wire, baseUrl, {});
  }

  async execute(instruction: Instruction, call: CallContext): Promise<Answer> {
    const { operation, parentReference = '' } = instruction;
    if (operation === 'charge' || operation === 'authorize') {
      const request = orderRequest(instruction);
      return request ? this.ask(request, call, (order) => orderAnswer(order, instruction)) : notExpressible();
    }
    let order: Json = {};
    const known = await this.ask(readRequest(parentReference), call, (body) => {
      order = body;
      return { outcome: 'succeeded' };
    });
    if (known.outcome !== 'succeeded') return notAskedYet(known);
    return this.act(instruction, order, call);
  }

  async lookup(instruction: Instruction, call: CallContext): Promise<Answer> {
    const { operation, pspReference, parentReference } = instruction;
    const isOpening = operation === 'charge' || operation === 'authorize';
    const order = isOpening ? pspReference : parentReference;
    if (order === undefined) return { outcome: 'unknown', pspCode: 'reference_missing' };
    return answerToQuestion(
      await this.ask(readRequest(order), call, (body) => orderAnswer(body, instruction)),
    );
  }

  /** Voids what is authorized; what is not paid yet lapses by itself. */
  async cancel(instruction: Instruction, call: CallContext): Promise<Answer> {
    const { operation, pspReference = '', idempotencyKey } = instruction;
    let authorization: Json | undefined;
    const before = answerToQuestion(
      await this.ask(readRequest(pspReference), call, (order) => {
        ({ authorization } = paymentsIn(order));
        return orderAnswer(order, instruction);
      }),
    );
    const id = text(authorization?.['id']);
    if (operation !== 'authorize' || before.outcome !== 'succeeded' || id === undefined) return before;
    const request = voidRequest(id, `${idempotencyKey.slice(0, 90)}-cancel`);
    const asked = await this.ask(request, call, (body) => ({ ...partAnswer(body), pspReference }));
    return asked.outcome === 'rejected' || asked.outcome === 'declined'
      ? this.lookup(instruction, call)
      : asked;
  }

  /** The customer came back: `token` is the order, and has to be this one. */
  async complete(instruction: Instruction, call: CallContext): Promise<Answer> {
    const { details = {}, pspReference } = instruction;
    if (pspReference === undefined || returnedIn(details)['token'] !== pspReference) {
      return { outcome: 'rejected', pspCode: 'other_order' };
    }
    return this.ask(completeRequest(instruction), call, (order) => orderAnswer(order, instruction));
  }

  /** Signs in. @throws what is refused */
  async check(call: CallContext): Promise<string> {
    const { httpStatus, text: said } = await this.signIn(call);
    if (httpStatus !== 200) throw new Error(`PayPal answered ${httpStatus}: ${said}`);
    return 'PayPal takes the client id and its secret.';
  }

  async close(): Promise<void> {
    this.wire.close();
  }

  private async act(instruction: Instruction, order: Json, call: CallContext): Promise<Answer> {
    const { operation, entityKey } = instruction;
    const { authorization, capture } = paymentsIn(order);
    const part = text((operation === 'refund' ? capture : authorization)?.['id']);
    if (part === undefined) return { outcome: 'rejected', pspCode: 'nothing_to_act_upon' };
    const request = partRequest(instruction, part);
    if (request === null) return notExpressible();
    const answer = await this.ask(request, call, (body) => {
      if (operation === 'refund') return refundAnswer(body, entityKey);
      const { outcome, ...said } = partAnswer(body);
      return operation === 'void' && outcome === 'canceled'
        ? { ...said, outcome: 'succeeded' }
        : { ...said, outcome };
    });
    if (answer.outcome !== 'unknown' || answer.httpStatus !== 422) return answer;
    // It was done before, which the order shows.
    return this.lookup(instruction, call);
  }

  private async ask(
    request: ApiRequest,
    call: CallContext,
    ofSuccess: (body: Json) => Answer,
  ): Promise<Answer> {
    const token = await this.accessToken(call);
    if (typeof token !== 'string') return token;
    const response = await this.send(request, token, call);
    if (response.httpStatus !== 401) return answerOf(response, ofSuccess);
    // The token had ended, so that nothing ran.
    this.token = undefined;
    const fresh = await this.accessToken(call);
    return typeof fresh === 'string' ? answerOf(await this.send(request, fresh, call), ofSuccess) : fresh;
  }

  private send(request: ApiRequest, token: string, call: CallContext): Promise<ApiResponse> {
    return this.api.send(
      { ...request, headers: { ...request.headers, Authorization: `Bearer ${token}` } },
      call,
    );
  }

  /** An answer where there is none: then no request left. */
  private async accessToken(call: CallContext): Promise<string | Answer> {
    const nowMs = this.options.clock.monotonicMs();
    if (this.token && nowMs < this.token.untilMs) return this.token.value;
    try {
      const { httpStatus, text: said } = await this.signIn(call);
      const body = httpStatus === 200 ? bodyOf(said) : null;
      const value = text(body?.['access_token']);
      const seconds = Number(body?.['expires_in']);
      if (value === undefined || !(seconds > 0)) {
        const outcome = httpStatus === 401 ? 'rejected' : 'not_sent';
        return { outcome, httpStatus, pspCode: 'no_access_token' };
      }
      this.token = { value, untilMs: nowMs + seconds * 1_000 - TOKEN_MARGIN_MS };
      return value;
    } catch {
      return { outcome: 'not_sent', pspCode: 'no_access_token' };
    }
  }

  private signIn(call: CallContext): Promise<ApiResponse> {
    const { clientId, clientSecret } = this.options;
    return this.api.send(signInRequest(clientId, clientSecret), call);
  }
}

function notExpressible(): Answer {
  return {
    outcome: 'rejected',
    pspCode: 'amount_not_expressible',
    message: 'This PSP cannot represent this amount exactly in this currency',
  };
}
