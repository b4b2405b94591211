import { amountOf, isObject, type Json } from './adyen-parameters.js';
import { type AdyenAmount } from './adyen-payments.js';
import { adyenTransferInstrument, type PayoutBehaviour } from './bank-accounts.js';
import { type Clock } from './clock.js';
import { idSource } from './ids.js';
import { type Ledger } from './ledger.js';
import { json, type Reply, type Routed } from './wire.js';

const LONGEST_REFERENCE = 80;
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
  private readonly nextRequest = idSource('', 16);

  constructor(
    private readonly clock: Clock,
    private readonly ledger: Ledger,
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

  private send(transfer: Transfer, behaviour: PayoutBehaviour, key: string | null): Reply {
    const id = this.nextTransfer();
    switch (behaviour.does) {
      case 'pay':
      case 'receive':
        break;
      case 'refuse':
        return this.answer(id, transfer, 'refused', behaviour.code);
      case 'fail':
        return this.answer(id, transfer, 'error', 'unknown');
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
    return behaviour.does === 'receive'
      ? this.answer(id, transfer, 'received', 'pending')
      : this.answer(id, transfer, 'authorised', 'approved');
  }

  private answer(id: string, transfer: Transfer, status: string, reason: string): Reply {
    const { amount, balanceAccountId, transferInstrumentId, priority, reference, description } = transfer;
    return json(202, {
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
    });
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
    if (reference !== undefined && (typeof reference !== 'string' || reference.length > LONGEST_REFERENCE)) {
      return this.invalid('reference', `has at most ${LONGEST_REFERENCE} characters`);
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
