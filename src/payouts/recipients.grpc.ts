import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { actorOf } from '../core/caller.js';
import { Call } from '../grpc/call.js';
import { CurrentCall, ReadingRpc } from '../grpc/grpc.decorators.js';
import {
  choiceOf,
  type IdMessage,
  type Message,
  pageMessage,
  readMessage,
  readQuery,
  timestampOf,
} from '../grpc/message.js';
import { objectId } from '../http/authentication.js';
import { parseRequest } from '../http/request.pipe.js';
import { ListRecipientsDto, RegisterRecipientDto } from './dto/register-recipient.dto.js';
import { type RecipientView } from './recipient.view.js';
import { Recipients } from './recipients.js';

/** payonce.v1.Recipients: what is done at /v1/recipients. */
@Controller()
export class RecipientsGrpc {
  constructor(private readonly recipients: Recipients) {}

  @ReadingRpc('Recipients', 'Register', 'recipients:write')
  async register(@CurrentCall() call: Call, @Payload() message: Message): Promise<Message> {
    const request = parseRequest(RegisterRecipientDto, readMessage(message));
    return answer(await this.recipients.register(call.caller, request));
  }

  @ReadingRpc('Recipients', 'Get', 'recipients:write')
  async get(@CurrentCall() call: Call, @Payload() { id }: IdMessage): Promise<Message> {
    return answer(await this.recipients.get(call.caller, objectId(id)));
  }

  @ReadingRpc('Recipients', 'List', 'recipients:write')
  async list(@CurrentCall() call: Call, @Payload() message: Message): Promise<Message> {
    const { reference, limit, cursor = null } = parseRequest(ListRecipientsDto, readQuery(message));
    return pageMessage(await this.recipients.list(call.caller, reference, limit, cursor), recipientMessage);
  }

  @ReadingRpc('Recipients', 'Remove', 'recipients:write')
  async remove(@CurrentCall() { caller }: Call, @Payload() message: IdMessage): Promise<Message> {
    const id = objectId(message.id);
    await this.recipients.remove(caller.merchantId, id, actorOf(caller), caller.sourceAddress);
    return answer(await this.recipients.get(caller, id));
  }
}

function answer(recipient: RecipientView): Message {
  return { recipient: recipientMessage(recipient) };
}

function recipientMessage(recipient: RecipientView): Message {
  return {
    ...recipient,
    status: choiceOf('RECIPIENT_STATUS', recipient.status),
    registered_at: timestampOf(recipient.registered_at),
    approved_at: timestampOf(recipient.approved_at),
  };
}
