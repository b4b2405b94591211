import { ApiSchema } from '@nestjs/swagger';
import { Amount, Field, Id, OneOf, PageOf, Text, Time, WholeNumber } from '../http/view-fields.js';
import { ledgerAccounts, type LedgerAccount } from '../core/ledger-accounts.js';
import { type Balances, type Entry } from './ledger.js';

const signed = (description: string) => WholeNumber({ description });

@ApiSchema({ name: 'LedgerPspTotals', description: 'One PSP account in one currency, in minor units.' })
class PspTotalsView {
  @Text()
  readonly psp: string;

  @Text()
  readonly currency: string;

  @signed('Charged and captured in these days.')
  readonly taken: number;

  @signed('Refunded in these days.')
  readonly refunded: number;

  @signed('Withheld for disputes in these days, less what was given back.')
  readonly disputed: number;

  @signed('Paid out to recipients in these days.')
  readonly paid_out: number;

  @signed('What the PSP charged for it in these days, as far as its reports have told.')
  readonly fees: number;

  @signed('Transferred to the bank in these days, as far as reports have told.')
  readonly settled: number;

  @signed('What the PSP holds at the end of these days: what it is still to pay out.')
  readonly held: number;
}

@ApiSchema({ name: 'LedgerBalance', description: 'A line of the trial balance, in minor units.' })
class BalanceView {
  @OneOf(ledgerAccounts)
  readonly account: LedgerAccount;

  @Text()
  readonly currency: string;

  @Amount('Everything that was debited until the end of these days.')
  readonly debit: number;

  @Amount('Everything that was credited until then.')
  readonly credit: number;
}

@ApiSchema({ name: 'LedgerBalances' })
export class BalancesView {
  @Text({ format: 'date' })
  readonly from: string;

  @Text({ format: 'date' })
  readonly to: string;

  @Time({ nullable: true, description: 'Until when operations are posted; null: never yet.' })
  readonly as_of: string | null;

  @Field({ type: PspTotalsView, isArray: true })
  readonly psps: readonly PspTotalsView[];

  @Field({ type: BalanceView, isArray: true })
  readonly trial: readonly BalanceView[];
}

@ApiSchema({ name: 'LedgerEntry' })
export class EntryView {
  @Time()
  readonly occurred_at: string;

  @Id({ description: 'The merchant.' })
  readonly merchant_id: string;

  @Text({ description: 'Names the transaction; its entries sum to zero.' })
  readonly source: string;

  @WholeNumber({ minimum: 1 })
  readonly line: number;

  @Text({ description: 'What moved the money: `charge`, `refund`, `fee` …' })
  readonly kind: string;

  @OneOf(ledgerAccounts)
  readonly account: LedgerAccount;

  @Text()
  readonly psp: string;

  @Text()
  readonly currency: string;

  @signed('In minor units; debits above zero, credits below.')
  readonly amount: number;

  @Id({ nullable: true })
  readonly payment_id: string | null;

  @Id({ nullable: true })
  readonly payout_id: string | null;

  @Text({ nullable: true, description: "The merchant's name for the payment or payout." })
  readonly reference: string | null;

  @Text({ nullable: true, description: "The merchant's name for the order." })
  readonly order: string | null;
}

export const EntryPage = PageOf('LedgerEntryPage', EntryView);

export function balancesViewOf(
  { psps, trial, asOf }: Balances,
  days: { from: string; to: string },
): BalancesView {
  return {
    from: days.from,
    to: days.to,
    as_of: asOf?.toISOString() ?? null,
    psps: psps.map(({ paidOut, ...totals }) => ({ ...totals, paid_out: paidOut })),
    trial,
  };
}

export function entryViewOf({ occurredAt, merchantId, paymentId, payoutId, ...entry }: Entry): EntryView {
  return {
    occurred_at: occurredAt.toISOString(),
    merchant_id: merchantId,
    ...entry,
    payment_id: paymentId,
    payout_id: payoutId,
  };
}
