import { ApiSchema } from '@nestjs/swagger';
import { PageDto } from '../../http/page.dto.js';
import { IsReference, IsTokens } from '../../http/shared-fields.js';

@ApiSchema({ name: 'RecipientRequest', description: 'A recipient to register.' })
export class RegisterRecipientDto {
  @IsReference({ description: 'Your own name for the recipient, as payouts will have it.' })
  reference: string;

  @IsTokens(
    "A PSP account's name and the token that this PSP made for the recipient's bank account; for a bank that takes files, the account itself. A payout may name all of them or some.",
  )
  tokens: Record<string, string>;
}

export class ListRecipientsDto extends PageDto {
  @IsReference({ optional: true })
  reference?: string;
}
