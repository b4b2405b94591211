import { NO_MERCHANT } from '../../core/ids.js';
import { ledgerAccounts, type LedgerAccount } from '../../core/ledger-accounts.js';
import { redact } from '../../core/redact.js';
import { IsOneOf, IsText } from '../../http/fields.js';
import { IsAmount, IsCurrencyCode, IsDay, LINE, UUID } from '../../http/shared-fields.js';
import { IsTotpCode } from '../../operators/dto/totp-code.js';
import { type CorrectLedger } from '../approvable-action.js';

/** A correction of the ledger, as a person asks for it. */
export class CorrectLedgerDto {
  @IsTotpCode()
  code?: string;

  @IsText({
    maxLength: 100,
    pattern: '^[A-Za-z0-9._-]{1,100}$',
    message: 'must be 1 to 100 letters, digits, ".", "_" or "-"',
  })
  name: string;

  @IsText({ minLength: 1, maxLength: 64, pattern: LINE, message: 'must be the name of a PSP account' })
  psp: string;

  @IsOneOf(ledgerAccounts)
  debit: LedgerAccount;

  @IsOneOf(ledgerAccounts)
  credit: LedgerAccount;

  @IsAmount()
  amount: number;

  @IsCurrencyCode()
  currency: string;

  @IsText({ maxLength: 36, pattern: UUID, optional: true, message: 'must be the id of a merchant' })
  merchant_id?: string;

  @IsDay({
    optional: true,
    description:
      'The day (UTC) that it is of, not after today. The day of the approval where it is left out.',
  })
  day?: string;

  @IsText({ minLength: 1, maxLength: 500, message: 'must say in 1 to 500 characters why' })
  note: string;

  action(): CorrectLedger {
    const { name, psp, debit, credit, amount, currency, day = null, merchant_id = NO_MERCHANT } = this;
    const note = redact(this.note.trim());
    return { kind: 'correct_ledger', merchant_id, name, psp, debit, credit, amount, currency, day, note };
  }
}
