import { ApiSchema } from '@nestjs/swagger';
import { IsFlag } from '../../http/fields.js';
import { IsAmount, IsPartReference } from '../../http/shared-fields.js';

@ApiSchema({
  name: 'CaptureRequest',
  description:
    'Without `amount`, or without a body: all that is left of what was authorized. With `reference`: one of several captures.',
})
export class CapturePaymentDto {
  @IsAmount({ optional: true })
  amount?: number;

  @IsPartReference()
  reference?: string;

  @IsFlag({
    optional: true,
    description:
      'True: the rest of the authorization is released, also where the capture has a `reference`. False: the payment stays `authorized` until all is captured or the rest is canceled; a PSP that captures once refuses a part (`capture_in_parts_unsupported`, 409). Left out: true without a `reference`, false with one.',
  })
  final?: boolean;

  toValues() {
    const { amount = null, reference = null, final } = this;
    // Left out if it is not given, so that the fingerprints of other requests stay the same.
    return { amount, reference, ...(final === undefined ? {} : { final }) };
  }
}

/** The request, parsed and validated; nothing optional is undefined. */
export type NewCapture = ReturnType<CapturePaymentDto['toValues']>;
