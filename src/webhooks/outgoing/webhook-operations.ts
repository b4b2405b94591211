import { everywhere, type Operation, withBody } from '../../http/operation.js';
import { PageDto } from '../../http/page.dto.js';
import * as example from './webhook.examples.js';
import { ListEventsDto } from './dto/list-events.dto.js';

const scope = { read: 'webhooks:read', write: 'webhooks:write' } as const;
const nothing = { schema: 'NothingRequest', required: false, examples: { nothing: {} } } as const;

/** What the OpenAPI document tells of webhook endpoints and of events. */
export const webhookOperations: readonly Operation[] = [
  {
    method: 'post',
    path: '/v1/webhook_endpoints',
    operationId: 'createWebhookEndpoint',
    tag: 'Webhooks',
    summary: 'Have events sent to an address',
    description:
      'At most 16 of a merchant are enabled. The secret is in this answer and in none after it; signatures are those of the Standard Webhooks specification. No Idempotency-Key: asked twice there are two endpoints, and one can be disabled.',
    scope: scope.write,
    body: {
      schema: 'WebhookEndpointRequest',
      required: true,
      examples: { all: example.endpointRequest, some: example.narrowEndpointRequest },
    },
    answers: [
      {
        status: 201,
        description: 'The endpoint with its secret.',
        schema: 'WebhookEndpointWithSecret',
        examples: { made: example.endpointWithSecret },
      },
    ],
    problems: ['webhook_target_refused', 'webhook_endpoint_limit', ...withBody, ...everywhere],
  },
  {
    method: 'get',
    path: '/v1/webhook_endpoints',
    operationId: 'listWebhookEndpoints',
    tag: 'Webhooks',
    summary: 'List webhook endpoints',
    description: 'Newest first, disabled ones too. Go on with `next_cursor` while `has_more` is true.',
    scope: scope.read,
    query: PageDto,
    answers: [
      {
        status: 200,
        description: 'A page.',
        schema: 'WebhookEndpointPage',
        examples: { last: { data: [example.endpoint], has_more: false, next_cursor: null } },
      },
    ],
    problems: ['validation_failed', 'card_number_refused', ...everywhere],
  },
  {
    method: 'get',
    path: '/v1/webhook_endpoints/{id}',
    operationId: 'getWebhookEndpoint',
    tag: 'Webhooks',
    summary: 'Read a webhook endpoint',
    description: 'As it is now. Never its secret.',
    scope: scope.read,
    answers: [
      {
        status: 200,
        description: 'The endpoint.',
        schema: 'WebhookEndpoint',
        examples: { enabled: example.endpoint, disabled: example.endpointDisabled },
      },
    ],
    problems: ['not_found', ...everywhere],
  },
  {
    method: 'post',
    path: '/v1/webhook_endpoints/{id}/rotate_secret',
    operationId: 'rotateWebhookSecret',
    tag: 'Webhooks',
    summary: 'Rotate the secret',
    description:
      'For 24 hours what is sent is signed with both secrets, so that either will do; then with the new one alone. Rotated again within that time, only the last two count.',
    scope: scope.write,
    body: nothing,
    answers: [
      {
        status: 200,
        description: 'The endpoint with its new secret.',
        schema: 'WebhookEndpointWithSecret',
        examples: { rotated: example.endpointWithSecret },
      },
    ],
    problems: ['not_found', ...withBody, ...everywhere],
  },
  {
    method: 'post',
    path: '/v1/webhook_endpoints/{id}/disable',
    operationId: 'disableWebhookEndpoint',
    tag: 'Webhooks',
    summary: 'Disable a webhook endpoint',
    description: 'Nothing is sent there any more. What was waiting is canceled; it can be replayed.',
    scope: scope.write,
    body: nothing,
    answers: [
      {
        status: 200,
        description: 'It is disabled.',
        schema: 'WebhookEndpoint',
        examples: { disabled: example.endpointDisabled },
      },
    ],
    problems: ['not_found', ...withBody, ...everywhere],
  },
  {
    method: 'post',
    path: '/v1/webhook_endpoints/{id}/enable',
    operationId: 'enableWebhookEndpoint',
    tag: 'Webhooks',
    summary: 'Enable a webhook endpoint',
    description: 'Events from now on are sent there; those in between can be replayed.',
    scope: scope.write,
    body: nothing,
    answers: [
      {
        status: 200,
        description: 'It is enabled.',
        schema: 'WebhookEndpoint',
        examples: { enabled: example.endpoint },
      },
    ],
    problems: ['not_found', 'webhook_target_refused', 'webhook_endpoint_limit', ...withBody, ...everywhere],
  },
  {
    method: 'post',
    path: '/v1/webhook_endpoints/{id}/ping',
    operationId: 'pingWebhookEndpoint',
    tag: 'Webhooks',
    summary: 'Send a test event',
    description:
      'An event of the type `ping` is sent to this endpoint alone; what becomes of it stands in its deliveries.',
    scope: scope.write,
    body: nothing,
    answers: [
      {
        status: 202,
        description: 'The event that is sent.',
        schema: 'Event',
        examples: { ping: example.ping },
      },
    ],
    problems: ['not_found', 'invalid_state', ...withBody, ...everywhere],
  },
  {
    method: 'post',
    path: '/v1/webhook_endpoints/{id}/replay',
    operationId: 'replayWebhookRange',
    tag: 'Webhooks',
    summary: 'Send the events of a time again',
    description:
      'Those that the endpoint wants, delivered before or not, with the ids that they have. At most 10,000 at once.',
    scope: scope.write,
    body: { schema: 'RangeReplayRequest', required: true, examples: { half: example.rangeReplayRequest } },
    answers: [
      {
        status: 202,
        description: 'They are on their way.',
        schema: 'Replay',
        examples: { some: example.replay },
      },
    ],
    problems: ['not_found', 'invalid_state', 'replay_too_large', ...withBody, ...everywhere],
  },
  {
    method: 'get',
    path: '/v1/events',
    operationId: 'listEvents',
    tag: 'Events',
    summary: 'List events',
    description:
      'Newest first, whether there are endpoints or not. Go on with `next_cursor` while `has_more` is true. The order is that in which events became visible: one that is written late never appears behind one that was listed before, so a client that polls reads until the first event that it knows and misses none. For that an event is shown once every write that began before its own has ended, as a rule within milliseconds.',
    scope: 'events:read',
    query: ListEventsDto,
    answers: [
      {
        status: 200,
        description: 'A page.',
        schema: 'EventPage',
        examples: { last: { data: [example.event], has_more: false, next_cursor: null } },
      },
    ],
    problems: ['validation_failed', 'card_number_refused', ...everywhere],
  },
  {
    method: 'get',
    path: '/v1/events/{id}',
    operationId: 'getEvent',
    tag: 'Events',
    summary: 'Read an event',
    description: 'As it is sent.',
    scope: 'events:read',
    answers: [
      { status: 200, description: 'The event.', schema: 'Event', examples: { captured: example.event } },
    ],
    problems: ['not_found', ...everywhere],
  },
  {
    method: 'get',
    path: '/v1/events/{id}/deliveries',
    operationId: 'listEventDeliveries',
    tag: 'Events',
    summary: 'See where an event was sent',
    description: 'To each endpoint, with its tries.',
    scope: 'events:read',
    answers: [
      {
        status: 200,
        description: 'All of them.',
        schema: 'WebhookDeliveryPage',
        examples: { one: { data: [example.delivery], has_more: false, next_cursor: null } },
      },
    ],
    problems: ['not_found', ...everywhere],
  },
  {
    method: 'post',
    path: '/v1/events/{id}/replay',
    operationId: 'replayEvent',
    tag: 'Events',
    summary: 'Send an event again',
    description:
      'To one endpoint, or to all that want it, delivered before or not. What is being sent right now is left alone.',
    scope: scope.write,
    body: {
      schema: 'EventReplayRequest',
      required: false,
      examples: { all: {}, one: example.eventReplayRequest },
    },
    answers: [
      {
        status: 202,
        description: 'It is on its way.',
        schema: 'Replay',
        examples: { one: example.replay },
      },
    ],
    problems: ['not_found', 'invalid_state', ...withBody, ...everywhere],
  },
];
