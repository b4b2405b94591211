import { type Clock } from '../../core/clock.js';
import {
  type Answer,
  type CallContext,
  type Capabilities,
  type Instruction,
  type PspAdapter,
} from '../contract.js';
import { type ApiRequest, JsonApi } from '../json-api.js';
import { bodyOf, type Json, record, records, text } from '../json-body.js';
import { type ListPage, timesOf, verdictByList } from '../listing.js';
import { answerToQuestion, notAskedYet } from '../question.js';
import { Wire } from '../wire.js';
import {
  answerOf,
  cancelRequest,
  causeIn,
  eventsRequest,
  isOfRoute,
  listRequest,
  paymentAnswer,
  paymentRequest,
  readRequest,
  refundAnswer,
  refundRequest,
  refundsRequest,
} from './gocardless.mapping.js';

const DAY_MS = 24 * 3_600_000;

/** How long a request without an answer may take to arrive is not documented. */
const SETTLES_AFTER_MS = 10 * 60_000;
/** A debit is confirmed when its bank could have returned it: within ten working days, by the slowest scheme. */
const offer = { answersWithinMs: 21 * DAY_MS };

/** GoCardless, bank debits by mandate. https://developer.gocardless.com/api-reference */
const gocardlessCapabilities: Capabilities = {
  operations: ['charge', 'refund'],
  currencies: ['AUD', 'CAD', 'DKK', 'EUR', 'GBP', 'NZD', 'SEK', 'USD'],
  methods: { sepa: offer, bacs: offer, ach: offer },
  // "Idempotency keys […] guarantee that only one resource will be created regardless of how many times a request is sent":
  // a repeat is a conflict that names the first one. They "will not be persisted indefinitely": a day is taken.
  // https://gocardless.com/blog/idempotency-keys
  idempotency: { windowMs: DAY_MS, replays: 'id' },
  // How late a list may be is not documented.
  lookup: { by: 'reference', consistency: 'strong', settlesAfterMs: SETTLES_AFTER_MS },
  // A payment can be canceled until it was submitted to the bank.
  cancel: 'id',
  captures: 'whole',
};

interface GocardlessOptions {
  readonly accessToken: string;
  readonly baseUrl?: string;
  readonly timeoutMs: number;
  readonly clock: Clock;
}

/** The sandbox; `https://api.gocardless.com` takes real money. */
export const PUBLIC_URL = 'https://api-sandbox.gocardless.com';

export function headersFor(accessToken: string): Readonly<Record<string, string>> {
  return { Authorization: `Bearer ${accessToken}`, 'GoCardless-Version': '2015-07-06' };
}

export class GocardlessPsp implements PspAdapter {
  readonly capabilities = gocardlessCapabilities;
  private readonly wire: Wire;
  private readonly api: JsonApi;

  constructor(private readonly options: GocardlessOptions) {
    const { accessToken, baseUrl = PUBLIC_URL, timeoutMs } = options;
    this.wire = new Wire(timeoutMs);
    this.api = new JsonApi(this.wire, baseUrl, headersFor(accessToken));
  }

  async execute(instruction: Instruction, call: CallContext): Promise<Answer> {
    const { operation, entityKey } = instruction;
    if (operation === 'refund') return this.refund(instruction, call);
    if (operation !== 'charge') return { outcome: 'rejected', pspCode: 'operation_not_supported' };
    return this.ask(paymentRequest(instruction), call, (body) =>
      paymentAnswer(record(body['payments']), entityKey),
    );
  }

  async lookup(instruction: Instruction, call: CallContext): Promise<Answer> {
    const { operation, pspReference, parentReference } = instruction;
    if (operation === 'charge') {
      const answer =
        pspReference === undefined
          ? await this.find(instruction, call)
          : await this.read('payments', pspReference, call, (payment) =>
              paymentAnswer(payment, instruction.entityKey),
            );
      return this.withCause(answer, call);
    }
    if (parentReference === undefined) return { outcome: 'unknown', pspCode: 'parent_reference_missing' };
    return pspReference === undefined
      ? this.findRefund(parentReference, instruction, call)
      : this.read('refunds', pspReference, call, (refund) => refundAnswer(refund, instruction.entityKey));
  }

  /** Cancels it until it was submitted; after that the answer is how it stands. */
  async cancel(instruction: Instruction, call: CallContext): Promise<Answer> {
    const { pspReference = '', entityKey } = instruction;
    const answer = await this.ask(cancelRequest(pspReference), call, (body) =>
      paymentAnswer(record(body['payments']), entityKey),
    );
    return answer.outcome === 'rejected' ? this.lookup(instruction, call) : answer;
  }

  /** Asks for payments, as lookups do. @throws what is refused */
  async check(call: CallContext): Promise<string> {
    const { httpStatus, text: said } = await this.api.send(
      listRequest({ created: undefined, after: undefined }),
      call,
    );
    if (httpStatus !== 200) throw new Error(`GoCardless answered ${httpStatus}: ${said}`);
    return 'GoCardless takes the token, and lists payments.';
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

  /** GoCardless takes a refund only with the sum of all refunds, which is asked for first. */
  private async refund(instruction: Instruction, call: CallContext): Promise<Answer> {
    const { parentReference = '', entityKey } = instruction;
    let refunded: unknown;
    const before = await this.ask(readRequest('payments', parentReference), call, (body) => {
      refunded = record(body['payments'])['amount_refunded'] ?? 0;
      return { outcome: 'succeeded' };
    });
    if (before.outcome !== 'succeeded') return notAskedYet(before);
    if (typeof refunded !== 'number') return { ...before, outcome: 'rejected' };
    return this.ask(refundRequest(instruction, refunded), call, (body) =>
      refundAnswer(record(body['refunds']), entityKey),
    );
  }

  private async read(
    kind: 'payments' | 'refunds',
    id: string,
    call: CallContext,
    judge: (object: Json) => Answer,
  ): Promise<Answer> {
    return answerToQuestion(await this.ask(readRequest(kind, id), call, (body) => judge(record(body[kind]))));
  }

  private async withCause(answer: Answer, call: CallContext): Promise<Answer> {
    const { outcome, pspReference } = answer;
    if (outcome !== 'declined' || pspReference === undefined) return answer;
    const { httpStatus, text: said } = await this.api.send(eventsRequest(pspReference), call);
    const cause = httpStatus === 200 ? causeIn(bodyOf(said)) : undefined;
    const known = paymentAnswer({ id: pspReference, status: 'failed' }, '', cause);
    return { ...answer, decline: known.decline!, pspCode: known.pspCode! };
  }

  private find(instruction: Instruction, call: CallContext): Promise<Answer> {
    const { token, entityKey } = instruction;
    // A token that is not kept any more is not needed to find it.
    const of = token === undefined ? {} : { mandate: token };
    return verdictByList<Json>(
      {
        list: (page) => this.page(listRequest(page, of), 'payments', call),
        ...this.ours(instruction),
        judge: (payment) => ({ httpStatus: 200, ...paymentAnswer(payment, entityKey) }),
        times: timesOf(instruction, SETTLES_AFTER_MS),
      },
      call,
    );
  }

  private findRefund(payment: string, instruction: Instruction, call: CallContext): Promise<Answer> {
    return verdictByList<Json>(
      {
        list: ({ after }) => this.page(refundsRequest(payment, after), 'refunds', call),
        ...this.ours(instruction),
        judge: (refund) => ({ httpStatus: 200, ...refundAnswer(refund, instruction.entityKey) }),
        times: undefined,
      },
      call,
    );
  }

  private ours(instruction: Instruction) {
    return {
      idOf: ({ id }: Json) => text(id) ?? '',
      isOurs: (object: Json) => isOfRoute(object, instruction),
      clock: this.options.clock,
    };
  }

  private async page(request: ApiRequest, name: string, call: CallContext): Promise<ListPage<Json> | Answer> {
    const response = await this.api.send(request, call);
    const body = bodyOf(response.text);
    const listed = body?.[name];
    const cursors = record(record(body?.['meta'])['cursors']);
    if (response.httpStatus !== 200 || !Array.isArray(listed) || !('after' in cursors)) {
      return answerToQuestion(
        answerOf(response, () => ({ outcome: 'unknown', pspCode: 'unreadable_answer' })),
      );
    }
    return { data: records(listed), next: text(cursors['after']) ?? null, date: response.header('date') };
  }
}
