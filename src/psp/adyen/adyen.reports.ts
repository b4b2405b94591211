import { type AdyenItem } from './adyen.webhook-items.js';
import { type AnnouncedReport, ReportNotFetched, type ReportSource } from '../psp-reports.js';
import { type ReportFormat } from '../report-format.js';

const MAX_URL_LENGTH = 2_048;
/** Five million lines are about a gigabyte. */
const MAX_REPORT_BYTES = 4 * 2 ** 30;

type ReportSignIn = { readonly apiKey: string } | { readonly user: string; readonly password: string };

/** The settlement detail report that an item says is ready; null for all other items. */
export function reportOf({
  eventCode,
  success,
  pspReference: name,
  reason,
}: AdyenItem): AnnouncedReport | null {
  const isReady = eventCode === 'REPORT_AVAILABLE' && String(success) === 'true';
  if (!isReady || !name.startsWith('settlement_detail_report')) return null;
  return typeof reason === 'string' && reason.length <= MAX_URL_LENGTH ? { name, url: reason } : null;
}

/**
 * Adyen's reports, by the URL of the notification that a report is ready (REPORT_AVAILABLE).
 * https://docs.adyen.com/reporting/automatically-get-reports (read 2026-11)
 * The URL is not covered by the notification's signature, so it must lead to the configured place, and end with the
 * name of the report, which is signed.
 */
export class AdyenReports implements ReportSource {
  private readonly headers: Readonly<Record<string, string>>;

  constructor(
    private readonly baseUrl: string,
    signIn: ReportSignIn,
    readonly format: ReportFormat,
    private readonly maxBytes: number = MAX_REPORT_BYTES,
  ) {
    this.headers =
      'apiKey' in signIn
        ? { 'x-api-key': signIn.apiKey }
        : {
            authorization: `Basic ${Buffer.from(`${signIn.user}:${signIn.password}`).toString('base64')}`,
          };
  }

  async *announced(report: AnnouncedReport, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    const url = this.placeOf(report);
    // A redirect would carry the key to another host.
    const response = await fetch(url, { headers: this.headers, redirect: 'error', signal });
    if (response.status !== 200 || response.body === null) {
      await response.body?.cancel();
      const message = `the PSP answers ${response.status} to the report`;
      // A key may be mended and a server may come back: those are tried again.
      throw response.status === 404 || response.status === 410
        ? new ReportNotFetched(message)
        : new Error(message);
    }
    let bytes = 0;
    for await (const chunk of response.body as AsyncIterable<Uint8Array>) {
      bytes += chunk.length;
      if (bytes > this.maxBytes) {
        throw new ReportNotFetched(`the report is larger than ${this.maxBytes} bytes`);
      }
      yield chunk;
    }
  }

  private placeOf({ name, url }: AnnouncedReport): URL {
    const base = new URL(this.baseUrl);
    const path = base.pathname.endsWith('/') ? base.pathname : `${base.pathname}/`;
    const place = URL.canParse(url) ? new URL(url) : null;
    const isOurs =
      place !== null &&
      place.origin === base.origin &&
      place.username === '' &&
      place.password === '' &&
      place.pathname.startsWith(path) &&
      place.pathname.endsWith(`/${name}`);
    if (!isOurs) throw new ReportNotFetched('the report is announced at another place than reportsBaseUrl');
    return place;
  }
}
