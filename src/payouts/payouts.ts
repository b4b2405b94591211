import { type CreatePayoutDto } from './dto/create-payout.dto.js';
import { type ListPayoutsDto } from './dto/list-payouts.dto.js';

/** The requests of clients, parsed and validated; nothing optional is undefined. */
export type NewPayout = ReturnType<CreatePayoutDto['toValues']>;
export type PayoutFilter = Partial<ReturnType<ListPayoutsDto['filter']>>;
