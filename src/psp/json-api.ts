import { type AxiosInstance, type AxiosResponse, create } from 'axios';
import { type CallContext } from './contract.js';
import { heldBackTransport, MAX_ANSWER_BYTES, type Wire } from './wire.js';

export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Below the base URL. */
  readonly path: string;
  /** Final: every resend of a route is the same bytes. */
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A response of the PSP, not checked yet. */
export interface ApiResponse {
  readonly httpStatus: number;
  readonly text: string;
  /** A header of the answer, by its name in lower case. */
  readonly header: (name: string) => string | undefined;
}

/** A PSP's API of JSON over HTTP: one call is one request, to the address that was configured. */
export class JsonApi {
  private readonly http: AxiosInstance;
  private readonly isSecure: boolean;

  constructor(wire: Wire, baseUrl: string, headers: Readonly<Record<string, string>>) {
    this.isSecure = baseUrl.startsWith('https:');
    this.http = create({
      baseURL: baseUrl.replace(/(?<!\/)\/+$/, ''),
      httpAgent: wire.http,
      httpsAgent: wire.https,
      headers: {
        ...headers,
        'Content-Type': 'application/json',
        Accept: 'application/json',
        'Accept-Encoding': 'identity',
      },
      maxRedirects: 0,
      proxy: false,
      maxContentLength: MAX_ANSWER_BYTES,
      validateStatus: () => true,
      responseType: 'text',
      transformRequest: [(body: string) => body],
      transformResponse: [(body: string) => body],
    });
  }

  /** @throws what happens below HTTP */
  async send({ method, path, body, headers = {} }: ApiRequest, call: CallContext): Promise<ApiResponse> {
    const response: AxiosResponse<string> = await this.http.request({
      method,
      url: path,
      ...(body === undefined ? {} : { data: body }),
      headers,
      // The one deadline: a timer of axios's own would end at the same moment, under another code.
      signal: call.signal,
      transport: heldBackTransport(this.isSecure, call.leaseStillValid),
    });
    return {
      httpStatus: response.status,
      text: response.data,
      header: (name) => {
        const value: unknown = response.headers[name];
        return typeof value === 'string' ? value : undefined;
      },
    };
  }
}
