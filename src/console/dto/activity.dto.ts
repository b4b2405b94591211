import { IsOneOf } from '../../http/fields.js';
import { type Span, spans } from '../activity-views.js';

export class ActivityDto {
  @IsOneOf(spans, { optional: true })
  span?: Span;
}
