import { ApiSchema } from '@nestjs/swagger';
import { Constant, Field, Id, OneOf, TestMode, Text, Time, WholeNumber } from '../http/view-fields.js';
import { type DisabledReason } from './delivery-records.js';

/** The endpoint as the API shows it; field names are the wire's. */
@ApiSchema({ name: 'WebhookEndpoint', description: 'An address that events are sent to.' })
export class EndpointView {
  @Constant('webhook_endpoint')
  readonly object: 'webhook_endpoint';

  @Id()
  readonly id: string;

  @TestMode()
  readonly test: boolean;

  @Text()
  readonly url: string;

  @Field({
    type: 'array',
    items: { type: 'string' },
    nullable: true,
    description: 'The types that are sent; null: all.',
  })
  readonly events: readonly string[] | null;

  @Text({ nullable: true })
  readonly description: string | null;

  @OneOf(['enabled', 'disabled'])
  readonly status: 'enabled' | 'disabled';

  @OneOf(['asked', 'gone', 'failing'], {
    nullable: true,
    description: '`asked`: by you. `gone`: it answered 410. `failing`: every try failed for five days.',
  })
  readonly disabled_reason: DisabledReason | null;

  @Time({
    nullable: true,
    description: 'Since when every try has failed; null where the last one did not.',
  })
  readonly failing_since: string | null;

  @Time({ nullable: true, description: 'Until then events are also signed with the previous secret.' })
  readonly previous_secret_until: string | null;

  @Time()
  readonly created_at: string;

  @Time()
  readonly updated_at: string;
}

/** Shown once: when it is made, and when its secret is rotated. */
@ApiSchema({
  name: 'WebhookEndpointWithSecret',
  description: 'An address that events are sent to, with its new secret.',
})
export class EndpointWithSecretView extends EndpointView {
  @Text({ description: 'Verifies signatures. Shown only in this answer.' })
  readonly secret: string;
}

@ApiSchema({ name: 'WebhookDeliveryAttempt' })
export class DeliveryAttemptView {
  @WholeNumber()
  readonly attempt: number;

  @Time()
  readonly started_at: string;

  @WholeNumber({ nullable: true })
  readonly http_status: number | null;

  @Text({
    nullable: true,
    description: 'Null where the endpoint accepted the event, or the try has not ended.',
  })
  readonly error_code: string | null;

  @WholeNumber({ nullable: true })
  readonly latency_ms: number | null;
}

const deliveryStatuses = ['pending', 'delivered', 'exhausted', 'canceled'] as const;

@ApiSchema({ name: 'WebhookDelivery', description: 'An event on its way to one endpoint, with its tries.' })
export class DeliveryView {
  @Constant('webhook_delivery')
  readonly object: 'webhook_delivery';

  @Id()
  readonly event_id: string;

  @Id()
  readonly endpoint_id: string;

  @OneOf(deliveryStatuses, {
    description:
      '`exhausted`: the last of 16 tries failed. `canceled`: the endpoint was disabled. Both can be replayed.',
  })
  readonly status: (typeof deliveryStatuses)[number];

  @Time({ nullable: true })
  readonly next_attempt_at: string | null;

  @Field({ type: DeliveryAttemptView, isArray: true, maxItems: 50, description: 'Newest first.' })
  readonly attempts: readonly DeliveryAttemptView[];
}

@ApiSchema({ name: 'Replay', description: 'The replay that was started.' })
export class ReplayView {
  @Constant('replay')
  readonly object: 'replay';

  /** A try that is under way is not among them. */
  @WholeNumber({ minimum: 0, description: 'How many are sent again.' })
  readonly deliveries: number;
}
