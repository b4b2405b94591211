import { ApiSchema } from '@nestjs/swagger';
import { EmptyDto } from '../../http/page.dto.js';

@ApiSchema({
  name: 'CancelRequest',
  description: 'An empty object, or no body at all.',
})
export class CancelPaymentDto extends EmptyDto {}
