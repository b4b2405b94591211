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
import { type ListPage, type PageRequest, timesOf, verdictByList } from '../listing.js';
import { answerToQuestion } from '../question.js';
import { Wire } from '../wire.js';
import {
  answerOf,
  cancelRequest,
  executeRequest,
  isOfPayment,
  isOfRoute,
  listRequest,
  partAnswer,
  partsRequest,
  paymentAnswer,
  readRequest,
  releaseRequest,
} from './mollie.mapping.js';

const HOUR_MS = 3_600_000;

/** How long a request without an answer may take to arrive is not documented. */
const SETTLES_AFTER_MS = 10 * 60_000;

/** Mollie, Payments API. https://docs.mollie.com/reference */
const mollieCapabilities: Capabilities = {
  operations: ['charge', 'authorize', 'capture', 'void', 'refund'],
  // Those of the profile's methods; others are refused before anything runs.
  currencies: null,
  methods: {
    // A mandate belongs to a customer, of whom only Mollie's id is taken.
    card: { customer: { minLength: 1, isPspsOwn: true, ofTokens: /^mdt_/ } },
    ideal: { withoutToken: true },
    bancontact: { withoutToken: true },
    paypal: { withoutToken: true },
    apple_pay: {},
    sepa: { customer: { minLength: 1, isPspsOwn: true }, answersWithinMs: 14 * 24 * HOUR_MS },
  },
  // "If another request is made with the exact same Idempotency-Key value within one hour, the Mollie API returns a cached
  // version of the initial response." Whether a server error is kept is not said, so that doubt is looked up.
  // https://docs.mollie.com/reference/api-idempotency
  idempotency: { windowMs: HOUR_MS, replays: 'success' },
  // "If an API request fails, you can actively inspect the API (using its 'list' endpoints) to see if the request got
  // executed." The same page.
  lookup: { by: 'reference', consistency: 'strong', settlesAfterMs: SETTLES_AFTER_MS },
  cancel: 'id',
  captures: 'several',
};

interface MollieOptions {
  readonly apiKey: string;
  /** The address that Mollie tells of each payment. */
  readonly notificationUrl?: string | undefined;
  readonly baseUrl?: string;
  readonly timeoutMs: number;
  readonly clock: Clock;
}

/** One address: the key says whether it is real money. */
export const PUBLIC_URL = 'https://api.mollie.com';

export class MolliePsp implements PspAdapter {
  readonly capabilities = mollieCapabilities;
  private readonly wire: Wire;
  private readonly api: JsonApi;

  constructor(private readonly options: MollieOptions) {
    const { apiKey, baseUrl = PUBLIC_URL, timeoutMs } = options;
    this.wire = new Wire(timeoutMs);
    this.api = new JsonApi(this.wire, baseUrl, { Authorization: `Bearer ${apiKey}` });
  }

  async execute(instruction: Instruction, call: CallContext): Promise<Answer> {
    const { operation, entityKey } = instruction;
    const request = executeRequest(instruction, this.options.notificationUrl);
    if (request === null) return { outcome: 'rejected', pspCode: 'method_not_supported' };
    if (operation === 'void') return this.release(instruction.parentReference, request, call);
    return this.ask(request, call, (body) =>
      isOfPayment(operation) ? paymentAnswer(body, instruction) : partAnswer(body, entityKey),
    );
  }

  async lookup(instruction: Instruction, call: CallContext): Promise<Answer> {
    const { operation, pspReference, parentReference } = instruction;
    if (operation === 'charge' || operation === 'authorize') {
      return pspReference === undefined
        ? this.find(instruction, call)
        : this.read(pspReference, instruction, call);
    }
    if (parentReference === undefined) return { outcome: 'unknown', pspCode: 'parent_reference_missing' };
    return operation === 'void'
      ? this.read(parentReference, instruction, call)
      : this.findPart(parentReference, instruction, call);
  }

  /** Releases what is authorized, or cancels what is open and may be; then says how the payment stands. */
  async cancel(instruction: Instruction, call: CallContext): Promise<Answer> {
    const { pspReference = '', idempotencyKey } = instruction;
    let isCancelable = false;
    const before = await this.read(pspReference, instruction, call, (payment) => {
      isCancelable = payment['isCancelable'] === true;
    });
    if (before.pspCode === 'authorized') {
      const key = `${idempotencyKey.slice(0, 57)}-cancel`;
      const asked = await this.release(pspReference, releaseRequest(pspReference, key), call);
      return asked.outcome === 'succeeded' ? this.lookup(instruction, call) : asked;
    }
    if (!isCancelable) return before;
    return this.ask(cancelRequest(pspReference), call, (body) => paymentAnswer(body, instruction));
  }

  /** Asks for payments, as lookups do. @throws what is refused */
  async check(call: CallContext): Promise<string> {
    const { httpStatus, text: said } = await this.api.send(listRequest(), call);
    if (httpStatus !== 200) throw new Error(`Mollie answered ${httpStatus}: ${said}`);
    return 'Mollie takes the key, and lists payments.';
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

  /**
   * 202 is accepted; "it is not guaranteed that it will succeed", which an event tells. Its body is empty, and the event
   * names the payment alone: so does the answer.
   */
  private async release(
    pspReference: string | undefined,
    request: ApiRequest,
    call: CallContext,
  ): Promise<Answer> {
    const response = await this.api.send(request, call);
    if (response.httpStatus === 202)
      return { httpStatus: 202, outcome: 'succeeded', ...(pspReference ? { pspReference } : {}) };
    return answerOf(response, () => ({ outcome: 'unknown', pspCode: 'unreadable_answer' }));
  }

  private async read(
    payment: string,
    instruction: Instruction,
    call: CallContext,
    seen: (payment: Json) => void = () => {},
  ): Promise<Answer> {
    const answer = await this.ask(readRequest(payment), call, (body) => {
      seen(body);
      return paymentAnswer(body, instruction);
    });
    return answerToQuestion(answer);
  }

  private find(instruction: Instruction, call: CallContext): Promise<Answer> {
    return verdictByList<Json>(
      {
        list: (page) => this.page(listRequest(page.after), 'payments', page, call),
        ...this.ours(instruction),
        judge: (payment) => ({ httpStatus: 200, ...paymentAnswer(payment, instruction) }),
        times: timesOf(instruction, SETTLES_AFTER_MS),
      },
      call,
    );
  }

  private async findPart(payment: string, instruction: Instruction, call: CallContext): Promise<Answer> {
    const operation = instruction.operation === 'capture' ? 'capture' : 'refund';
    return verdictByList<Json>(
      {
        list: (page) => this.page(partsRequest(payment, operation, page.after), `${operation}s`, page, call),
        ...this.ours(instruction),
        judge: (part) => ({ httpStatus: 200, ...partAnswer(part, instruction.entityKey) }),
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

  /** Newest first, and by no time: what is older than the time in question ends the list. */
  private async page(
    request: ApiRequest,
    name: string,
    { created }: PageRequest,
    call: CallContext,
  ): Promise<ListPage<Json> | Answer> {
    const response = await this.api.send(request, call);
    const body = bodyOf(response.text);
    const listed = record(body?.['_embedded'])[name];
    const links = record(body?.['_links']);
    if (response.httpStatus !== 200 || !Array.isArray(listed) || !('next' in links)) {
      return answerToQuestion(
        answerOf(response, () => ({ outcome: 'unknown', pspCode: 'unreadable_answer' })),
      );
    }
    const data = records(listed);
    const oldest = Date.parse(text(data.at(-1)?.['createdAt']) ?? '');
    const isOver = created !== undefined && oldest < created.fromMs;
    return {
      data,
      next: isOver ? null : fromIn(record(links['next'])['href']),
      date: response.header('date'),
    };
  }
}

/** The id at which the next page begins. */
function fromIn(href: unknown): string | null {
  const url = text(href);
  return url !== undefined && URL.canParse(url) ? new URL(url).searchParams.get('from') : null;
}
