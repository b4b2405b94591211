import http from 'node:http';
import pg from 'pg';
import { SystemClock } from '../src/core/clock.js';
import { SystemIds } from '../src/core/ids.js';
import { INSERT_PLAIN, UPDATE_PLAIN } from './plain.js';
import { SharedStatements } from './prototype.js';

/**
 * The bare service does the same work without any feature: node:http, a pool, the two plain statements one by one (or
 * those of the prototype, shared), and one plain request to the PSP in between. No credentials, no checks, no guard around
 * the PSP, no log. It answers for the merchant and at the PSP that BENCH_BARE names.
 */
export interface BareSettings {
  readonly databaseUrl: string;
  readonly stripeUrl: string;
  readonly merchantId: string;
  readonly connections: number;
  /** Whether it is the prototype. */
  readonly shares: boolean;
}

async function main(): Promise<void> {
  const settings = JSON.parse(process.env['BENCH_BARE'] ?? '') as BareSettings;
  const ids = new SystemIds(new SystemClock());
  const agent = new http.Agent({ keepAlive: true, maxFreeSockets: 512 });
  const pool = new pg.Pool({
    connectionString: settings.databaseUrl,
    max: settings.connections,
    application_name: `bench-${settings.shares ? 'prototype' : 'bare'}`,
  });
  const charge = async (body: string, key: string): Promise<string> => {
    const { reference, amount, currency } = JSON.parse(body) as PaymentRequest;
    const id = ids.uuid();
    const opened = [id, settings.merchantId, reference, amount, currency, 'processing'];
    await pool.query({ name: 'insert', text: INSERT_PLAIN, values: opened });
    const pspReference = await ask(agent, settings.stripeUrl, id, key);
    await pool.query({ name: 'update', text: UPDATE_PLAIN, values: [id, 'captured', pspReference] });
    return answerOf(id, pspReference);
  };
  const shared = new SharedStatements(pool, settings.merchantId);
  const chargeShared = async (body: string, key: string): Promise<string> => {
    const { reference, amount, currency } = JSON.parse(body) as PaymentRequest;
    const id = ids.uuid();
    await shared.open({ id, key, body, reference, amount, currency });
    const pspReference = await ask(agent, settings.stripeUrl, id, key);
    const response = answerOf(id, pspReference);
    await shared.settle({ id, key, pspReference, response });
    return response;
  };

  const server = http.createServer((request, response) => {
    textOf(request)
      .then((body) =>
        (settings.shares ? chargeShared : charge)(body, String(request.headers['idempotency-key'])),
      )
      .then(
        (answer) => respond(response, 201, answer),
        (error: unknown) => respond(response, 500, JSON.stringify({ message: String(error) })),
      );
  });
  server.listen(0, '127.0.0.1', () => {
    const { port } = server.address() as { port: number };
    process.stdout.write(`${JSON.stringify({ listening: `http://127.0.0.1:${port}` })}\n`);
  });
}

interface PaymentRequest {
  readonly reference: string;
  readonly amount: number;
  readonly currency: string;
}

function answerOf(id: string, pspReference: string): string {
  return JSON.stringify({ id, status: 'captured', psp_reference: pspReference });
}

function respond(response: http.ServerResponse, status: number, body: string): void {
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
  });
  response.end(body);
}

/** The one call to the PSP. Resolves with its id of the payment. */
async function ask(agent: http.Agent, stripeUrl: string, payment: string, pspKey: string): Promise<string> {
  const form = new URLSearchParams({
    amount: '4990',
    currency: 'usd',
    confirm: 'true',
    capture_method: 'automatic',
    payment_method: 'pm_card_visa',
    'automatic_payment_methods[enabled]': 'true',
    'automatic_payment_methods[allow_redirects]': 'never',
    error_on_requires_action: 'true',
    'metadata[payonce_entity_key]': `payment-${payment}-charge`,
    'metadata[payonce_route]': '1',
  }).toString();
  const response = await new Promise<http.IncomingMessage>((resolve, reject) => {
    const request = http.request(`${stripeUrl}/v1/payment_intents`, {
      method: 'POST',
      agent,
      headers: {
        authorization: 'Bearer sk_test_bench',
        'content-type': 'application/x-www-form-urlencoded',
        'content-length': Buffer.byteLength(form),
        'idempotency-key': pspKey,
      },
    });
    request.once('response', resolve).once('error', reject).end(form);
  });
  const text = await textOf(response);
  const { id, status } = JSON.parse(text) as { id: string; status: string };
  if (status !== 'succeeded')
    throw new Error(`the PSP answered ${response.statusCode}: ${text.slice(0, 300)}`);
  return id;
}

async function textOf(message: http.IncomingMessage): Promise<string> {
  let text = '';
  message.setEncoding('utf8');
  for await (const chunk of message as AsyncIterable<string>) text += chunk;
  return text;
}

await main();
