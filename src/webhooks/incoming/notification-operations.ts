import { Type } from 'typebox';
import { strictObject } from '../../http/answer-schemas.js';
import { type Operation } from '../../http/operation.js';

/** What is answered to a PSP. */
export const Accepted = strictObject(
  {
    accepted: Type.Integer({ minimum: 1, description: 'Items that are stored, now or before.' }),
    notificationResponse: { const: '[accepted]' },
  },
  'A notification was stored. What it says is applied afterwards.',
);

/** As the PSP writes it; only its signature and a few fields mean anything here. */
export const Notification = {
  type: 'object',
  description: "A PSP's own format: an event of Stripe, a batch of notification items of Adyen.",
  additionalProperties: true,
};

/** What the OpenAPI document tells of notifications. */
export const notificationOperations: readonly Operation[] = [
  {
    method: 'post',
    path: '/v1/webhooks/{psp}',
    operationId: 'receiveNotification',
    tag: 'Notifications',
    summary: 'Take a notification of a PSP',
    description:
      'For PSPs alone: give them this address, with the name of the account in the PSPs file. It takes no API key; each notification proves itself by its signature over the body as it came. It is stored and answered at once, and applied afterwards: once, however often it comes. Of a batch, what cannot be accepted is counted and the rest is stored; only where nothing is accepted is it refused. Anything but 200 asks the PSP to send it again.',
    body: {
      schema: 'Notification',
      required: true,
      examples: {
        stripe: {
          id: 'evt_1SWfT2Lk0example',
          object: 'event',
          type: 'payment_intent.succeeded',
          created: 1_795_258_800,
          data: { object: { id: 'pi_3SWfT0Lk0example', object: 'payment_intent' } },
        },
        adyen: {
          live: 'false',
          notificationItems: [
            {
              NotificationRequestItem: {
                eventCode: 'AUTHORISATION',
                success: 'true',
                pspReference: 'NC6HT9CRT65ZGN82',
                merchantAccountCode: 'ShopECOM',
              },
            },
          ],
        },
      },
    },
    answers: [
      {
        status: 200,
        description: 'At least one item was accepted; Adyen reads `notificationResponse`.',
        schema: 'Accepted',
        examples: { accepted: { accepted: 1, notificationResponse: '[accepted]' } },
      },
    ],
    problems: [
      'signature_invalid',
      'not_found',
      'body_malformed',
      'body_too_large',
      'unsupported_media_type',
      'overloaded',
      'internal_error',
    ],
  },
];
