import { Body, Controller, Get, HttpCode, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { type Page } from '../core/page.js';
import { aPage, Operation } from '../http/operation.decorator.js';
import { EmptyDto } from '../http/page.dto.js';
import { CurrentCaller, PathId, Scopes } from '../http/request.decorators.js';
import { PageOf } from '../http/view-fields.js';
import { actorOf, type Caller } from '../core/caller.js';
import { ListRecipientsDto, RegisterRecipientDto } from './dto/register-recipient.dto.js';
import * as example from './payout.examples.js';
import { RecipientView } from './recipient.view.js';
import { Recipients } from './recipients.js';

const RecipientPage = PageOf('RecipientPage', RecipientView);

/** /v1/recipients: whom a merchant pays out to. No money moves, and asking twice is as asking once: no Idempotency-Key. */
@ApiTags('Payouts')
@Controller('v1/recipients')
export class RecipientsController {
  constructor(private readonly recipients: Recipients) {}

  @Post()
  @HttpCode(200)
  @Operation({
    id: 'registerRecipient',
    summary: 'Register a recipient',
    description:
      'Where the operator lets you pay out to registered recipients alone, payouts go to no others. The same request again changes nothing; other tokens under the same `reference` are a new version, which an operator may have to approve before it is paid. Use an API key of its own for this scope: then one that was stolen from the system that sends payouts opens no new way out.',
    bodies: { recipient: example.recipientRequest },
    answers: {
      200: [
        RecipientView,
        'The recipient as it is now.',
        { active: example.recipient, waiting: example.recipientWaiting },
      ],
    },
  })
  @Scopes('recipients:write')
  register(@CurrentCaller() caller: Caller, @Body() request: RegisterRecipientDto): Promise<RecipientView> {
    return this.recipients.register(caller, request);
  }

  @Get()
  @Operation({
    id: 'listRecipients',
    summary: 'List recipients',
    description: 'Newest first, removed ones too. Go on with `next_cursor` while `has_more` is true.',
    answers: { 200: aPage(RecipientPage, example.recipient) },
  })
  @Scopes('recipients:write')
  list(@CurrentCaller() caller: Caller, @Query() query: ListRecipientsDto): Promise<Page<RecipientView>> {
    const { reference, limit, cursor = null } = query;
    return this.recipients.list(caller, reference, limit, cursor);
  }

  @Get(':id')
  @Operation({
    id: 'getRecipient',
    summary: 'Read a recipient',
    description: 'As it is now.',
    answers: { 200: [RecipientView, 'The recipient.', { active: example.recipient }] },
    problems: ['not_found'],
  })
  @Scopes('recipients:write')
  get(
    @CurrentCaller() caller: Caller,
    @PathId('recipient', example.recipient.id) id: string,
  ): Promise<RecipientView> {
    return this.recipients.get(caller, id);
  }

  @Post(':id/remove')
  @HttpCode(200)
  @Operation({
    id: 'removeRecipient',
    summary: 'Remove a recipient',
    description: 'It is not paid any more, until it is registered again. Payouts on their way go on.',
    bodies: { nothing: {} },
    answers: { 200: [RecipientView, 'The recipient, removed.', { removed: example.recipientRemoved }] },
    problems: ['not_found'],
  })
  @Scopes('recipients:write')
  async remove(
    @CurrentCaller() caller: Caller,
    @PathId('recipient', example.recipient.id) id: string,
    @Body() _nothing: EmptyDto,
  ): Promise<RecipientView> {
    await this.recipients.remove(caller.merchantId, id, actorOf(caller), caller.sourceAddress);
    return this.recipients.get(caller, id);
  }
}
