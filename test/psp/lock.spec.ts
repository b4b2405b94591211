import dns from 'node:dns';
import http from 'node:http';
import { type AddressInfo } from 'node:net';
import { Registry } from 'prom-client';
import { SystemClock } from '../../src/core/clock.js';
import { type Instruction, type PspAdapter } from '../../src/psp/contract.js';
import { PspDirectory } from '../../src/psp/psp-directory.js';
import { AdyenPsp } from '../../src/psp/adyen/adyen.psp.js';
import { StripePsp } from '../../src/psp/stripe/stripe.psp.js';

/** A request does not leave under a lock that lapsed while its connection was made. */
const CONNECT_MS = 400;

const charge: Instruction = {
  operation: 'charge',
  entityKey: 'payment-1-charge',
  route: 1,
  idempotencyKey: 'key-1',
  money: { amount: 1_000, currency: 'EUR' },
  token: 'pm_card_visa',
  reference: 'order-1',
};

const makers: Record<string, (baseUrl: string) => PspAdapter> = {
  stripe: (baseUrl) =>
    new StripePsp({ baseUrl, timeoutMs: 2_000, secretKey: 'sk_test_1', clock: new SystemClock() }),
  adyen: (baseUrl) => new AdyenPsp({ baseUrl, timeoutMs: 2_000, apiKey: 'key', merchantAccount: 'M' }),
};

let bodies: string[];
let server: http.Server;
let url: string;

beforeAll(async () => {
  server = http.createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => (body += text));
    request.on('end', () => {
      bodies.push(body);
      response.writeHead(500).end('{"error":{"type":"api_error"}}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://localhost:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

/** Connecting takes so long as the name takes to be found. */
function slowNames(): void {
  const lookup = dns.lookup as unknown as (...args: unknown[]) => void;
  jest.spyOn(dns, 'lookup').mockImplementation((...args: unknown[]) => {
    setTimeout(() => lookup(...args), CONNECT_MS);
  });
}

beforeEach(() => {
  bodies = [];
});
afterEach(() => {
  jest.restoreAllMocks();
});

function directoryOf(name: string, failuresInARow = 10): PspDirectory {
  return new PspDirectory([{ name, adapter: makers[name]!(url), fingerprint: name, timeoutMs: 2_000 }], {
    clock: new SystemClock(),
    metrics: new Registry(),
    breaker: { failuresInARow, retryAfterMs: 60_000 },
  });
}

describe.each(Object.keys(makers))('a call of %s', (name) => {
  it('does not leave once its lock has lapsed while the connection was made', async () => {
    slowNames();
    const directory = directoryOf(name);
    const lapsesAt = performance.now() + CONNECT_MS / 2;
    const answer = await directory.call(name, 'execute', charge, () => performance.now() < lapsesAt);
    expect(answer).toMatchObject({ outcome: 'not_sent', pspCode: 'lock_too_old' });
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(bodies).toEqual([]);
    await directory.close();
  });

  it('leaves whole while its lock holds, over a new connection and over one that is kept', async () => {
    slowNames();
    const directory = directoryOf(name);
    let asked = 0;
    for (let calls = 1; calls <= 2; calls++) {
      const answer = await directory.call(name, 'execute', charge, () => ++asked > 0);
      expect(answer.outcome).toBe('unknown');
      expect(asked).toBe(2 * calls);
    }
    expect(bodies).toHaveLength(2);
    expect(bodies[0]).toContain('order-1');
    expect(bodies[1]).toBe(bodies[0]);
    await directory.close();
  });

  it('that a slow commit of ours kept from leaving is no failure of the PSP', async () => {
    const directory = directoryOf(name, 2);
    for (let calls = 0; calls < 5; calls++) {
      expect(await directory.call(name, 'execute', charge, () => false)).toMatchObject({
        pspCode: 'lock_too_old',
      });
    }
    expect((await directory.call(name, 'execute', charge)).outcome).toBe('unknown');
    await directory.close();
  });
});
