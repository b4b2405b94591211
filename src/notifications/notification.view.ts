import { ApiSchema } from '@nestjs/swagger';
import { Constant, WholeNumber } from '../http/view-fields.js';

/**
 * The answer that Adyen expected until 2024; set-ups of that time look for these
 * characters in the body, newer ones and Stripe for a status of 2xx alone
 * (https://www.adyen.com/knowledge-hub/webhooks-accept-2xx).
 */
export const ACCEPTED = '[accepted]';

/** The answer to a PSP. */
@ApiSchema({
  name: 'Accepted',
  description: 'The notification is stored, and applied afterwards.',
})
export class AcceptedView {
  @WholeNumber({ minimum: 1, description: 'How many items are stored, by this request or an earlier one.' })
  readonly accepted: number;

  @Constant(ACCEPTED)
  readonly notificationResponse: typeof ACCEPTED;
}

/** Only its signature and a few fields mean anything here. */
const schema = {
  name: 'Notification',
  description: "A PSP's own format: an event of Stripe, a batch of notification items of Adyen.",
  additionalProperties: true,
};

@ApiSchema(schema)
// oxlint-disable-next-line typescript/no-extraneous-class -- what a PSP sends, for the document alone
export class NotificationBody {}
