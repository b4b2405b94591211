/** What a client asks for with POST /v1/payments, parsed and validated; nothing optional is undefined. */
export interface NewPayment {
  readonly reference: string;
  /** Minor units, 1 to 2^53 - 1. */
  readonly amount: number;
  readonly currency: string;
  readonly capture: 'automatic' | 'manual';
  readonly paymentMethod: {
    readonly type: 'card';
    /** PSP account name to that PSP's own token. At least one. */
    readonly tokens: Readonly<Record<string, string>>;
    /** PSP account name to that PSP's own customer. Absent where it was not given. */
    readonly customers?: Readonly<Record<string, string>>;
    /** The merchant starts the payment. Absent: the customer does. */
    readonly initiator?: 'merchant';
    readonly card: { readonly brand: string | null; readonly country: string | null };
  };
  readonly customer: { readonly reference: string | null; readonly email: string | null };
  readonly returnUrl: string | null;
  readonly statementDescriptor: string | null;
  readonly metadata: Readonly<Record<string, string>>;
  /** The same payment within the merchant's window is meant. Absent where it was not said. */
  readonly allowDuplicate?: true;
}

export interface NewCapture {
  /** Minor units; null = all that is left. */
  readonly amount: number | null;
  /** Its name among several captures of the payment; null for the only one. */
  readonly reference: string | null;
}

/** What the customer's return handed over (Adyen: `redirectResult`, `threeDSResult`), for the PSP as it is. */
export interface NewCompletion {
  readonly details: Readonly<Record<string, unknown>>;
}

export interface PaymentFilter {
  readonly status?: string;
  readonly psp?: string;
  readonly reference?: string;
  readonly createdFrom?: Date;
  readonly createdTo?: Date;
}
