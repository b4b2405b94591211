import { type ReportSettings } from './adapter-entry.js';
import { CallDeadline } from './call-deadline.js';
import { type ApiRequest, JsonApi } from './json-api.js';
import { bodyOf, type Json, waitOf } from './json-body.js';
import { Wire } from './wire.js';

/** Requests that only read may be repeated. */
const TRIES = 5;
const FIRST_WAIT_MS = 1_000;
const MAX_WAIT_MS = 60_000;

interface ReportApiSettings {
  /** The name for people. */
  readonly psp: string;
  readonly publicUrl: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A PSP's API, read for its reports: a busy or failing PSP is asked again a few times. */
export class ReportApi {
  private readonly wire: Wire;
  private readonly api: JsonApi;

  constructor(
    private readonly settings: ReportSettings,
    private readonly of: ReportApiSettings,
  ) {
    const { timeoutMs, baseUrl = of.publicUrl } = settings;
    this.wire = new Wire(timeoutMs);
    this.api = new JsonApi(this.wire, baseUrl, of.headers ?? {});
  }

  get(path: string, headers: Readonly<Record<string, string>> = {}): Promise<Json> {
    return this.ask({ method: 'GET', path, headers });
  }

  /** @throws ReportApiError for what is refused, and in the end for what fails */
  async ask(request: ApiRequest): Promise<Json> {
    for (let tried = 1; ; tried++) {
      const { httpStatus, text: said, header } = await this.send(request);
      const body = bodyOf(said);
      if ((httpStatus === 200 || httpStatus === 201) && body !== null) return body;
      const isPassing = httpStatus === 429 || httpStatus >= 500;
      if (!isPassing || tried === TRIES) throw new ReportApiError(this.of.psp, httpStatus, body);
      const { retryAfterMs = FIRST_WAIT_MS * 2 ** tried } = waitOf(header('retry-after'));
      const waitMs = Math.min(retryAfterMs, MAX_WAIT_MS);
      await new Promise<void>((resolve) => this.settings.clock.timer(waitMs, resolve));
    }
  }

  close(): void {
    this.wire.close();
  }

  private async send(request: ApiRequest) {
    const { clock, timeoutMs } = this.settings;
    const call = new CallDeadline(timeoutMs, () => true);
    const late = new Error(`${this.of.psp} did not answer within ${timeoutMs} ms`);
    const stop = clock.timer(timeoutMs, () => call.giveUp(late));
    try {
      return await this.api.send(request, call);
    } finally {
      stop();
    }
  }
}

export class ReportApiError extends Error {
  override readonly name = 'ReportApiError';

  constructor(
    psp: string,
    readonly httpStatus: number,
    readonly body: Json | null,
  ) {
    super(`${psp} answered ${httpStatus} when it was asked for its report`);
  }
}
