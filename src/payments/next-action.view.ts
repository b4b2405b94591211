import { ApiSchema } from '@nestjs/swagger';
import { Constant, Field, OneOf, Text } from '../http/view-fields.js';

@ApiSchema({ name: 'RedirectAction', description: 'A page to open.' })
export class RedirectActionView {
  @Constant('redirect')
  readonly type: 'redirect';

  @Text({ description: 'Send the customer there. It may have 8,000 characters and more.' })
  readonly url: string;

  @OneOf(['GET', 'POST'])
  readonly method: 'GET' | 'POST';

  @Field({
    type: 'object',
    additionalProperties: { type: 'string' },
    description: 'The fields of the form to send with POST; empty for GET.',
  })
  readonly fields: Readonly<Record<string, string>>;
}

@ApiSchema({
  name: 'PspSdkAction',
  description: "What the PSP's own library in the browser or app carries out.",
})
export class PspSdkActionView {
  @Constant('psp_sdk')
  readonly type: 'psp_sdk';

  @Text({ description: "The PSP account's name." })
  readonly psp: string;

  @Field({
    type: 'object',
    additionalProperties: true,
    description: "The PSP's own object, as it came: Adyen's `action`, Stripe's `next_action`.",
  })
  readonly data: Readonly<Record<string, unknown>>;
}

/** The action that the customer has to take. */
export type NextActionView = RedirectActionView | PspSdkActionView;
