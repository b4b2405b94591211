/** The PSPs of the simulator that installations under test have accounts at. */
export const pspNames = [
  'stripe',
  'adyen',
  'keyless',
  'checkout',
  'square',
  'mollie',
  'gocardless',
  'paypal',
] as const;
export type PspName = (typeof pspNames)[number];

/** Currency to the order in which PSPs are asked: a test picks the first PSP by the currency. */
export const currencyFor = {
  stripe: 'USD',
  adyen: 'EUR',
  keyless: 'GBP',
  checkout: 'CHF',
  square: 'CAD',
  mollie: 'SEK',
  // By Bacs debit; see `orderOf`.
  gocardless: 'GBP',
  paypal: 'NZD',
} as const;

/** The rule, from 1, for every currency that has none of its own. */
export const LAST_RULE = pspNames.length;

/** What some of them can do, and others cannot. */
export const paysOut = ['stripe', 'adyen', 'keyless'] as const satisfies readonly PspName[];
export const authorizes = [
  'stripe',
  'adyen',
  'keyless',
  'checkout',
  'square',
  'mollie',
  'paypal',
] as const satisfies readonly PspName[];
export const capturesAPart = [
  'stripe',
  'adyen',
  'keyless',
  'checkout',
  'mollie',
  'paypal',
] as const satisfies readonly PspName[];
export const capturesInParts = ['adyen', 'checkout', 'mollie'] as const satisfies readonly PspName[];

/** Tokens that no log and no table may show. Every one of them is approved. */
export const tokens: Readonly<Record<PspName, string>> = {
  stripe: 'pm_card_visa_stripeOnly',
  adyen: 'shopper-token-8416',
  keyless: 'pm_card_visa_keylessOnly',
  checkout: 'src_visa_checkoutOnly',
  square: 'cnon:visa-squareOnly',
  mollie: 'tkn_visa_mollieOnly',
  gocardless: 'MD_confirmed_gocardlessOnly',
  paypal: 'vault-visa-paypalOnly',
};
export const email = 'customer.secret@shop.example';

/** One for all services, as processes over one database have it. */
export const sealKey = Buffer.alloc(32, 7).toString('base64');

/** What the PSPs sign their notifications with. */
export const notificationSecrets: Readonly<Record<PspName, string>> = {
  stripe: 'whsec_stage_of_stripe',
  keyless: 'whsec_stage_of_keyless',
  adyen: '5a'.repeat(32),
  checkout: 'whsec_stage_of_checkout',
  square: 'signature-key-of-square',
  mollie: 'signing-secret-of-mollie',
  gocardless: 'secret-of-gocardless',
  paypal: 'WH-id-of-the-webhook-of-paypal',
};

/** Where PSPs believe that they notify, which some sign: a proxy leads on from there. */
export const notifiedAt = (psp: PspName) => `https://pay.stage.example/v1/webhooks/${psp}`;

/** Those that are asked first for a currency of their own. */
const byCurrency = ['checkout', 'square', 'mollie', 'paypal'] as const satisfies readonly PspName[];

/** Each PSP is asked first for its currency; `more` is added to every rule. */
export function routingRules(more: object = {}): readonly object[] {
  const order = (...psps: readonly PspName[]) => ({ order: psps, ...more });
  return [
    { when: { currency: ['EUR'] }, ...order('adyen', 'stripe', 'keyless') },
    { when: { method: ['bacs'] }, ...order('gocardless') },
    { when: { currency: ['GBP'] }, ...order('keyless', 'stripe', 'adyen') },
    ...byCurrency.map((psp) => ({
      when: { currency: [currencyFor[psp]] },
      ...order(psp, 'stripe', 'keyless'),
    })),
    order('stripe', 'adyen', 'keyless'),
  ];
}
