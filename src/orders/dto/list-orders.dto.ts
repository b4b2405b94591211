import { IsOneOf } from '../../http/fields.js';
import { CreatedRangeDto } from '../../http/page.dto.js';

export class ListOrdersDto extends CreatedRangeDto {
  @IsOneOf(['overpaid'], { optional: true, description: 'Only orders of which more is live than is due.' })
  status?: 'overpaid';

  filter() {
    return { status: this.status, ...this.created() };
  }
}

/** The request, parsed and validated; nothing optional is undefined. */
export type OrderFilter = Partial<ReturnType<ListOrdersDto['filter']>>;
