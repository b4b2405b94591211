import { Body, Controller, Get, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { type Page } from '../core/page.js';
import { aPage, Operation } from '../http/operation.decorator.js';
import { EmptyDto, PageDto } from '../http/page.dto.js';
import { CurrentCaller, PathId, Scopes } from '../http/request.decorators.js';
import { PageOf } from '../http/view-fields.js';
import { type Caller } from '../core/caller.js';
import { CreateWebhookEndpointDto } from './dto/create-webhook-endpoint.dto.js';
import { ReplayRangeDto } from './dto/replay.dto.js';
import { EventView } from './event.view.js';
import * as example from './webhook.examples.js';
import { EndpointView, EndpointWithSecretView, ReplayView } from './webhook.view.js';
import { WebhookEndpointsService } from './webhook-endpoints.service.js';

const EndpointPage = PageOf('WebhookEndpointPage', EndpointView);

/**
 * /v1/webhook_endpoints: where events are sent. No money moves, so no Idempotency-Key: but for a second endpoint,
 * asking twice is as asking once.
 */
@ApiTags('Webhooks')
@Controller('v1/webhook_endpoints')
export class WebhookEndpointsController {
  constructor(private readonly endpoints: WebhookEndpointsService) {}

  @Post()
  @Operation({
    id: 'createWebhookEndpoint',
    summary: 'Create a webhook endpoint',
    description:
      'A merchant has at most 16 enabled endpoints. The secret is in this answer only; signatures are those of the Standard Webhooks specification. Takes no Idempotency-Key: sent twice, the request creates two endpoints, of which you can disable one.',
    bodies: { all: example.endpointRequest, some: example.narrowEndpointRequest },
    answers: {
      201: [EndpointWithSecretView, 'The endpoint with its secret.', { made: example.endpointWithSecret }],
    },
    problems: ['webhook_target_refused', 'webhook_endpoint_limit'],
  })
  @Scopes('webhooks:write')
  create(
    @CurrentCaller() caller: Caller,
    @Body() request: CreateWebhookEndpointDto,
  ): Promise<EndpointWithSecretView> {
    return this.endpoints.create(caller, request.toValues());
  }

  @Get()
  @Operation({
    id: 'listWebhookEndpoints',
    summary: 'List webhook endpoints',
    description: 'Newest first, disabled ones too. Go on with `next_cursor` while `has_more` is true.',
    answers: {
      200: aPage(EndpointPage, example.endpoint),
    },
  })
  @Scopes('webhooks:read')
  list(@CurrentCaller() caller: Caller, @Query() { limit, cursor }: PageDto): Promise<Page<EndpointView>> {
    return this.endpoints.list(caller, limit, cursor ?? null);
  }

  @Get(':id')
  @Operation({
    id: 'getWebhookEndpoint',
    summary: 'Read a webhook endpoint',
    description: 'Without its secret.',
    answers: {
      200: [EndpointView, 'The endpoint.', { enabled: example.endpoint, disabled: example.endpointDisabled }],
    },
    problems: ['not_found'],
  })
  @Scopes('webhooks:read')
  get(
    @CurrentCaller() caller: Caller,
    @PathId('webhook endpoint', example.endpoint.id) id: string,
  ): Promise<EndpointView> {
    return this.endpoints.get(caller, id);
  }

  @Post(':id/rotate_secret')
  @Operation({
    id: 'rotateWebhookSecret',
    summary: 'Rotate the secret',
    description:
      'For 24 hours events are signed with both secrets, so that either verifies them; then with the new one alone. After a second rotation within that time only the last two secrets count.',
    bodies: { nothing: {} },
    answers: {
      200: [
        EndpointWithSecretView,
        'The endpoint with its new secret.',
        { rotated: example.endpointWithSecret },
      ],
    },
    problems: ['not_found'],
  })
  @Scopes('webhooks:write')
  rotateSecret(
    @CurrentCaller() caller: Caller,
    @PathId('webhook endpoint', example.endpoint.id) id: string,
    @Body() _nothing: EmptyDto,
  ): Promise<EndpointWithSecretView> {
    return this.endpoints.rotateSecret(caller, id);
  }

  @Post(':id/disable')
  @Operation({
    id: 'disableWebhookEndpoint',
    summary: 'Disable a webhook endpoint',
    description: 'No event is sent there any more. Waiting deliveries are canceled; they can be replayed.',
    bodies: { nothing: {} },
    answers: { 200: [EndpointView, 'The endpoint, disabled.', { disabled: example.endpointDisabled }] },
    problems: ['not_found'],
  })
  @Scopes('webhooks:write')
  disable(
    @CurrentCaller() caller: Caller,
    @PathId('webhook endpoint', example.endpoint.id) id: string,
    @Body() _nothing: EmptyDto,
  ): Promise<EndpointView> {
    return this.endpoints.disable(caller, id);
  }

  @Post(':id/enable')
  @Operation({
    id: 'enableWebhookEndpoint',
    summary: 'Enable a webhook endpoint',
    description: 'New events are sent there; those since it was disabled can be replayed.',
    bodies: { nothing: {} },
    answers: { 200: [EndpointView, 'The endpoint, enabled.', { enabled: example.endpoint }] },
    problems: ['not_found', 'webhook_target_refused', 'webhook_endpoint_limit'],
  })
  @Scopes('webhooks:write')
  enable(
    @CurrentCaller() caller: Caller,
    @PathId('webhook endpoint', example.endpoint.id) id: string,
    @Body() _nothing: EmptyDto,
  ): Promise<EndpointView> {
    return this.endpoints.enable(caller, id);
  }

  @Post(':id/ping')
  @Operation({
    id: 'pingWebhookEndpoint',
    summary: 'Send a test event',
    description: 'Sends an event of the type `ping` to this endpoint alone; its deliveries show the result.',
    bodies: { nothing: {} },
    answers: { 202: [EventView, 'The event that is sent.', { ping: example.ping }] },
    problems: ['not_found', 'invalid_state'],
  })
  @Scopes('webhooks:write')
  ping(
    @CurrentCaller() caller: Caller,
    @PathId('webhook endpoint', example.endpoint.id) id: string,
    @Body() _nothing: EmptyDto,
  ): Promise<EventView> {
    return this.endpoints.ping(caller, id);
  }

  @Post(':id/replay')
  @Operation({
    id: 'replayWebhookRange',
    summary: 'Replay events',
    description:
      'Sends the events of a period again, of the types that the endpoint wants, delivered before or not, with the same ids. At most 10,000 at once.',
    bodies: { half: example.rangeReplayRequest },
    answers: { 202: [ReplayView, 'The events are on their way.', { some: example.replay }] },
    problems: ['not_found', 'invalid_state', 'replay_too_large'],
  })
  @Scopes('webhooks:write')
  replay(
    @CurrentCaller() caller: Caller,
    @PathId('webhook endpoint', example.endpoint.id) id: string,
    @Body() request: ReplayRangeDto,
  ): Promise<ReplayView> {
    const { from, to } = request.range();
    return this.endpoints.replay(caller, id, from, to);
  }
}
