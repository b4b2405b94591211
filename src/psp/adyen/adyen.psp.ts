import {
  type Answer,
  type CallContext,
  type Capabilities,
  type Instruction,
  type PspAdapter,
} from '../contract.js';
import { JsonApi } from '../json-api.js';
import { Wire } from '../wire.js';
import {
  type AdyenRequest,
  type AdyenResponse,
  answerOfCancel,
  answerOfExecute,
  answerOfCompletion,
  cancelRequest,
  completionRequest,
  executeRequest,
  isOwnName,
} from './adyen.mapping.js';
import { answerOfTransfer, transferRequest } from './adyen.transfers.js';

/** A direct debit is collected within days; its result is told by a notification. */
const DEBIT_ANSWERS_WITHIN_MS = 21 * 24 * 3_600_000;

/**
 * Adyen, Checkout API v71 and for payouts Transfers API v4, through axios.
 * https://docs.adyen.com/api-explorer/Checkout/71/overview
 * Adyen's own library has no way to set a base URL, and one policy about timeouts and doubt is
 * easier to hold over plain requests.
 */
export const adyenCapabilities: Capabilities = {
  operations: ['charge', 'authorize', 'capture', 'void', 'refund', 'payout'],
  // Depends on the merchant account; Adyen refuses the other currencies before anything runs.
  currencies: null,
  methods: {
    // "shopperReference: Required for recurring payments. […] Minimum length: 3 characters"; these tokens are stored.
    // https://docs.adyen.com/api-explorer/Checkout/71/post/payments#request-shopperReference
    card: { customer: { minLength: 3 } },
    sepa: { customer: { minLength: 3 }, answersWithinMs: DEBIT_ANSWERS_WITHIN_MS },
    apple_pay: {},
    google_pay: {},
    ideal: { withoutToken: true },
    bancontact: { withoutToken: true },
  },
  // Documented as at least 31 days, reported as 7: the shorter is safe. Keys belong to the company
  // account and are not shared between regional endpoints, so baseUrl must not change under a route.
  // https://docs.adyen.com/development-resources/api-idempotency
  idempotency: { windowMs: 7 * 24 * 3_600_000, replays: 'all' },
  // There is no call that reads a payment: an open route is driven on by the same key, by a cancel
  // and by webhooks.
  lookup: null,
  // POST /cancels takes our reference: https://docs.adyen.com/online-payments/cancel
  cancel: 'reference',
  cancelIsOrder: true,
  isOwnName,
  // POST /payments/details takes an Idempotency-Key like every POST, and under it the first answer is given
  // again; without one a repeat is refused with 704.
  // https://docs.adyen.com/api-explorer/Checkout/71/post/payments/details
  completion: { repeatable: true },
  // https://docs.adyen.com/online-payments/capture#multiple-partial-captures
  captures: 'several',
};

const withoutPayouts: Capabilities = {
  ...adyenCapabilities,
  operations: adyenCapabilities.operations.filter((operation) => operation !== 'payout'),
};

export interface AdyenOptions {
  readonly apiKey: string;
  readonly merchantAccount: string;
  /** With the version: `https://<prefix>-checkout-live.adyenpayments.com/checkout/v71`. */
  readonly baseUrl?: string;
  readonly timeoutMs: number;
  /** Without it the account offers no payouts. */
  readonly payouts?: AdyenPayoutOptions;
}

export interface AdyenPayoutOptions {
  /** The balance account that payouts are taken from. */
  readonly balanceAccount: string;
  /** With the version: `https://balanceplatform-api-live.adyen.com/btl/v4`. */
  readonly baseUrl?: string;
  /** Transfers want the role "TransferService Webservice Initiate"; the account's own key if absent. */
  readonly apiKey?: string;
}

/** The address of transfers unless the configuration names another. */
export const PUBLIC_TRANSFERS_URL = 'https://balanceplatform-api-test.adyen.com/btl/v4';

export class AdyenPsp implements PspAdapter {
  readonly capabilities: Capabilities;
  private readonly wire: Wire;
  private readonly checkout: JsonApi;
  private readonly transfers: JsonApi;
  private readonly merchantAccount: string;
  private readonly balanceAccount: string | undefined;

  constructor({ apiKey, merchantAccount, baseUrl, timeoutMs, payouts }: AdyenOptions) {
    this.wire = new Wire(timeoutMs);
    this.merchantAccount = merchantAccount;
    this.balanceAccount = payouts?.balanceAccount;
    this.capabilities = payouts ? adyenCapabilities : withoutPayouts;
    this.checkout = this.client(baseUrl ?? 'https://checkout-test.adyen.com/v71', apiKey);
    this.transfers = this.client(payouts?.baseUrl ?? PUBLIC_TRANSFERS_URL, payouts?.apiKey ?? apiKey);
  }

  async execute(instruction: Instruction, call: CallContext): Promise<Answer> {
    if (instruction.operation === 'payout') return this.payOut(instruction, call);
    const request = executeRequest(instruction, this.merchantAccount);
    if (!request) return notExpressible();
    return answerOfExecute(await post(this.checkout, request, call), instruction);
  }

  /**
   * Asks which payment methods the merchant account has, which takes the role that payments take. @throws what Adyen refuses
   * https://docs.adyen.com/api-explorer/Checkout/71/post/paymentMethods
   */
  async check(call: CallContext): Promise<string> {
    const { merchantAccount } = this;
    const body = JSON.stringify({ merchantAccount });
    const { httpStatus, text } = await post(this.checkout, { path: '/paymentMethods', body }, call);
    if (httpStatus !== 200) throw new Error(`Adyen answered ${httpStatus}: ${text}`);
    return `Adyen takes the key for the merchant account ${merchantAccount}.`;
  }

  async cancel(instruction: Instruction, call: CallContext): Promise<Answer> {
    const request = cancelRequest(instruction, this.merchantAccount);
    return answerOfCancel(await post(this.checkout, request, call), instruction);
  }

  async complete(instruction: Instruction, call: CallContext): Promise<Answer> {
    return answerOfCompletion(await post(this.checkout, completionRequest(instruction), call));
  }

  async close(): Promise<void> {
    this.wire.close();
  }

  private async payOut(instruction: Instruction, call: CallContext): Promise<Answer> {
    if (this.balanceAccount === undefined) return { outcome: 'rejected', pspCode: 'no_balance_account' };
    const request = transferRequest(instruction, this.balanceAccount);
    return request
      ? answerOfTransfer(await post(this.transfers, request, call), instruction)
      : notExpressible();
  }

  private client(baseUrl: string, apiKey: string): JsonApi {
    return new JsonApi(this.wire, baseUrl, { 'X-API-Key': apiKey });
  }
}

/** A request without a key changes nothing. */
type Post = Omit<AdyenRequest, 'idempotencyKey'> & Partial<AdyenRequest>;

async function post(api: JsonApi, request: Post, call: CallContext): Promise<AdyenResponse> {
  const { path, body, idempotencyKey } = request;
  const headers: Record<string, string> =
    idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey };
  const { httpStatus, text, header } = await api.send({ method: 'POST', path, body, headers }, call);
  return {
    httpStatus,
    text,
    retryAfter: header('retry-after'),
    transient: header('transient-error') === 'true',
  };
}

function notExpressible(): Answer {
  return {
    outcome: 'rejected',
    pspCode: 'amount_not_expressible',
    message: 'This PSP cannot represent this amount exactly in this currency',
  };
}
