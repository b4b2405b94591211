import { type CapturePaymentDto } from './dto/capture-payment.dto.js';
import { type CompletePaymentDto } from './dto/complete-payment.dto.js';
import { type CreatePaymentDto } from './dto/create-payment.dto.js';
import { type ListPaymentsDto } from './dto/list-payments.dto.js';

/** The requests of clients, parsed and validated; nothing optional is undefined. */
export type NewPayment = ReturnType<CreatePaymentDto['toValues']>;
export type NewCapture = ReturnType<CapturePaymentDto['toValues']>;
export type NewCompletion = ReturnType<CompletePaymentDto['toValues']>;
export type PaymentFilter = Partial<ReturnType<ListPaymentsDto['filter']>>;
