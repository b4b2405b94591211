import { Column, Entity, PrimaryColumn } from 'typeorm';

/**
 * A change of an object of a merchant, for the merchant's endpoints. Written in the commit that
 * makes it so, so that there is exactly one for each change; never changed but for `fannedOutAt`.
 */
@Entity('events')
export class EventRecord {
  @PrimaryColumn('uuid')
  merchantId: string;

  @PrimaryColumn('uuid')
  id: string;

  /** `payment.captured`: noun and past participle, or a state. */
  @Column('text')
  type: string;

  /** `payment:<id>`. */
  @Column('text')
  subject: string;

  /** The object as it was shown at that moment. No secrets, no tokens; of the customer the merchant's reference alone. */
  // The JSON as it was written, in the order of the API's own answers; nothing searches in it.
  @Column('json')
  data: Record<string, unknown>;

  @Column('timestamptz')
  at: Date;

  /** When it was decided which endpoints it is sent to; null until then. */
  @Column('timestamptz', { nullable: true })
  fannedOutAt: Date | null;
}
