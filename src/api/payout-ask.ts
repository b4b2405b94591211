import { type PayoutAsk, type PayoutFilter } from '../payouts/index.js';
import { DEFAULT_LIMIT, queryOf } from './ask.js';
import {
  PayoutListQuery,
  type PayoutListParameters,
  PayoutRequest,
  type PayoutRequestBody,
} from './payout-schemas.js';
import { checkOf, type Check } from './validation.js';

/** From what came over the wire to what the flow takes. Each throws Problem `validation_failed`. */

const checkPayout: Check<PayoutRequestBody> = checkOf(PayoutRequest);
const checkList: Check<PayoutListParameters> = checkOf(PayoutListQuery);

export function payoutAsk(value: unknown): PayoutAsk {
  checkPayout(value);
  return {
    reference: value.reference,
    recipient: { reference: value.recipient.reference, tokens: value.recipient.tokens },
    amount: value.amount,
    currency: value.currency,
    previous: value.previous?.toLowerCase() ?? null,
    statementDescriptor: value.statement_descriptor ?? null,
    metadata: value.metadata ?? {},
  };
}

export interface PayoutListAsk {
  readonly filter: PayoutFilter;
  readonly limit: number;
  readonly cursor: string | null;
}

/** From a parsed query string: every value is a string, or an array where a name came twice. */
export function payoutListAsk(query: Readonly<Record<string, unknown>>): PayoutListAsk {
  const value: unknown = queryOf(query);
  checkList(value);
  const { status, psp, reference, recipient, 'created[gte]': from, 'created[lte]': to } = value;
  return {
    filter: {
      ...(status === undefined ? {} : { status }),
      ...(psp === undefined ? {} : { psp }),
      ...(reference === undefined ? {} : { reference }),
      ...(recipient === undefined ? {} : { recipient }),
      ...(from === undefined ? {} : { createdFrom: new Date(from) }),
      ...(to === undefined ? {} : { createdTo: new Date(to) }),
    },
    limit: value.limit ?? DEFAULT_LIMIT,
    cursor: value.cursor ?? null,
  };
}
