import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { Call } from '../grpc/call.js';
import { CurrentCall, ReadingRpc } from '../grpc/grpc.decorators.js';
import {
  choiceOf,
  type IdMessage,
  type Message,
  pageMessage,
  readMessage,
  readQuery,
  timeOf,
  type Timestamp,
  timestampOf,
} from '../grpc/message.js';
import { objectId } from '../http/authentication.js';
import { PageDto } from '../http/page.dto.js';
import { parseRequest } from '../http/request.pipe.js';
import { CreateWebhookEndpointDto } from './dto/create-webhook-endpoint.dto.js';
import { ReplayRangeDto } from './dto/replay.dto.js';
import { eventMessage } from './event.message.js';
import { type EndpointView } from './webhook.view.js';
import { WebhookEndpointsService } from './webhook-endpoints.service.js';

type RangeMessage = IdMessage & { readonly from?: Timestamp; readonly to?: Timestamp };

/** payonce.v1.WebhookEndpoints: what is done at /v1/webhook_endpoints. */
@Controller()
export class WebhookEndpointsGrpc {
  constructor(private readonly endpoints: WebhookEndpointsService) {}

  @ReadingRpc('WebhookEndpoints', 'Create', 'webhooks:write')
  async create(
    @CurrentCall() call: Call,
    @Payload() { events, ...message }: Message & { readonly events?: readonly string[] },
  ): Promise<Message> {
    // A list that is not sent is empty here, and means all types.
    const some = events === undefined || events.length === 0 ? {} : { events };
    const request = parseRequest(CreateWebhookEndpointDto, readMessage({ ...message, ...some }));
    return answer(await this.endpoints.create(call.caller, request.toValues()));
  }

  @ReadingRpc('WebhookEndpoints', 'Get', 'webhooks:read')
  async get(@CurrentCall() call: Call, @Payload() { id }: IdMessage): Promise<Message> {
    return answer(await this.endpoints.get(call.caller, objectId(id)));
  }

  @ReadingRpc('WebhookEndpoints', 'List', 'webhooks:read')
  async list(@CurrentCall() call: Call, @Payload() message: Message): Promise<Message> {
    const { limit, cursor = null } = parseRequest(PageDto, readQuery(message));
    return pageMessage(await this.endpoints.list(call.caller, limit, cursor), endpointMessage);
  }

  @ReadingRpc('WebhookEndpoints', 'RotateSecret', 'webhooks:write')
  async rotateSecret(@CurrentCall() call: Call, @Payload() { id }: IdMessage): Promise<Message> {
    return answer(await this.endpoints.rotateSecret(call.caller, objectId(id)));
  }

  @ReadingRpc('WebhookEndpoints', 'Enable', 'webhooks:write')
  async enable(@CurrentCall() call: Call, @Payload() { id }: IdMessage): Promise<Message> {
    return answer(await this.endpoints.enable(call.caller, objectId(id)));
  }

  @ReadingRpc('WebhookEndpoints', 'Disable', 'webhooks:write')
  async disable(@CurrentCall() call: Call, @Payload() { id }: IdMessage): Promise<Message> {
    return answer(await this.endpoints.disable(call.caller, objectId(id)));
  }

  @ReadingRpc('WebhookEndpoints', 'Ping', 'webhooks:write')
  async ping(@CurrentCall() call: Call, @Payload() { id }: IdMessage): Promise<Message> {
    return { event: eventMessage(await this.endpoints.ping(call.caller, objectId(id))) };
  }

  @ReadingRpc('WebhookEndpoints', 'Replay', 'webhooks:write')
  async replay(@CurrentCall() call: Call, @Payload() { id, from, to }: RangeMessage): Promise<Message> {
    const times = { ...(from ? { from: timeOf(from) } : {}), ...(to ? { to: timeOf(to) } : {}) };
    const range = parseRequest(ReplayRangeDto, readMessage(times)).range();
    const { deliveries } = await this.endpoints.replay(call.caller, objectId(id), range.from, range.to);
    return { deliveries };
  }
}

function answer(endpoint: EndpointView): Message {
  return { webhook_endpoint: endpointMessage(endpoint) };
}

function endpointMessage(endpoint: EndpointView): Message {
  const { events, disabled_reason: reason } = endpoint;
  return {
    ...endpoint,
    events: events ?? [],
    status: choiceOf('WEBHOOK_ENDPOINT_STATUS', endpoint.status),
    disabled_reason: reason && choiceOf('DISABLED_REASON', reason),
    failing_since: timestampOf(endpoint.failing_since),
    previous_secret_until: timestampOf(endpoint.previous_secret_until),
    created_at: timestampOf(endpoint.created_at),
    updated_at: timestampOf(endpoint.updated_at),
  };
}
