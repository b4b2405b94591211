import { Logger, type LoggerService } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { pino } from 'pino';
import { PspsConfig } from './psp/psps-config.js';
import { AppModule } from './app.module.js';
import { loadConfig } from './config/config.js';
import { type ProblemCode, problemCatalogue } from './core/problem.js';
import { problemExample } from './http/problem.example.js';
import { ProblemView } from './http/problem.view.js';

const about = `
Payonce charges once, whatever fails: a PSP that times out, loses its answer or is down.

**Every POST that moves money takes an \`Idempotency-Key\`.** Send a request that got no answer again,
with the same key and the same body, as often as you like: it is one payment. The same key with
another body is refused (\`idempotency_key_reused\`). A replayed answer is the same to the byte and
carries \`Idempotent-Replayed: true\`. While the first request still runs, the second is answered 409
with \`Retry-After\`, or with \`Prefer: wait=<seconds>\` (RFC 7240, at most 60) waits and answers as the
first does. Keys are kept for 30 days.

**A decline is not an HTTP error.** The payment is created: 201 with \`status: failed\`.

**Card numbers never enter.** Send tokens of your PSPs. Anything in a body, a query or a key that looks
like a card number is refused (\`card_number_refused\`) and neither kept nor logged.

Money is an integer in minor units; times are RFC 3339 in UTC; ids are UUIDs. Unknown fields are
refused. Bodies are JSON in UTF-8 of at most 256 kB and 32 levels. Errors are problem documents
(RFC 9457): program against \`code\`. Every answer carries a \`Request-Id\`; quote it when you ask for help.
`.trim();

/** The OpenAPI 3.1 document of the REST surface, from the modules themselves: Nest previews them and makes nothing. */
export async function openApiDocument(
  version: string,
  logger: LoggerService | false = false,
): Promise<OpenAPIObject> {
  // The document describes an installation that serves every operation.
  const config = loadConfig({ PAYONCE_OPS_TOKEN: '-'.repeat(32) });
  const settings = { config, psps: new PspsConfig(), logger: pino({ enabled: false }) };
  const app = await NestFactory.create(AppModule.forRole('api', settings), new FastifyAdapter(), {
    preview: true,
    logger: false,
    abortOnError: false,
  });
  // The logger of Nest is one for the process.
  Logger.overrideLogger(logger);
  const document = SwaggerModule.createDocument(app, head(version), { extraModels: [ProblemView] });
  // Clients send no other fields, and the document lists no others.
  for (const schema of Object.values(document.components!.schemas!)) {
    if (!('$ref' in schema)) schema.additionalProperties ??= false;
  }
  const parameters = Object.values(document.paths).flatMap(({ get }) => get?.parameters ?? []);
  for (const parameter of parameters) {
    if (!('schema' in parameter) || (parameter.schema as { type?: string }).type !== 'object') continue;
    // Members of a map in a query are `map[name]=text`. Nest puts the rule for names beside the schema.
    const { propertyNames } = parameter as { propertyNames?: object };
    delete (parameter as { propertyNames?: object }).propertyNames;
    Object.assign(parameter, { style: 'deepObject', explode: true });
    Object.assign(parameter.schema!, { propertyNames });
  }
  return document;
}

function head(version: string): Omit<OpenAPIObject, 'paths'> {
  const info = {
    title: 'Payonce API',
    version,
    summary: 'Payments through several PSPs, charged once.',
    description: about,
  };
  return {
    openapi: '3.1.0',
    info,
    servers: [
      { url: '/', description: 'The service that serves this document.' },
      { url: 'http://127.0.0.1:3000', description: 'The default address of the service.' },
    ],
    tags: [
      { name: 'Payments', description: 'Create, read, capture, cancel.' },
      { name: 'Orders', description: 'What customers owe once, with the payments that were tried for it.' },
      { name: 'Refunds', description: 'Give back what was captured, once.' },
      { name: 'Payouts', description: 'Money out, one payout after another for each recipient.' },
      { name: 'Webhooks', description: 'Endpoints that events are sent to.' },
      {
        name: 'Events',
        description:
          'Changes of payments, refunds, disputes and payouts, and their deliveries. For clients that poll.',
      },
      { name: 'Notifications', description: 'Notifications that PSPs send.' },
      { name: 'Dead letters', description: 'For operators: jobs that failed for good.' },
      { name: 'Ledger', description: 'For operators: what every PSP took, cost and holds.' },
      {
        name: 'Reconciliation',
        description: 'For operators: reports of PSPs, and where they differ from the ledger.',
      },
      { name: 'Operations', description: 'Health and metrics.' },
    ],
    components: {
      securitySchemes: {
        apiKey: {
          type: 'http',
          scheme: 'bearer',
          description:
            'An API key of a merchant. It carries scopes: payments:read, payments:write, payouts:write, recipients:write, webhooks:read, webhooks:write, events:read.',
        },
        operatorToken: {
          type: 'http',
          scheme: 'bearer',
          description: 'The token for operators, PAYONCE_OPS_TOKEN of the service.',
        },
      },
      headers: {
        RequestId: {
          description: 'The id of the request in the log of the service.',
          schema: { type: 'string', format: 'uuid' },
        },
        IdempotentReplayed: {
          description: 'Set to true where this is the stored answer of an earlier request.',
          schema: { const: 'true' } as object,
        },
        Location: { description: 'The path at which the object is read.', schema: { type: 'string' } },
        Help: {
          description:
            'The page of this installation about the problem, with the relation `help` (RFC 8288).',
          schema: { type: 'string' },
        },
        RetryAfter: {
          description: 'Seconds to wait before the next try.',
          schema: { type: 'integer', minimum: 1 },
        },
        WwwAuthenticate: { description: 'Always Bearer.', schema: { const: 'Bearer' } as object },
      },
      examples: Object.fromEntries(
        (Object.keys(problemCatalogue) as ProblemCode[]).map((code) => [
          code,
          { summary: code, value: problemExample(code) },
        ]),
      ),
    },
  };
}
