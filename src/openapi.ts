import { schemaOf } from './http/fields.js';
import { EmptyDto } from './http/page.dto.js';
import { SelectDeadLettersDto } from './ops/dto/select-dead-letters.dto.js';
import { CapturePaymentDto } from './payments/dto/capture-payment.dto.js';
import { CompletePaymentDto } from './payments/dto/complete-payment.dto.js';
import { CreatePaymentDto } from './payments/dto/create-payment.dto.js';
import { CreatePayoutDto } from './payouts/dto/create-payout.dto.js';
import { CreateRefundDto } from './refunds/dto/create-refund.dto.js';
import { CreateWebhookEndpointDto } from './webhooks/outgoing/dto/create-webhook-endpoint.dto.js';
import { ReplayEventDto, ReplayRangeDto } from './webhooks/outgoing/dto/replay.dto.js';
import { type ProblemCode, problemCatalogue } from './core/problem.js';
import { ProblemSchema } from './http/answer-schemas.js';
import { type Answer, type Operation } from './http/operation.js';
import { problemExample } from './http/problem.example.js';
import { healthOperations, Live, Ready } from './monitoring/health-operations.js';
import { deadLetterOperations } from './ops/dead-letter-operations.js';
import {
  DeadLetterCounts,
  DeadLetterPage,
  DeadLetterSchema,
  DeadLettersMerged,
  DeadLettersPurged,
} from './ops/dead-letter-schemas.js';
import { paymentOperations } from './payments/payment-operations.js';
import { Attempt, AttemptPage, Dispute, Payment, PaymentPage } from './payments/payment-schemas.js';
import { payoutOperations } from './payouts/payout-operations.js';
import { Payout, PayoutPage } from './payouts/payout-schemas.js';
import { refundOperations } from './refunds/refund-operations.js';
import { Refund, RefundPage } from './refunds/refund-schemas.js';
import {
  Accepted,
  Notification,
  notificationOperations,
} from './webhooks/incoming/notification-operations.js';
import { webhookOperations } from './webhooks/outgoing/webhook-operations.js';
import { webhookSchemas } from './webhooks/outgoing/webhook-schemas.js';

type Json = Readonly<Record<string, unknown>>;

/** The operations of version 1 and those for operators. */
export const operations: readonly Operation[] = [
  ...paymentOperations,
  ...refundOperations,
  ...payoutOperations,
  ...webhookOperations,
  ...notificationOperations,
  ...deadLetterOperations,
  ...healthOperations,
];

const schemas = {
  PaymentRequest: schemaOf(CreatePaymentDto, 'A payment to create and to charge or authorize.'),
  CaptureRequest: schemaOf(
    CapturePaymentDto,
    'Without `amount`, or without a body: all that is left of what was authorized. With `reference`: one of several captures, where the PSP can; the payment stays `authorized` until all is captured or the rest is canceled.',
  ),
  CancelRequest: schemaOf(EmptyDto, 'Nothing to say yet: an empty object or no body at all.'),
  CompleteRequest: schemaOf(CompletePaymentDto, 'What the customer did.'),
  Payment,
  PaymentPage,
  Dispute,
  Attempt,
  AttemptPage,
  RefundRequest: schemaOf(
    CreateRefundDto,
    'Without `amount`, or without a body: all that was captured and is not refunded yet.',
  ),
  Refund,
  RefundPage,
  PayoutRequest: schemaOf(CreatePayoutDto, 'A payout to send.'),
  Payout,
  PayoutPage,
  WebhookEndpointRequest: schemaOf(CreateWebhookEndpointDto, 'An address to send events to.'),
  NothingRequest: schemaOf(EmptyDto, 'Nothing to say: an empty object or no body at all.'),
  EventReplayRequest: schemaOf(ReplayEventDto, 'Sends the event again.'),
  RangeReplayRequest: schemaOf(
    ReplayRangeDto,
    'Sends the events of a time again that the endpoint wants; at most 10,000.',
  ),
  ...webhookSchemas,
  DeadLetter: DeadLetterSchema,
  DeadLetterPage,
  DeadLetterCounts,
  DeadLetterSelection: schemaOf(
    SelectDeadLettersDto,
    'One way of naming letters: `ids`; or a `kind`, a `cause` or both; or `all`.',
  ),
  DeadLettersMerged,
  DeadLettersPurged,
  Notification,
  Accepted,
  Problem: ProblemSchema,
  Live,
  Ready,
};

const about = `
Payonce charges once, whatever fails: a PSP that times out, loses its answer or is down.

**Every POST that moves money takes an \`Idempotency-Key\`.** Send a request that got no answer again,
with the same key and the same body, as often as you like: it is one payment. The same key with
another body is refused (\`idempotency_key_reused\`). A replayed answer is the same to the byte and
carries \`Idempotent-Replayed: true\`. While the first request still runs, the second is answered 409
with \`Retry-After\`, or with \`Prefer: wait=<seconds>\` (RFC 7240, at most 60) waits and answers as the
first does. Keys are kept for 30 days.

**A decline is not an HTTP error.** It is a payment at rest: 201 with \`status: failed\`.

**Card numbers never enter.** Send tokens of your PSPs. Anything in a body, a query or a key that looks
like a card number is refused (\`card_number_refused\`) and neither kept nor logged.

Money is an integer in minor units; times are RFC 3339 in UTC; ids are UUIDs. Unknown fields are
refused. Bodies are JSON in UTF-8 of at most 256 kB and 32 levels. Errors are problem documents
(RFC 9457): program against \`code\`. Every answer carries a \`Request-Id\`; quote it when you ask for help.
Where this page is silent, things are as in Stripe's API.
`.trim();

/** The OpenAPI 3.1 document of the REST surface. Built from the schemas that requests are checked by. */
export function openApiDocument(version: string): Json {
  const paths: Record<string, Record<string, Json>> = {};
  for (const operation of operations) (paths[operation.path] ??= {})[operation.method] = shown(operation);
  return plain({
    openapi: '3.1.0',
    info: {
      title: 'Payonce API',
      version,
      summary: 'Payments through several PSPs, charged once.',
      description: about,
    },
    servers: [
      { url: '/', description: 'The service that serves this document.' },
      { url: 'http://127.0.0.1:3000', description: 'Where the service listens unless told otherwise.' },
    ],
    tags: [
      { name: 'Payments', description: 'Create, read, capture, cancel.' },
      { name: 'Refunds', description: 'Give back what was captured, once.' },
      { name: 'Payouts', description: 'Money out, one payout after another for each recipient.' },
      { name: 'Webhooks', description: 'Where events are sent.' },
      { name: 'Events', description: 'What has become of things, for those who poll, and how it was told.' },
      { name: 'Notifications', description: 'What PSPs tell of their own accord.' },
      { name: 'Dead letters', description: 'For operators: jobs that were given up.' },
      { name: 'Operations', description: 'For operators.' },
    ],
    paths,
    components: {
      schemas,
      securitySchemes: {
        apiKey: {
          type: 'http',
          scheme: 'bearer',
          description:
            'An API key of a merchant. It carries scopes: payments:read, payments:write, payouts:write, webhooks:read, webhooks:write, events:read.',
        },
        operatorToken: {
          type: 'http',
          scheme: 'bearer',
          description: 'The token for operators, PAYONCE_OPS_TOKEN of the service.',
        },
      },
      headers: {
        RequestId: { description: 'Our name for the request.', schema: { type: 'string', format: 'uuid' } },
        IdempotentReplayed: {
          description: 'Set to true where this is the stored answer of an earlier request.',
          schema: { const: 'true' },
        },
        RetryAfter: {
          description: 'Seconds to wait before asking again.',
          schema: { type: 'integer', minimum: 1 },
        },
        WwwAuthenticate: { description: 'Always Bearer.', schema: { const: 'Bearer' } },
      },
      parameters: {
        PaymentId: {
          name: 'id',
          in: 'path',
          required: true,
          description: 'The id of the payment. Anything but a UUID is not found.',
          schema: { type: 'string', format: 'uuid' },
          example: '019aa5c0-8a4b-7c7e-9c55-2f3b0a6d1e42',
        },
        DeadLetterId: {
          name: 'id',
          in: 'path',
          required: true,
          description: 'The id of the dead letter. Anything but a UUID is not found.',
          schema: { type: 'string', format: 'uuid' },
          example: '019aa5d1-3c0e-7a51-8d2f-6b0c9e4f7a18',
        },
        PspAccount: {
          name: 'psp',
          in: 'path',
          required: true,
          description: 'The name of the account in the PSPs file.',
          schema: { type: 'string', maxLength: 40 },
          example: 'stripe',
        },
        PayoutId: {
          name: 'id',
          in: 'path',
          required: true,
          description: 'The id of the payout. Anything but a UUID is not found.',
          schema: { type: 'string', format: 'uuid' },
          example: '019aa5c0-9c31-7f02-a6d4-0e5d7b1c2f83',
        },
        EndpointId: {
          name: 'id',
          in: 'path',
          required: true,
          description: 'The id of the webhook endpoint. Anything but a UUID is not found.',
          schema: { type: 'string', format: 'uuid' },
          example: '019aa5c1-77f0-7b33-9b0e-64a2d18c5e10',
        },
        EventId: {
          name: 'id',
          in: 'path',
          required: true,
          description: 'The id of the event. Anything but a UUID is not found.',
          schema: { type: 'string', format: 'uuid' },
          example: '019aa5c0-8be0-7a41-8d2c-7e6f1b0c9a55',
        },
        IdempotencyKey: {
          name: 'Idempotency-Key',
          in: 'header',
          required: true,
          description:
            'A new one for each new request, a UUID for instance; bare or as a quoted string of RFC 8941.',
          schema: { type: 'string', minLength: 1, maxLength: 255, pattern: String.raw`^[\x20-\x7e]+$` },
          example: '8e03978e-40d5-43dd-bc93-6894a57f9324',
        },
        Prefer: {
          name: 'Prefer',
          in: 'header',
          description:
            '`wait=<seconds>`: wait for the first request with this key, instead of a 409. At most 60.',
          schema: { type: 'string' },
          example: 'wait=10',
        },
        Deadline: {
          name: 'Payonce-Deadline',
          in: 'header',
          description:
            'How long you wait for the outcome, in ms. No other PSP is asked later than that; what is not known by then is answered 202. 25,000 unless told.',
          schema: { type: 'integer', minimum: 1, maximum: 60_000 },
          example: 10_000,
        },
      },
    },
  });
}

/** What the id in a path is one of; of a payment where nothing is said. */
const idOfTag: Partial<Record<Operation['tag'], string>> = {
  Payouts: 'PayoutId',
  Webhooks: 'EndpointId',
  Events: 'EventId',
  'Dead letters': 'DeadLetterId',
};

function shown(operation: Operation): Json {
  const { operationId, tag, summary, description, scope, or, movesMoney, operator, query, body } = operation;
  return {
    operationId,
    tags: [tag],
    summary,
    description: scope ? `${description}\n\nScope: \`${scope}\`${or ? ` or \`${or}\`` : ''}.` : description,
    security: operator ? [{ operatorToken: [] }] : scope ? [{ apiKey: [] }] : [],
    parameters: [
      ...(operation.path.includes('{id}')
        ? [{ $ref: `#/components/parameters/${idOfTag[tag] ?? 'PaymentId'}` }]
        : []),
      ...(operation.path.includes('{psp}') ? [{ $ref: '#/components/parameters/PspAccount' }] : []),
      ...Object.entries(query ? schemaOf(query).properties : {}).map(([name, schema]) => ({
        name,
        in: 'query',
        schema,
      })),
      ...(movesMoney
        ? ['IdempotencyKey', 'Prefer', 'Deadline'].map((name) => ({
            $ref: `#/components/parameters/${name}`,
          }))
        : []),
    ],
    ...(body
      ? {
          requestBody: {
            required: body.required,
            content: { 'application/json': { schema: refTo(body.schema), examples: named(body.examples) } },
          },
        }
      : {}),
    responses: {
      ...Object.fromEntries(
        operation.answers.map((answer) => [answer.status, shownAnswer(answer, operation)]),
      ),
      ...shownProblems(operation.problems),
    },
  };
}

function shownAnswer({ description, schema, examples }: Answer, { movesMoney }: Operation): Json {
  return {
    description,
    headers: {
      'Request-Id': { $ref: '#/components/headers/RequestId' },
      ...(movesMoney ? { 'Idempotent-Replayed': { $ref: '#/components/headers/IdempotentReplayed' } } : {}),
    },
    content:
      schema === null
        ? { 'text/plain': { schema: { type: 'string' } } }
        : { 'application/json': { schema: refTo(schema), examples: named(examples) } },
  };
}

/** One response for each status, with an example for each code that comes with it. */
function shownProblems(codes: readonly ProblemCode[]): Json {
  const byStatus = new Map<number, ProblemCode[]>();
  for (const code of codes) {
    const [status] = problemCatalogue[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return Object.fromEntries(
    [...byStatus].map(([status, of]) => [
      status,
      {
        description: of.map((code) => `\`${code}\`: ${problemCatalogue[code][1]}.`).join('\n\n'),
        headers: {
          'Request-Id': { $ref: '#/components/headers/RequestId' },
          ...(status === 401 ? { 'WWW-Authenticate': { $ref: '#/components/headers/WwwAuthenticate' } } : {}),
          ...(status === 409 || status === 429 || status === 503
            ? { 'Retry-After': { $ref: '#/components/headers/RetryAfter' } }
            : {}),
        },
        content: {
          'application/problem+json': {
            schema: refTo('Problem'),
            examples: named(Object.fromEntries(of.map((code) => [code, problemExample(code)]))),
          },
        },
      },
    ]),
  );
}

function refTo(schema: string): Json {
  return { $ref: `#/components/schemas/${schema}` };
}

function named(examples: Readonly<Record<string, object>>): Json {
  return Object.fromEntries(
    Object.entries(examples).map(([name, value]) => [name, { summary: name, value }]),
  );
}

/** As JSON carries it, without what TypeBox hides in its schemas. */
function plain(document: object): Json {
  return JSON.parse(JSON.stringify(document)) as Json;
}
