import { createHmac } from 'node:crypto';
import { amountOf, isObject, type Json } from './adyen-parameters.js';
import { type AdyenAmount } from './adyen-payments.js';
import { adyenTransferInstrument, type PayoutBehaviour } from './bank-accounts.js';
import { type Clock } from './clock.js';
import { idSource } from './ids.js';
import { type Ledger } from './ledger.js';
import { type Webhooks } from './webhooks.js';
import { json, type Reply, type Routed } from './wire.js';

const MAX_REFERENCE_LENGTH = 80;
/** From `authorised` to `booked`, by the simulator's clock. */
const BOOKED_MS = 3_600_000;
const PRIORITIES = ['regular', 'fast', 'wire', 'instant', 'crossBorder', 'internal'];

interface Transfer {
  readonly amount: AdyenAmount;
  readonly balanceAccountId: string;
  readonly transferInstrumentId: string;
  readonly priority: string;
  readonly reference: string | undefined;
  readonly description: string | undefined;
}

/**
 * Adyen's Transfers API v4, as far as it sends money to a bank account that is known as a transfer
 * instrument. https://docs.adyen.com/api-explorer/transfers/4/post/transfers
 */
export class AdyenTransfers {
  private readonly nextTransfer = idSource('3JERI', 16);
  private readonly sent = new Map<string, Transfer>();
  private readonly nextRequest = idSource('', 16);

  constructor(
    private readonly clock: Clock,
    private readonly ledger: Ledger,
    private readonly webhooks: Webhooks,
  ) {}

  create(body: Json, key: string | null): Routed | Reply {
    const transfer = this.transferOf(body);
    if ('status' in transfer) return transfer;
    return {
      kind: 'execute',
      references: transfer.reference === undefined ? [] : [transfer.reference],
      key,
      run: (decline) => {
        const asked = adyenTransferInstrument(transfer.transferInstrumentId);
        return this.send(transfer, decline === undefined ? asked : { does: 'refuse', code: decline }, key);
      },
    };
  }

  /** The recipient's bank sends it back. */
  fail(id: string): boolean {
    const transfer = this.sent.get(id);
    if (transfer === undefined || this.ledger.undo(id, ['payout']) === undefined) return false;
    this.sent.delete(id);
    this.announce(4, this.object(id, transfer, 'returned', 'counterpartyAccountClosed'));
    return true;
  }

  reset(): void {
    this.sent.clear();
  }

  private send(transfer: Transfer, behaviour: PayoutBehaviour, key: string | null): Reply {
    const id = this.nextTransfer();
    if (behaviour.does === 'refuse' || behaviour.does === 'fail') {
      const [status, reason] =
        behaviour.does === 'refuse' ? ['refused', behaviour.code] : ['error', 'unknown'];
      this.announce(1, this.object(id, transfer, 'received', 'pending'));
      this.announce(2, this.object(id, transfer, status, reason));
      return json(202, this.object(id, transfer, status, reason));
    }
    this.ledger.add({
      operation: 'payout',
      psp_reference: id,
      parent_reference: null,
      reference: transfer.reference ?? null,
      // A transfer has no metadata that could tell it.
      route: null,
      amount: transfer.amount.value,
      currency: transfer.amount.currency,
      idempotency_key: key,
    });
    this.sent.set(id, transfer);
    const received = this.object(id, transfer, 'received', 'pending');
    const authorised = this.object(id, transfer, 'authorised', 'approved');
    const booked = this.object(id, transfer, 'booked', 'approved');
    this.announce(1, received);
    if (behaviour.does === 'receive') this.later(BOOKED_MS / 2, id, 2, authorised);
    else this.announce(2, authorised);
    this.later(BOOKED_MS, id, 3, booked);
    return json(202, behaviour.does === 'receive' ? received : authorised);
  }

  /** Unless it was sent back before. */
  private later(ms: number, id: string, sequenceNumber: number, transfer: object): void {
    this.webhooks.schedule(ms, () => {
      if (this.sent.has(id)) this.announce(sequenceNumber, transfer);
    });
  }

  /** A webhook of the balance platform: signed over the whole body, in a header. */
  private announce(sequenceNumber: number, transfer: object): void {
    const timestamp = new Date(this.clock.now()).toISOString();
    const body = JSON.stringify({
      data: { balancePlatform: 'Payonce', ...transfer, sequenceNumber },
      environment: 'test',
      timestamp,
      type: `balancePlatform.transfer.${sequenceNumber === 1 ? 'created' : 'updated'}`,
    });
    this.webhooks.send(([key = '']) => {
      const hmac = createHmac('sha256', Buffer.from(key, 'hex')).update(body).digest('base64');
      return { headers: { hmacsignature: hmac, protocol: 'HmacSHA256' }, body };
    });
  }

  private object(id: string, transfer: Transfer, status: string, reason: string): object {
    const { amount, balanceAccountId, transferInstrumentId, priority, reference, description } = transfer;
    return {
      id,
      amount,
      balanceAccount: { id: balanceAccountId, description: 'Main balance account' },
      category: 'bank',
      categoryData: { priority, type: 'bank' },
      counterparty: { transferInstrumentId },
      createdAt: new Date(this.clock.now()).toISOString(),
      ...(description === undefined ? {} : { description }),
      direction: 'outgoing',
      reason,
      reference: reference ?? id,
      status,
      type: 'bankTransfer',
    };
  }

  private transferOf(body: Json): Transfer | Reply {
    const amount = amountOf(body);
    if ('status' in amount || amount.value === 0) return this.invalid('amount', 'is not valid');
    const { balanceAccountId, category, counterparty, reference, description } = body;
    if (category !== 'bank') return this.invalid('category', 'only bank is played');
    if (typeof balanceAccountId !== 'string' || balanceAccountId === '') {
      return this.invalid('balanceAccountId', 'is required');
    }
    const to = isObject(counterparty) ? counterparty['transferInstrumentId'] : undefined;
    if (typeof to !== 'string' || to === '') {
      return this.invalid('counterparty.transferInstrumentId', 'is required');
    }
    const priority = PRIORITIES.find((one) => one === body['priority']);
    if (priority === undefined) return this.invalid('priority', `must be one of ${PRIORITIES.join(', ')}`);
    if (
      reference !== undefined &&
      (typeof reference !== 'string' || reference.length > MAX_REFERENCE_LENGTH)
    ) {
      return this.invalid('reference', `has at most ${MAX_REFERENCE_LENGTH} characters`);
    }
    return {
      amount,
      balanceAccountId,
      transferInstrumentId: to,
      priority,
      reference,
      description: typeof description === 'string' ? description : undefined,
    };
  }

  /** A problem document (RFC 9457), as this API words its refusals, unlike Checkout. */
  private invalid(name: string, message: string): Reply {
    return json(422, {
      type: 'https://docs.adyen.com/errors/validation',
      title: 'The request is missing required fields or contains invalid data.',
      status: 422,
      detail: `${name} ${message}`,
      requestId: this.nextRequest(),
      invalidFields: [{ name, message }],
      errorCode: '29_001',
    });
  }
}
