import { type Clock } from '../../core/clock.js';
import {
  type Answer,
  type CallContext,
  type Capabilities,
  type Instruction,
  type LookupCapability,
  type PspAdapter,
} from '../contract.js';
import { type ApiRequest, JsonApi } from '../json-api.js';
import { bodyOf, type Json, record, records, text } from '../json-body.js';
import { type ListPage, type PageRequest, timesOf, verdictByList } from '../listing.js';
import { answerToQuestion } from '../question.js';
import { Wire } from '../wire.js';
import {
  answerOf,
  cancelByKeyRequest,
  cancelRequest,
  executeRequest,
  isOfRoute,
  isOwnName,
  listRequest,
  paymentAnswer,
  readRequest,
  refundAnswer,
} from './square.mapping.js';

const DAY_MS = 24 * 3_600_000;

/** How long a request without an answer may take to arrive is not documented. */
const SETTLES_AFTER_MS = 10 * 60_000;

/** A payment, and what is made of it, is read by the payment's id: only lists are said to be late. */
const byId: LookupCapability = {
  by: 'reference',
  consistency: 'strong',
  settlesAfterMs: SETTLES_AFTER_MS,
};

/** Square, Payments and Refunds API. https://developer.squareup.com/reference/square */
const squareCapabilities: Capabilities = {
  operations: ['charge', 'authorize', 'capture', 'void', 'refund'],
  // That of the location; others are refused before anything runs.
  currencies: null,
  methods: {
    // "This is required if the source_id refers to a card on file": Square's own id of the customer.
    card: { customer: { minLength: 1, isPspsOwn: true, ofTokens: /^ccof:/ } },
    apple_pay: {},
    google_pay: {},
    ach: { answersWithinMs: 7 * DAY_MS },
  },
  // For how long CreatePayment remembers a key is not published, so it is not sent again.
  idempotency: { windowMs: null, replays: 'none' },
  // "Results are eventually consistent, and new payments or changes to payments might take several seconds to appear."
  lookup: { ...byId, consistency: 'eventual' },
  of: { capture: { lookup: byId }, void: { lookup: byId }, refund: { lookup: byId } },
  // "Note that if no payment with the specified idempotency key is found, no action is taken and the endpoint returns
  // successfully." https://developer.squareup.com/reference/square/payments-api/cancel-payment-by-idempotency-key
  cancel: 'reference',
  cancelProvesAfterMs: SETTLES_AFTER_MS,
  isOwnName,
  // CompletePayment takes no amount.
  captures: 'whole',
};

interface SquareOptions {
  readonly accessToken: string;
  readonly locationId: string;
  readonly baseUrl?: string;
  readonly timeoutMs: number;
  readonly clock: Clock;
}

/** The sandbox; `https://connect.squareup.com` takes real money. */
export const PUBLIC_URL = 'https://connect.squareupsandbox.com';
/** The version whose fields the mapping reads. */
const VERSION = '2025-08-20';
/** Refunds of one payment that are read, one request for each. */
const MAX_REFUNDS = 20;

export function headersFor(accessToken: string): Readonly<Record<string, string>> {
  return { Authorization: `Bearer ${accessToken}`, 'Square-Version': VERSION };
}

export class SquarePsp implements PspAdapter {
  readonly capabilities = squareCapabilities;
  private readonly wire: Wire;
  private readonly api: JsonApi;

  constructor(private readonly options: SquareOptions) {
    const { accessToken, baseUrl = PUBLIC_URL, timeoutMs } = options;
    this.wire = new Wire(timeoutMs);
    this.api = new JsonApi(this.wire, baseUrl, headersFor(accessToken));
  }

  async execute(instruction: Instruction, call: CallContext): Promise<Answer> {
    const { operation, entityKey } = instruction;
    const request = executeRequest(instruction, this.options.locationId);
    const answer = await this.ask(request, call, (body) =>
      operation === 'refund'
        ? refundAnswer(record(body['refund']), entityKey)
        : paymentAnswer(record(body['payment']), instruction),
    );
    if (operation !== 'capture' && operation !== 'void') return answer;
    // Refused because of the state that the payment is in, which says more than the refusal.
    if (answer.outcome !== 'rejected' || answer.httpStatus !== 400) return answer;
    const state = await this.lookup(instruction, call);
    return state.outcome === 'not_found' ? answer : state;
  }

  async lookup(instruction: Instruction, call: CallContext): Promise<Answer> {
    const { operation, pspReference, parentReference } = instruction;
    if (operation === 'charge' || operation === 'authorize') {
      return pspReference === undefined
        ? this.find(instruction, call)
        : this.read(pspReference, instruction, call);
    }
    if (parentReference === undefined) return { outcome: 'unknown', pspCode: 'parent_reference_missing' };
    return operation === 'refund'
      ? this.findRefund(parentReference, instruction, call)
      : this.read(parentReference, instruction, call);
  }

  /** By its id, or by its key where that is not known; then the answer is the same where nothing was there. */
  async cancel(instruction: Instruction, call: CallContext): Promise<Answer> {
    const { pspReference } = instruction;
    const request =
      pspReference === undefined ? cancelByKeyRequest(instruction) : cancelRequest(pspReference);
    const answer = await this.ask(request, call, (body) =>
      pspReference === undefined
        ? { outcome: 'canceled' }
        : paymentAnswer(record(body['payment']), instruction),
    );
    // It is completed, or was canceled before.
    return answer.outcome === 'rejected' ? this.lookup(instruction, call) : answer;
  }

  /** Asks for a payment, which takes the permission that lookups take. @throws what is refused */
  async check(call: CallContext): Promise<string> {
    const request = listRequest({ created: undefined, after: undefined }, this.options.locationId);
    const { httpStatus, text: said } = await this.api.send(request, call);
    if (httpStatus !== 200) throw new Error(`Square answered ${httpStatus}: ${said}`);
    return `Square takes the token, and shows payments of the location ${this.options.locationId}.`;
  }

  async close(): Promise<void> {
    this.wire.close();
  }

  private async ask(
    request: ApiRequest,
    call: CallContext,
    ofSuccess: (body: Json) => Answer,
  ): Promise<Answer> {
    return answerOf(await this.api.send(request, call), ofSuccess);
  }

  private async read(id: string, instruction: Instruction, call: CallContext): Promise<Answer> {
    const answer = await this.ask(readRequest('payments', id), call, (body) =>
      paymentAnswer(record(body['payment']), instruction),
    );
    return answerToQuestion(answer);
  }

  private find(instruction: Instruction, call: CallContext): Promise<Answer> {
    return verdictByList<Json>(
      {
        list: (page) => this.page(page, call),
        idOf: ({ id }) => text(id) ?? '',
        isOurs: ({ note }) => isOfRoute(note, instruction),
        judge: (payment) => ({ httpStatus: 200, ...paymentAnswer(payment, instruction) }),
        times: timesOf(instruction, SETTLES_AFTER_MS),
        clock: this.options.clock,
      },
      call,
    );
  }

  private async page(page: PageRequest, call: CallContext): Promise<ListPage<Json> | Answer> {
    const response = await this.api.send(listRequest(page, this.options.locationId), call);
    const body = bodyOf(response.text);
    if (response.httpStatus !== 200 || body === null) {
      return answerToQuestion(answerOf(response, () => ({ outcome: 'unknown' })));
    }
    // A list without payments has no such field.
    const { payments = [], cursor } = body;
    if (!Array.isArray(payments)) return { outcome: 'unknown', pspCode: 'unreadable_answer' };
    return { data: records(payments), next: text(cursor) ?? null, date: response.header('date') };
  }

  /** A payment names its refunds, and each is read by its id. */
  private async findRefund(payment: string, instruction: Instruction, call: CallContext): Promise<Answer> {
    const { pspReference, entityKey } = instruction;
    const refund = (id: string, judge: (refund: Json) => Answer) =>
      this.ask(readRequest('refunds', id), call, (body) => judge(record(body['refund'])));
    if (pspReference !== undefined)
      return answerToQuestion(await refund(pspReference, (one) => refundAnswer(one, entityKey)));
    let ids: readonly unknown[] = [];
    const read = await this.ask(readRequest('payments', payment), call, (body) => {
      const { refund_ids: named = [] } = record(body['payment']);
      ids = Array.isArray(named) ? named : [];
      return { outcome: 'not_found' };
    });
    if (read.outcome !== 'not_found') return answerToQuestion(read);
    if (ids.length > MAX_REFUNDS) return { outcome: 'unknown', pspCode: 'too_many_to_list' };
    const own: Answer[] = [];
    for (const id of ids) {
      const answer = await refund(String(id), (one) =>
        isOfRoute(one['reason'], instruction) ? refundAnswer(one, entityKey) : { outcome: 'not_found' },
      );
      if (answer.outcome === 'rejected' || answer.outcome === 'throttled') return answerToQuestion(answer);
      if (answer.outcome === 'unknown') return answer;
      if (answer.outcome !== 'not_found') own.push(answer);
    }
    const [only, ...others] = own;
    if (only === undefined) return { httpStatus: 200, outcome: 'not_found' };
    const pspReferences = own.flatMap((one) => one.pspReference ?? []);
    return others.length === 0
      ? only
      : { httpStatus: 200, outcome: 'conflict', pspCode: 'several_found', pspReferences };
  }
}
