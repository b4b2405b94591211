import { createServer, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { ReportNotFetched } from '../psp-reports.js';
import { adyenReport } from './adyen-report.js';
import { AdyenReports, reportOf } from './adyen.reports.js';

const name = 'settlement_detail_report_batch_7.csv';
const asked: { readonly url: string; readonly key: unknown; readonly authorization: unknown }[] = [];
let server: Server;
let origin: string;

beforeAll(async () => {
  server = createServer((request, response) => {
    const { 'x-api-key': key, authorization } = request.headers;
    asked.push({ url: request.url!, key, authorization });
    if (request.url!.includes('moved')) response.writeHead(302, { location: `/reports/${name}` }).end();
    else if (request.url!.includes('gone')) response.writeHead(404).end();
    else response.end('a,b\n1,2\n');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => new Promise((resolve) => server.close(resolve)));
beforeEach(() => asked.splice(0));

async function read(url: string, maxBytes = 1_000): Promise<string> {
  const reports = new AdyenReports(`${origin}/reports`, { apiKey: 'of reports' }, adyenReport(), maxBytes);
  const chunks: Uint8Array[] = [];
  for await (const chunk of reports.announced({ name, url }, AbortSignal.timeout(5_000))) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

it('reads a report by its URL, with the key of reports', async () => {
  expect(await read(`${origin}/reports/download/${name}`)).toBe('a,b\n1,2\n');
  expect(asked).toEqual([{ url: `/reports/download/${name}`, key: 'of reports', authorization: undefined }]);
});

it('signs in by name where there is no key', async () => {
  const reports = new AdyenReports(
    `${origin}/reports`,
    { user: 'report@Company.X', password: 'p' },
    adyenReport(),
  );
  for await (const _ of reports.announced(
    { name, url: `${origin}/reports/${name}` },
    AbortSignal.timeout(5_000),
  ));
  expect(asked[0]!.authorization).toBe(`Basic ${Buffer.from('report@Company.X:p').toString('base64')}`);
});

it.each([
  'http://attacker.example/reports/{name}',
  '{origin}.attacker.example/reports/{name}',
  '{origin}/elsewhere/{name}',
  '{origin}/reports/../elsewhere/{name}',
  '{origin}/reports/another.csv',
  '{origin}/reportsx/{name}',
  'file:///etc/passwd/{name}',
  'no url',
])('sends its key nowhere else: %s', async (url) => {
  const place = url.replace('{origin}', origin).replace('{name}', name);
  await expect(read(place)).rejects.toThrow(ReportNotFetched);
  expect(asked).toEqual([]);
});

it('follows no redirect, takes no 404 and not more than it may', async () => {
  await expect(read(`${origin}/reports/moved/${name}`)).rejects.toThrow();
  expect(asked).toHaveLength(1);
  await expect(read(`${origin}/reports/gone/${name}`)).rejects.toThrow(ReportNotFetched);
  await expect(read(`${origin}/reports/${name}`, 4)).rejects.toThrow('larger than 4 bytes');
});

it('knows which items say that a report is ready', () => {
  const item = {
    eventCode: 'REPORT_AVAILABLE',
    success: 'true',
    pspReference: name,
    merchantAccountCode: 'A',
    reason: 'https://x/y',
  } as const;
  expect(reportOf(item)).toEqual({ name, url: 'https://x/y' });
  expect(reportOf({ ...item, success: 'false' })).toBeNull();
  expect(reportOf({ ...item, pspReference: 'payments_accounting_report_2026_11_22.csv' })).toBeNull();
  expect(reportOf({ ...item, eventCode: 'CAPTURE' })).toBeNull();
});
