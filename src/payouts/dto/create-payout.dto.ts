import { ApiSchema } from '@nestjs/swagger';
import { IsNested, IsText } from '../../http/fields.js';
import {
  IsAmount,
  IsCurrencyCode,
  IsMetadata,
  IsReference,
  IsStatementDescriptor,
  IsTokens,
  UUID,
} from '../../http/shared-fields.js';

@ApiSchema({ name: 'Recipient' })
class RecipientDto {
  @IsReference({ description: 'Your own name for the recipient: its payouts are one sequence.' })
  reference: string;

  @IsTokens(
    "A PSP account's name and the token that this PSP made for the recipient's bank account. Only PSPs with a token are candidates. Never an account or card number; but a bank that takes files is given the account itself (docs/bank-files.md).",
  )
  tokens: Record<string, string>;
}

@ApiSchema({ name: 'PayoutRequest', description: 'A payout to send.' })
export class CreatePayoutDto {
  @IsReference()
  reference: string;

  @IsNested(RecipientDto)
  recipient: RecipientDto;

  @IsAmount()
  amount: number;

  @IsCurrencyCode()
  currency: string;

  @IsText({
    maxLength: 36,
    pattern: UUID,
    nullable: true,
    optional: true,
    default: null,
    description:
      'The id of the last payout to this recipient that ended (paid or failed); null or absent for the first.',
    message: 'must be the id of a payout, or null',
  })
  previous?: string | null;

  @IsStatementDescriptor({
    description: "What the recipient's statement shows, where the PSP can; as for a payment.",
  })
  statement_descriptor?: string;

  @IsMetadata()
  metadata?: Record<string, string>;

  /** The values that the request's fingerprint is made of; their shape must stay that of stored requests. */
  toValues() {
    return {
      reference: this.reference,
      recipient: { reference: this.recipient.reference, tokens: this.recipient.tokens },
      amount: this.amount,
      currency: this.currency,
      previous: this.previous?.toLowerCase() ?? null,
      statementDescriptor: this.statement_descriptor ?? null,
      metadata: this.metadata ?? {},
    };
  }
}

/** The request, parsed and validated; nothing optional is undefined. */
export type NewPayout = ReturnType<CreatePayoutDto['toValues']>;
