import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { Call } from '../grpc/call.js';
import { CurrentCall, ReadingRpc } from '../grpc/grpc.decorators.js';
import {
  type IdMessage,
  type Message,
  pageMessage,
  readQuery,
  structOf,
  timestampOf,
} from '../grpc/message.js';
import { objectId } from '../http/authentication.js';
import { parseRequest } from '../http/request.pipe.js';
import { ListEventsDto } from './dto/list-events.dto.js';
import { type EventView } from './event.view.js';
import { EventsService } from './events.service.js';

/** payonce.v1.Events: what is read at /v1/events. */
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
}

function eventMessage(event: EventView): Message {
  return { ...event, timestamp: timestampOf(event.timestamp), data: structOf(event.data) };
}
