import { ApiSchema } from '@nestjs/swagger';
import { type EventType, eventTypes } from '../../core/event-types.js';
import { IsText, IsTextList } from '../../http/fields.js';
import { isHttpUrl } from '../../http/formats.js';
import { IsLine } from '../../http/shared-fields.js';

/** A client's POST /v1/webhook_endpoints. */
export interface NewEndpoint {
  readonly url: string;
  /** null: every type. */
  readonly events: readonly EventType[] | null;
  readonly description: string | null;
}

@ApiSchema({ name: 'WebhookEndpointRequest', description: 'An address to send events to.' })
export class CreateWebhookEndpointDto {
  @IsText({
    maxLength: 2048,
    format: 'uri',
    is: isHttpUrl,
    description:
      'Where events are sent: https, port 443, 8443 or one from 1024 on, and a name that leads to public addresses only.',
    message: 'must be an https URL of at most 2048 characters without user and password',
  })
  url: string;

  @IsTextList({
    items: eventTypes,
    minItems: 1,
    unique: true,
    optional: true,
    description: 'The types to send. Absent: all types, also those added later.',
    message: 'must be a list of at least one type',
  })
  events?: EventType[];

  @IsLine({ optional: true, description: 'Your own note.' })
  description?: string;

  toValues(): NewEndpoint {
    return { url: this.url, events: this.events ?? null, description: this.description ?? null };
  }
}
