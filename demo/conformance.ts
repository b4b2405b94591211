import { type Ask, type Target, type Told } from '@payonce/conformance';
import { samples } from '@payonce/simulator';
import { type Answer } from './shop.js';
import { Stage } from './stage.js';

/** Payonce as the kit tries it: the service as it is built, on a database of its own. `npm run conformance`. */
class PayonceTarget implements Target {
  private readonly stage = new Stage();

  start(psps: Parameters<Target['start']>[0]): Promise<void> {
    return this.stage.open(psps);
  }

  charge(ask: Ask): Promise<Told> {
    return this.pay(ask, 'automatic');
  }

  authorize(ask: Ask): Promise<Told> {
    return this.pay(ask, 'manual');
  }

  capture(payment: string, { key }: Ask): Promise<Told> {
    return this.post(`/v1/payments/${payment}/capture`, key, {});
  }

  refund(payment: string, { key }: Ask): Promise<Told> {
    return this.post(`/v1/payments/${payment}/refunds`, key, {});
  }

  stop(): Promise<void> {
    return this.stage.close();
  }

  private pay({ key, reference, amount, currency, tokens, psp }: Ask, capture: string): Promise<Told> {
    const { method } = samples[psp];
    const paid =
      method === undefined
        ? { type: 'card', tokens }
        : { type: 'bank_debit', bank_debit: { name: method }, tokens: { [psp]: tokens[psp] } };
    return this.post('/v1/payments', key, {
      reference,
      amount,
      currency,
      capture,
      payment_method: paid,
      customer: { reference: 'customer-1' },
    });
  }

  private async post(path: string, key: string, body: object): Promise<Told> {
    return toldBy(await this.stage.shop.post(path, key, body, 10));
  }
}

const DONE = ['captured', 'authorized', 'partially_refunded', 'refunded', 'succeeded'];

/** 200 and 201 are final, whatever became of the operation; everything else is asked for again. */
function toldBy({ status, text }: Answer): Told {
  if (status !== 200 && status !== 201) return { status: 'unknown' };
  const { id, status: state } = JSON.parse(text) as { id: string; status: string };
  return { status: DONE.includes(state) ? 'done' : 'failed', payment: id };
}

export const target: Target = new PayonceTarget();
