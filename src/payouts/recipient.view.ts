import { ApiSchema } from '@nestjs/swagger';
import { Constant, Field, Id, OneOf, TestMode, Text, Time, WholeNumber } from '../http/view-fields.js';
import { type Caller } from '../core/caller.js';
import { type Recipient } from './recipient.entity.js';

export const recipientStatuses = ['active', 'waiting_for_approval', 'removed'] as const;

/** The recipient as the API shows it; field names are the wire's. */
@ApiSchema({ name: 'RegisteredRecipient', description: 'A recipient of payouts that was registered first.' })
export class RecipientView {
  @Constant('recipient')
  readonly object: 'recipient';

  @Id()
  readonly id: string;

  @TestMode()
  readonly test: boolean;

  @Text({ description: 'As payouts name it.' })
  readonly reference: string;

  @OneOf(recipientStatuses, {
    description:
      '`waiting_for_approval`: an operator has to approve it before it is paid. `removed`: it is not paid until it is registered again.',
  })
  readonly status: (typeof recipientStatuses)[number];

  @WholeNumber({ minimum: 1, description: 'Raised with every change of the tokens, and by removal.' })
  readonly version: number;

  @Field({
    type: 'object',
    additionalProperties: { type: 'string' },
    description:
      'PSP account to the last four characters of the token, empty where that would be half of it.',
  })
  readonly accounts: Readonly<Record<string, string>>;

  @Time({ description: 'When this version was registered.' })
  readonly registered_at: string;

  @Time({ nullable: true, description: 'When an operator approved this version.' })
  readonly approved_at: string | null;
}

/** The merchant's rule says whether an approval is needed. */
export function recipientViewOf(
  recipient: Recipient,
  { payoutRecipients, isTest }: Pick<Caller, 'payoutRecipients' | 'isTest'>,
): RecipientView {
  const { id, reference, version, accounts, tokens, registeredAt, approvedAt } = recipient;
  const waits = payoutRecipients === 'approved' && approvedAt === null;
  return {
    object: 'recipient',
    id,
    test: isTest,
    reference,
    status: tokens === null ? 'removed' : waits ? 'waiting_for_approval' : 'active',
    version,
    accounts,
    registered_at: registeredAt.toISOString(),
    approved_at: approvedAt?.toISOString() ?? null,
  };
}
