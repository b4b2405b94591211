import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo } from 'node:net';
import { SystemClock } from '../core/clock.js';
import { type ReportSettings } from './adapter-entry.js';
import { mollieReports } from './mollie/mollie.reports.js';
import { paypalReports } from './paypal/paypal.reports.js';
import { squareReports } from './square/square.reports.js';

/** How lists of PSPs are read to their end, from a server that answers as they do. */
type Answer = readonly [status: number, body: object, headers?: Readonly<Record<string, string>>];
let answer: (url: URL, request: IncomingMessage) => Answer;
const asked: string[] = [];
const server = createServer((request, response) => {
  const url = new URL(request.url ?? '', 'http://psp');
  asked.push(`${url.pathname}${url.search}`);
  const [status, body, headers = {}] = answer(url, request);
  response.writeHead(status, headers).end(JSON.stringify(body));
});
let settings: ReportSettings;

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  settings = { name: 'psp', baseUrl, timeoutMs: 5_000, credentials: {}, clock: new SystemClock() };
});
beforeEach(() => {
  asked.length = 0;
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

const period = { from: new Date('2026-11-20T00:00:00Z'), to: new Date('2026-11-21T00:00:00Z') };
async function linesOf(source: ReturnType<typeof squareReports>): Promise<Record<string, unknown>[]> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of source.period!(period, new AbortController().signal)) chunks.push(chunk);
  const [, ...lines] = Buffer.concat(chunks).toString().trim().split('\n');
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}

it('asks a busy PSP again, and reads each list to its end', async () => {
  let busy = 2;
  answer = ({ pathname, searchParams }) => {
    if (busy-- > 0) return [busy === 1 ? 429 : 503, {}, { 'retry-after': '0' }];
    if (pathname === '/v2/payouts')
      return [200, { payouts: [{ id: 'po_1' }, { id: 'po_2', status: 'FAILED' }] }];
    return searchParams.has('cursor')
      ? [200, { payout_entries: [{ id: 'poe_2' }] }]
      : [200, { payout_entries: [{ id: 'poe_1' }], cursor: 'more' }];
  };
  expect((await linesOf(squareReports(settings))).map(({ id }) => id)).toEqual(['po_1', 'poe_1', 'poe_2']);
  expect(asked.filter((path) => path.startsWith('/v2/payouts?'))).toHaveLength(3);
});

it('says who refused it, and gives up on a PSP that stays busy and on a list that repeats', async () => {
  answer = () => [403, { errors: [] }];
  await expect(linesOf(squareReports(settings))).rejects.toThrow('Square answered 403');
  expect(asked).toHaveLength(1);
  answer = () => [503, {}, { 'retry-after': '0' }];
  await expect(linesOf(squareReports(settings))).rejects.toThrow('Square answered 503');
  expect(asked).toHaveLength(6);
  answer = () => [200, { payouts: [], cursor: 'same' }];
  await expect(linesOf(squareReports(settings))).rejects.toThrow('the list repeats at same');
});

it('reads a list that is newest first until it is older than the time, and takes no more than that time', async () => {
  const transactions = ['2026-11-21T00:00:00Z', '2026-11-20T12:00:00Z', '2026-11-19T22:59:59Z'];
  answer = ({ searchParams }, { headers }) => {
    expect(headers.authorization).toBe('Bearer access_1');
    const place = Number(searchParams.get('from') ?? 0);
    return [
      200,
      {
        _embedded: { balance_transactions: [{ id: place, createdAt: transactions[place] }] },
        _links: { next: { href: `https://api.mollie.com/v2/balances/primary?from=${place + 1}` } },
      },
    ];
  };
  expect(await linesOf(mollieReports(settings, 'access_1'))).toMatchObject([{ id: 1 }]);
  expect(asked).toHaveLength(3);
});

it('halves a time that has more transactions than PayPal lists, and misses none', async () => {
  const times = Array.from(
    { length: 96 },
    (_, hour) => Date.parse('2026-11-17T00:30:00Z') + hour * 3_600_000,
  );
  answer = ({ pathname, searchParams }, { headers }) => {
    if (pathname === '/v1/oauth2/token') return [200, { access_token: 'token' }];
    expect(headers.authorization).toBe('Bearer token');
    const [from, to] = ['start_date', 'end_date'].map((name) => Date.parse(searchParams.get(name)!));
    const found = times.filter((time) => time >= from! && time <= to!);
    if (found.length > 30) return [400, { name: 'RESULTSET_TOO_LARGE' }];
    const page = Number(searchParams.get('page'));
    const details = found.slice((page - 1) * 10, page * 10);
    return [
      200,
      { transaction_details: details.map((at) => ({ at })), total_pages: Math.ceil(found.length / 10) },
    ];
  };
  const found = await linesOf(paypalReports(settings));
  expect(found.map(({ at }) => at)).toEqual(times);
});
