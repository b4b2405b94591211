import { IsOneOf, IsText, IsWholeNumber } from '../../http/fields.js';
import { IsDay, IsPspName, UUID } from '../../http/shared-fields.js';
import { ledgerAccounts, type LedgerAccount } from '../../core/ledger-accounts.js';
import { type Days, type LedgerFilter, type StatementFilter } from '../../ledger/ledger.js';

/** Days of UTC. Each filter narrows to one. */
export class LedgerDaysDto {
  @IsDay({ optional: true, description: 'The first day (UTC). Today where it is left out.' })
  from?: string;

  @IsDay({ optional: true, description: 'The last day (UTC). Today where it is left out.' })
  to?: string;

  @IsPspName()
  psp?: string;

  @IsText({
    maxLength: 3,
    pattern: '^[A-Z]{3}$',
    optional: true,
    description: 'ISO 4217, in capitals.',
    message: 'must be an ISO 4217 code in capitals',
  })
  currency?: string;

  @IsText({
    maxLength: 36,
    pattern: UUID,
    optional: true,
    description: 'One merchant.',
    message: 'must be the id of a merchant',
  })
  merchant_id?: string;

  days(now: Date): Days {
    const today = now.toISOString().slice(0, 10);
    return { from: this.from ?? today, to: this.to ?? today };
  }

  narrows(): LedgerFilter {
    const { psp, currency, merchant_id: merchantId } = this;
    return {
      ...(psp === undefined ? {} : { psp }),
      ...(currency === undefined ? {} : { currency }),
      ...(merchantId === undefined ? {} : { merchantId }),
    };
  }
}

export class LedgerStatementDto extends LedgerDaysDto {
  @IsOneOf(ledgerAccounts, { optional: true, description: 'One account of the ledger.' })
  account?: LedgerAccount;

  @IsWholeNumber({
    minimum: 1,
    maximum: 1_000,
    optional: true,
    default: 100,
    description: 'How many at most.',
  })
  limit = 100;

  @IsText({
    maxLength: 600,
    pattern: '^[A-Za-z0-9_-]+$',
    optional: true,
    description: '`next_cursor` of the page before.',
    message: 'must be the next_cursor of a page',
  })
  cursor?: string;

  filter(): StatementFilter {
    const { account } = this;
    return { ...this.narrows(), ...(account === undefined ? {} : { account }) };
  }
}
