import { type AxiosInstance, type AxiosResponse, create } from 'axios';
import {
  type Answer,
  type CallContext,
  type Capabilities,
  type Instruction,
  type PspAdapter,
} from '../contract.js';
import { LARGEST_ANSWER_BYTES, Wire } from '../wire.js';
import {
  type AdyenRequest,
  type AdyenResponse,
  answerOfCancel,
  answerOfExecute,
  cancelRequest,
  executeRequest,
} from './adyen.mapping.js';

/**
 * Adyen, Checkout API v71, through axios. https://docs.adyen.com/api-explorer/Checkout/71/overview
 * Adyen's own library has no way to set a base URL, and one policy about timeouts and doubt is
 * easier to hold over plain requests.
 */
export const adyenCapabilities: Capabilities = {
  operations: ['charge', 'authorize', 'capture', 'void'],
  // Depends on the merchant account; what it has not is refused by Adyen before anything runs.
  currencies: null,
  // Documented as at least 31 days, reported as 7: the shorter is safe. Keys belong to the company
  // account and are not shared between regional endpoints, so baseUrl must not change under a route.
  // https://docs.adyen.com/development-resources/api-idempotency
  idempotency: { windowMs: 7 * 24 * 3_600_000, replays: 'all' },
  // There is no call that reads a payment: an open route is driven on by the same key, by a cancel
  // and by webhooks.
  lookup: null,
  // POST /cancels takes our reference: https://docs.adyen.com/online-payments/cancel
  cancel: 'reference',
  // https://docs.adyen.com/online-payments/capture#multiple-partial-captures
  captures: 'several',
};

export interface AdyenOptions {
  readonly apiKey: string;
  readonly merchantAccount: string;
  /** With the version: `https://<prefix>-checkout-live.adyenpayments.com/checkout/v71`. */
  readonly baseUrl?: string;
  readonly timeoutMs: number;
}

export class AdyenPsp implements PspAdapter {
  readonly capabilities = adyenCapabilities;
  private readonly wire: Wire;
  private readonly http: AxiosInstance;
  private readonly merchantAccount: string;

  constructor(options: AdyenOptions) {
    this.wire = new Wire(options.timeoutMs);
    this.merchantAccount = options.merchantAccount;
    this.http = create({
      baseURL: (options.baseUrl ?? 'https://checkout-test.adyen.com/v71').replace(/\/+$/, ''),
      httpAgent: this.wire.http,
      httpsAgent: this.wire.https,
      headers: {
        'X-API-Key': options.apiKey,
        'Content-Type': 'application/json',
        Accept: 'application/json',
        'Accept-Encoding': 'identity',
      },
      // One call is one request, to the address that was configured, and its answer is ours to read.
      maxRedirects: 0,
      proxy: false,
      maxContentLength: LARGEST_ANSWER_BYTES,
      validateStatus: () => true,
      responseType: 'text',
      transformRequest: [(body: string) => body],
      transformResponse: [(body: string) => body],
    });
  }

  async execute(instruction: Instruction, call: CallContext): Promise<Answer> {
    const request = executeRequest(instruction, this.merchantAccount);
    if (!request) {
      return {
        outcome: 'rejected',
        pspCode: 'amount_not_expressible',
        message: 'This amount cannot be told to this PSP exactly in this currency',
      };
    }
    return answerOfExecute(await this.post(request, call), instruction);
  }

  async lookup(): Promise<Answer> {
    return { outcome: 'unknown', pspCode: 'lookup_not_supported' };
  }

  async cancel(instruction: Instruction, call: CallContext): Promise<Answer> {
    const { operation } = instruction;
    // By reference only a payment can be cancelled, not a modification of one.
    if (operation === 'capture' || operation === 'void') {
      return { outcome: 'unknown', pspCode: 'nothing_to_cancel' };
    }
    const request = cancelRequest(instruction, this.merchantAccount);
    return answerOfCancel(await this.post(request, call), instruction);
  }

  async close(): Promise<void> {
    this.wire.close();
  }

  private async post(request: AdyenRequest, call: CallContext): Promise<AdyenResponse> {
    const { path, body, idempotencyKey } = request;
    const { signal, timeoutMs } = call;
    const headers = { 'Idempotency-Key': idempotencyKey };
    const response: AxiosResponse<string> = await this.http.post(path, body, {
      signal,
      timeout: timeoutMs,
      headers,
    });
    return {
      httpStatus: response.status,
      text: response.data,
      retryAfter: header(response, 'retry-after'),
      transient: header(response, 'transient-error') === 'true',
    };
  }
}

function header(response: AxiosResponse, name: string): string | undefined {
  const value: unknown = response.headers[name];
  return typeof value === 'string' ? value : undefined;
}
