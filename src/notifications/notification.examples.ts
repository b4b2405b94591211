/** Examples of the OpenAPI document. */

export const stripe = {
  id: 'evt_1SWfT2Lk0example',
  object: 'event',
  type: 'payment_intent.succeeded',
  created: 1_795_258_800,
  data: { object: { id: 'pi_3SWfT0Lk0example', object: 'payment_intent' } },
} as const;

export const adyen = {
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
} as const;
