import {
  type Answer,
  type CallContext,
  type Capabilities,
  type Instruction,
  type PspAdapter,
} from '../contract.js';
import { JsonApi } from '../json-api.js';
import { answerToQuestion } from '../question.js';
import { Wire } from '../wire.js';
import {
  answerOf,
  answerOfActions,
  answerOfExecute,
  answerOfList,
  executeRequest,
  isOwnName,
  lookupRequest,
  paymentOf,
  voidRequest,
} from './checkout.mapping.js';

/** Checkout.com, payments of its unified API. https://api-reference.checkout.com */
const checkoutCapabilities: Capabilities = {
  operations: ['charge', 'authorize', 'capture', 'void', 'refund'],
  // Depends on the processing channel; others are refused before anything runs.
  currencies: null,
  methods: { card: {} },
  // "By default, keys expire after 24 hours", and "if the original request returns a 4xx or 5xx response code, no
  // idempotent result is saved and the payment is reattempted".
  // https://checkout.com/docs/payments/manage-payments/retry-a-payment
  idempotency: { windowMs: 24 * 3_600_000, replays: 'success' },
  // GET /payments?reference=: how late a payment may show there is not documented, so that it counts as missing only after
  // ten minutes. https://checkout.com/docs/payments/manage-payments/get-a-list-of-payments
  lookup: { by: 'reference', consistency: 'strong', settlesAfterMs: 10 * 60_000 },
  cancel: 'id',
  isOwnName,
  // "capture_type: NonFinal": https://www.checkout.com/docs/payments/manage-payments/capture-a-payment
  captures: 'several',
};

interface CheckoutOptions {
  readonly secretKey: string;
  /** Payments are processed by it where the key belongs to several. */
  readonly processingChannel?: string | undefined;
  readonly baseUrl?: string;
  readonly timeoutMs: number;
}

/** The address unless the configuration names another; live accounts have a prefix of their own. */
export const PUBLIC_URL = 'https://api.sandbox.checkout.com';

export class CheckoutPsp implements PspAdapter {
  readonly capabilities = checkoutCapabilities;
  private readonly wire: Wire;
  private readonly api: JsonApi;
  private readonly channel: string | undefined;

  constructor({ secretKey, processingChannel, baseUrl = PUBLIC_URL, timeoutMs }: CheckoutOptions) {
    this.wire = new Wire(timeoutMs);
    this.channel = processingChannel;
    this.api = new JsonApi(this.wire, baseUrl, { Authorization: `Bearer ${secretKey}` });
  }

  async execute(instruction: Instruction, call: CallContext): Promise<Answer> {
    const request = executeRequest(instruction, this.channel);
    if (!request) {
      const message = 'This PSP cannot represent this amount exactly in this currency';
      return { outcome: 'rejected', pspCode: 'amount_not_expressible', message };
    }
    return answerOfExecute(await this.api.send(request, call), instruction);
  }

  async lookup(instruction: Instruction, call: CallContext): Promise<Answer> {
    const request = lookupRequest(instruction);
    if (!request) return { outcome: 'unknown', pspCode: 'parent_reference_missing' };
    const response = await this.api.send(request, call);
    const { operation, pspReference } = instruction;
    if (operation !== 'charge' && operation !== 'authorize') return answerOfActions(response, instruction);
    const answer =
      pspReference === undefined
        ? answerOfList(response, instruction)
        : answerOf(response, (body) => paymentOf(body, instruction));
    return answerToQuestion(answer);
  }

  /** Voids what is not captured yet, and says how the payment stands then. */
  async cancel(instruction: Instruction, call: CallContext): Promise<Answer> {
    const asked = answerOf(await this.api.send(voidRequest(instruction), call), () => ({
      outcome: 'pending',
    }));
    if (asked.outcome !== 'pending' && asked.outcome !== 'rejected') return asked;
    const now = await this.lookup(instruction, call);
    // Accepted, and not done yet.
    return asked.outcome === 'pending' && now.outcome === 'succeeded' ? { ...now, outcome: 'pending' } : now;
  }

  /** Asks for payments under a name that nobody gives, which takes the role that lookups take. @throws what is refused */
  async check(call: CallContext): Promise<string> {
    const { httpStatus, text } = await this.api.send(
      { method: 'GET', path: '/payments?limit=1&reference=payonce-connection-test' },
      call,
    );
    if (httpStatus !== 200) throw new Error(`Checkout.com answered ${httpStatus}: ${text}`);
    return 'Checkout.com takes the key, and shows payments by their reference.';
  }

  async close(): Promise<void> {
    this.wire.close();
  }
}
