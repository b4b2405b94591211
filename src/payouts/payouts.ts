/** What a client asks for with POST /v1/payouts, parsed and validated; nothing optional is undefined. */
export interface NewPayout {
  readonly reference: string;
  readonly recipient: {
    /** The merchant's name for the recipient; the payouts to it are one sequence. */
    readonly reference: string;
    /** PSP account name to that PSP's own token of the recipient's bank account. At least one. */
    readonly tokens: Readonly<Record<string, string>>;
  };
  /** Minor units, 1 to 2^53 - 1. */
  readonly amount: number;
  readonly currency: string;
  /** The id of the recipient's last payout that ended, in small letters; null for the first one. */
  readonly previous: string | null;
  readonly statementDescriptor: string | null;
  readonly metadata: Readonly<Record<string, string>>;
}

export interface PayoutFilter {
  readonly status?: string;
  readonly psp?: string;
  readonly reference?: string;
  readonly recipient?: string;
  readonly createdFrom?: Date;
  readonly createdTo?: Date;
}
