import { ApiSchema } from '@nestjs/swagger';
import { IsAnyObject } from '../../http/fields.js';

@ApiSchema({ name: 'CompleteRequest', description: 'What the customer did.' })
export class CompletePaymentDto {
  @IsAnyObject({
    minProperties: 1,
    maxProperties: 32,
    maxCharacters: 65_536,
    description:
      'What the customer\'s return brought, passed on to the PSP unchanged; at most 65,536 characters as JSON. The query string of the return as it came, as `return_query`; or, at Adyen, the `details` that its library gives. Stripe needs none of it: send `{ "return": "seen" }` or what the return brought.',
    message: 'must be an object of 1 to 32 members',
  })
  details: Record<string, unknown>;

  toValues() {
    return { details: this.details };
  }
}

/** The request, parsed and validated; nothing optional is undefined. */
export type NewCompletion = ReturnType<CompletePaymentDto['toValues']>;
