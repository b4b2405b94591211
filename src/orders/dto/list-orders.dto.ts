import { IsOneOf } from '../../http/fields.js';
import { CreatedRangeDto } from '../../http/page.dto.js';
import { type OrderStatus, orderStatuses } from '../../payments/order-rules.js';

export class ListOrdersDto extends CreatedRangeDto {
  @IsOneOf(orderStatuses, { optional: true })
  status?: OrderStatus;

  filter() {
    return { status: this.status, ...this.created() };
  }
}

/** The request, parsed and validated; nothing optional is undefined. */
export type OrderFilter = Partial<ReturnType<ListOrdersDto['filter']>>;
