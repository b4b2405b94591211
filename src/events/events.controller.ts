import { Body, Controller, Get, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { type Page } from '../core/page.js';
import { aPage, Operation } from '../http/operation.decorator.js';
import { CurrentCaller, PathId, Scopes } from '../http/request.decorators.js';
import { PageOf } from '../http/view-fields.js';
import { type Caller } from '../core/caller.js';
import { ListEventsDto } from './dto/list-events.dto.js';
import { ReplayEventDto } from './dto/replay.dto.js';
import { EventView } from './event.view.js';
import { EventsService } from './events.service.js';
import * as example from './webhook.examples.js';
import { DeliveryView, ReplayView } from './webhook.view.js';

const EventPage = PageOf('EventPage', EventView);
const DeliveryPage = PageOf('WebhookDeliveryPage', DeliveryView);

/** /v1/events: events for clients that poll, and their deliveries. */
@ApiTags('Events')
@Controller('v1/events')
export class EventsController {
  constructor(private readonly events: EventsService) {}

  @Get()
  @Operation({
    id: 'listEvents',
    summary: 'List events',
    description:
      'Newest first, whether there are endpoints or not. Go on with `next_cursor` while `has_more` is true. The order is that in which events became visible: one that is written late never appears behind one that was listed before, so a client that polls reads until the first event that it knows and misses none. To keep that order, an event is listed only when every write that began before its own has ended, usually within milliseconds.',
    answers: {
      200: aPage(EventPage, example.event),
    },
  })
  @Scopes('events:read')
  list(@CurrentCaller() caller: Caller, @Query() query: ListEventsDto): Promise<Page<EventView>> {
    const { limit, cursor = null } = query;
    return this.events.list(caller, query.filter(), limit, cursor);
  }

  @Get(':id')
  @Operation({
    id: 'getEvent',
    summary: 'Read an event',
    description: 'As it is sent.',
    answers: { 200: [EventView, 'The event.', { captured: example.event }] },
    problems: ['not_found'],
  })
  @Scopes('events:read')
  get(@CurrentCaller() caller: Caller, @PathId('event', example.event.id) id: string): Promise<EventView> {
    return this.events.get(caller, id);
  }

  @Get(':id/deliveries')
  @Operation({
    id: 'listEventDeliveries',
    summary: 'List deliveries',
    description: 'To each endpoint, with its tries.',
    answers: {
      200: [
        DeliveryPage,
        'Every attempt of the payment.',
        { one: { data: [example.delivery], has_more: false, next_cursor: null } },
      ],
    },
    problems: ['not_found'],
  })
  @Scopes('events:read')
  deliveries(
    @CurrentCaller() caller: Caller,
    @PathId('event', example.event.id) id: string,
  ): Promise<Page<DeliveryView>> {
    return this.events.deliveries(caller, id);
  }

  /** No money moves, so no Idempotency-Key. */
  @Post(':id/replay')
  @Operation({
    id: 'replayEvent',
    summary: 'Replay an event',
    description:
      'Sends it to one endpoint, or to all that want its type, delivered before or not. Deliveries that are running now are left alone.',
    bodies: { all: {}, one: example.eventReplayRequest },
    answers: { 202: [ReplayView, 'The event is on its way.', { one: example.replay }] },
    problems: ['not_found', 'invalid_state'],
  })
  @Scopes('webhooks:write')
  replay(
    @CurrentCaller() caller: Caller,
    @PathId('event', example.event.id) id: string,
    @Body() request: ReplayEventDto,
  ): Promise<ReplayView> {
    return this.events.replay(caller, id, request.endpointId());
  }
}
