import { type AdyenBooks } from './adyen-books.js';
import { failure } from './adyen-parameters.js';
import { type Ledger } from './ledger.js';
import { type ReportRequest } from './report-request.js';
import { adyenReport, reportedBy } from './settlement-report.js';
import { type Reply, type Routed } from './wire.js';

const FOLDER = '/reports/download/MerchantAccount/';
const MAX_REPORTS = 1_000;

/** Adyen's settlement detail reports: written from the ledger, announced, and downloaded by their URL. */
export class AdyenReports {
  private readonly written = new Map<string, string>();

  constructor(
    private readonly books: AdyenBooks,
    private readonly ledger: Ledger,
    private readonly pages: () => string,
  ) {}

  publish(request: ReportRequest): string {
    const name = `settlement_detail_report_batch_${this.written.size + 1}.csv`;
    const [oldest] = this.written.keys();
    if (this.written.size >= MAX_REPORTS && oldest !== undefined) this.written.delete(oldest);
    this.written.set(name, adyenReport(reportedBy(this.ledger), request));
    const merchantAccount = this.books.merchantAccount;
    this.books.announce({
      eventCode: 'REPORT_AVAILABLE',
      success: true,
      pspReference: name,
      merchantReference: '',
      merchantAccount,
      amount: { value: 0, currency: 'EUR' },
      reason: `${this.pages()}${FOLDER}${merchantAccount}/${name}`,
    });
    return name;
  }

  download(path: string): Routed | Reply {
    const name = path.startsWith(FOLDER) ? path.split('/').at(-1)! : '';
    return {
      kind: 'lookup',
      references: [],
      key: null,
      run: () => {
        const body = this.written.get(name);
        if (body === undefined) return failure(404, '000', 'Not Found', 'validation');
        return { status: 200, body, headers: { 'content-type': 'text/csv' } };
      },
    };
  }

  reset(): void {
    this.written.clear();
  }
}
