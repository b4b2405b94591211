import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { Call } from '../grpc/call.js';
import { CurrentCall, ReadingRpc } from '../grpc/grpc.decorators.js';
import { type IdMessage, type Message, pageMessage, readMessage, readQuery } from '../grpc/message.js';
import { objectId } from '../http/authentication.js';
import { parseRequest } from '../http/request.pipe.js';
import { ListEventsDto } from './dto/list-events.dto.js';
import { ReplayEventDto } from './dto/replay.dto.js';
import { deliveryMessage, eventMessage } from './event.message.js';
import { EventsService } from './events.service.js';

/** payonce.v1.Events: what is read and replayed at /v1/events. */
@Controller()
export class EventsGrpc {
  constructor(private readonly events: EventsService) {}

  @ReadingRpc('Events', 'List', 'events:read')
  async list(@CurrentCall() call: Call, @Payload() message: Message): Promise<Message> {
    const query = parseRequest(ListEventsDto, readQuery(message));
    const { limit, cursor = null } = query;
    return pageMessage(await this.events.list(call.caller, query.filter(), limit, cursor), eventMessage);
  }

  @ReadingRpc('Events', 'Get', 'events:read')
  async get(@CurrentCall() call: Call, @Payload() { id }: IdMessage): Promise<Message> {
    return { event: eventMessage(await this.events.get(call.caller, objectId(id))) };
  }

  @ReadingRpc('Events', 'ListDeliveries', 'events:read')
  async listDeliveries(@CurrentCall() call: Call, @Payload() { id }: IdMessage): Promise<Message> {
    return pageMessage(await this.events.deliveries(call.caller, objectId(id)), deliveryMessage);
  }

  @ReadingRpc('Events', 'Replay', 'webhooks:write')
  async replay(@CurrentCall() call: Call, @Payload() { id, ...message }: IdMessage): Promise<Message> {
    const request = parseRequest(ReplayEventDto, readMessage(message));
    const { deliveries } = await this.events.replay(call.caller, objectId(id), request.endpointId());
    return { deliveries };
  }
}
