import { authorizedRefusal, released } from './capture.flow.js';
import { failureOf } from '../request-storage/decisions/route-failure.js';
import { ModificationFlow, requestedVerdict } from './modify-payment.js';
import { type Payment } from './payment.entity.js';
import { type Refusal } from './refusal.js';
import { type PaymentEvent } from './payment.lifecycle.js';
import { type OperationStep } from './payment-operation.js';
import { leftToCapture, type PaymentState } from './payment-state.js';

/** Voids an authorization, or the rest of it, or an undecided payment if the PSP supports that. */
export class CancelFlow extends ModificationFlow {
  readonly name = 'POST /v1/payments/:id/cancel';
  readonly operation = 'void';

  /** begin: a canceled payment satisfies the request, no matter what canceled it. */
  protected override isAlreadySatisfied(state: PaymentState): boolean {
    return state.payment.status === 'canceled' || requestedVerdict(state) === 'effective';
  }

  protected refusal({ payment }: PaymentState): Refusal | null {
    return authorizedRefusal(payment, 'voided', 'canceled');
  }

  protected amountOf({ payment }: PaymentState): number {
    return leftToCapture(payment);
  }

  protected reserve(): Partial<Payment> {
    return {};
  }

  done({ payment }: OperationStep): PaymentEvent {
    return released(payment);
  }

  failed(): PaymentEvent {
    return 'void_failed';
  }

  effect(event: PaymentEvent, { payment, request, step }: OperationStep): Partial<Payment> {
    const { psp, pspReference, operation } = request;
    return {
      sealed: null,
      nextAction: null,
      ...(event === 'voided' && payment.psp === null ? { psp, pspReference } : {}),
      failure: failureOf(step, operation),
    };
  }
}
