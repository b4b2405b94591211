/** The payment that everybody makes: automatic capture at the first PSP, nothing left out. */
export function paymentBody(reference: string): object {
  return {
    reference,
    amount: 4_990,
    currency: 'USD',
    capture: 'automatic',
    payment_method: {
      type: 'card',
      tokens: { stripe: 'pm_card_visa' },
      card: { brand: 'visa', country: 'US' },
    },
    customer: { reference: 'customer-1', email: 'customer@shop.example' },
    statement_descriptor: 'SHOP',
    metadata: { basket: 'b-1', channel: 'web' },
  };
}

export const PATH = '/v1/payments';
