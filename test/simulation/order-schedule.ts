import { pino } from 'pino';
import { type Caller } from '../../src/core/caller.js';
import { type Config } from '../../src/config/config.js';
import { Problem } from '../../src/core/problem.js';
import { idempotencyKeys } from '../../src/idempotency/idempotency-key.table.js';
import { StoreUnavailable } from '../../src/database/store-unavailable.js';
import { type OrderRequest, shareOf } from '../../src/payments/order-rules.js';
import { orders } from '../../src/payments/order.table.js';
import { OrderedChargeFlow } from '../../src/payments/ordered-charge.flow.js';
import { OrderedPayments } from '../../src/payments/ordered-payments.js';
import { type Payment } from '../../src/payments/payment.entity.js';
import { payments } from '../../src/payments/payment.table.js';
import { eventRecords } from '../../src/database/event.js';
import { orphanEffects, pspRequests } from '../../src/request-storage/route.table.js';
import { Broken, merchantId, withStory } from './installation.js';
import { type Effect } from './simulated-psp.js';
import { PaymentSchedule, type Played } from './payment-schedule.js';

/** What came of a seed in which a customer tries to pay one order several times. */
export interface PlayedOrders extends Pick<Played, 'crashes' | 'effects' | 'refunds' | 'stuck'> {
  /** Payments of the order, and those of them that were not the first. */
  readonly tried: number;
  readonly goneAhead: number;
  /** Requests that were refused: the order was paid, or a payment of it was in doubt. */
  readonly refusedPaid: number;
  readonly inDoubt: number;
  readonly replaced: number;
  readonly paid: number;
}

/** One seed: see `playPayment`. */
export function playOrders(seed: number): Promise<PlayedOrders> {
  return withStory((telling) => new OrderSchedule(seed, telling).playOrder());
}

const ORDER = 'order-1';
const DUE = 1_000;
const silent = pino({ level: 'silent' });

interface Card {
  readonly key: string;
  readonly amount: number;
  readonly order: OrderRequest;
  /** The PSP accounts that have a token of it. */
  readonly accounts: readonly string[];
}

/**
 * The payment's installation, and one order: a customer with several cards, tabs and devices, who does not wait for what
 * became of one before trying the next, a merchant who refunds and cancels meanwhile, or who takes the order in parts.
 */
class OrderSchedule extends PaymentSchedule {
  private readonly inParts = this.world.apart(0x6a09e667).maybe(0.3);
  private refusedPaid = 0;
  private inDoubt = 0;
  private readonly cards: Card[] = [];

  async playOrder(): Promise<PlayedOrders> {
    const { world } = this;
    this.processes.push(world.newProcess('A'), world.newProcess('B'));
    const tries = Array.from({ length: world.between(2, 5) }, (_, n) => this.try(n));
    const staff = [this.refundLater(), this.cancelLater()];
    await this.until(Promise.all([...tries, ...staff, this.workers(), this.accounts.rotate(this.processes)]));
    await this.comeToRest();
    return this.judgeOrder();
  }

  /** One more card, some time after the one before it, or at the same moment. */
  private async try(n: number): Promise<void> {
    const { world } = this;
    const amount = this.inParts ? world.oneOf([300, 400, 600, DUE]) : DUE;
    const order = {
      reference: ORDER,
      amountDue: this.inParts ? DUE : null,
      inParts: this.inParts,
      replaces: world.maybe(0.4),
    };
    const { names } = this.accounts;
    const accounts = world.maybe(0.5) ? names : [world.oneOf(names)];
    const card = { key: `card-${n}`, amount, order, accounts };
    this.cards.push(card);
    await this.insist(
      () => this.pay(card),
      world.oneOf([0, 0, world.between(0, 3_000), world.between(0, 90_000)]),
    );
  }

  /** True when there is nothing more to ask. */
  private async pay(card: Card): Promise<boolean> {
    const { world } = this;
    const someone = this.someone();
    if (!someone) return false;
    const { process, service } = someone;
    const context = {
      caller: { merchantId, apiKeyId: 'k' } as Caller,
      key: card.key,
      waitMs: world.oneOf([0, 2_000]),
      deadlineMs: world.oneOf([2_000, 10_000, 25_000]),
      requestId: 't',
    };
    const payment = { ...this.ask, amount: card.amount, capture: 'automatic' as const };
    const { operations, keyed, worker, flows } = service;
    const ordered = new OrderedPayments(operations, keyed, worker, { deadlineMs: 25_000 } as Config, silent);
    const route = () => ({ ...this.routed(), candidates: card.accounts });
    const flow = new OrderedChargeFlow(operations, route, card.order);
    const running = ordered.create(context, payment, flow, flows.cancel);
    const told = await Promise.race([running.catch(messageOf), process.death]);
    if (typeof told === 'string') {
      // A shop that gets order_paid thanks the customer: the answer is final and must name what paid.
      if (told.startsWith('order_paid')) throw new Broken(world, 'I10: paid by nothing that is named');
      if (told.startsWith('order_in_doubt')) this.inDoubt += 1;
      world.tell(`${card.key}: ${told.split(':')[0]!}`);
      // A part that is larger than what is left is not asked for for ever.
      return told.startsWith('amount_exceeds_order');
    }
    world.tell(`${card.key} is answered ${told.status}`);
    if (told.status === 202) return false;
    if (told.body.includes('"order_paid"')) this.refusedPaid += 1;
    this.sameAnswer(card.key, `${told.status} ${told.body}`);
    return world.maybe(0.5);
  }

  private async refundLater(): Promise<void> {
    if (!this.world.maybe(0.4)) return;
    await this.modify('refund', ({ amountCaptured }) => amountCaptured > 0);
  }

  private async cancelLater(): Promise<void> {
    if (!this.world.maybe(0.2)) return;
    await this.modify('cancel', ({ status }) => status === 'processing' || status === 'requires_action');
  }

  private async modify(what: 'refund' | 'cancel', isFit: (payment: Payment) => boolean): Promise<void> {
    await this.insist(
      async () => {
        const someone = this.someone();
        const found = (await this.memory.find(payments, { merchantId })).find(isFit);
        if (!someone || !found) return false;
        const { process, service } = someone;
        const input = { paymentId: found.id, amount: null, reference: null, reason: null, metadata: {} };
        const request = {
          merchantId,
          key: `${what}-${found.id}`,
          actor: 'staff',
          traceId: 't',
          waitMs: 0,
          input,
        };
        const told = await Promise.race([
          service.keyed.run(service.flows[what], request).catch(messageOf),
          process.death,
        ]);
        return typeof told !== 'string' && told.status !== 202;
      },
      this.world.between(0, 120_000),
    );
  }

  protected override async askAgain(): Promise<void> {
    for (const card of this.cards) {
      if (this.answered.includes(card.key)) await this.until(this.pay(card));
    }
  }

  // What must hold.

  /** I7: at all PSPs together the payments of the order never take more than is due. `onceEach` checks it. */
  protected override neverMoreOutThanIn(): void {}

  protected override onceEach(withPeople: ReadonlySet<string | null> = new Set(), atRest = false): void {
    super.onceEach(withPeople);
    let live = 0;
    for (const effect of this.effects) {
      const { operation, amount, entityKey, undone, pspReference } = effect;
      if (undone || withPeople.has(pspReference) || entityKey.includes('-orphan-')) continue;
      if (!atRest && this.isBeingUndone(effect)) continue;
      if (operation === 'charge') live += amount;
      if (operation === 'refund') live -= amount;
    }
    if (live > DUE) throw new Broken(this.world, `I7: ${live} are taken for an order of ${DUE}`);
  }

  /** Its PSP has said that it will be, and does so a little later. */
  private isBeingUndone({ psp, entityKey, route }: Effect): boolean {
    return this.accounts.all.some(
      ({ name, undoing }) => name === psp && undoing.has(`${entityKey}/${route}`),
    );
  }

  /** Also the orphan effect of one payment of the order, where another one has paid it. */
  protected override async leftToPeople(): Promise<ReadonlySet<string | null>> {
    const orphans = await this.memory.find(orphanEffects, { merchantId });
    const waiting = orphans.filter(({ status }) => status === 'compensating' || status === 'failed');
    return new Set(waiting.map(({ pspReference }) => pspReference));
  }

  private async judgeOrder(): Promise<PlayedOrders> {
    this.onceEach(await this.leftToPeople(), true);
    await this.nothingIsLost(this.effects.filter(({ entityKey }) => !entityKey.includes('-orphan-')));
    await this.everyRouteGoesOn();
    const all = await this.memory.find(payments, { merchantId });
    await this.sumsAgree(all);
    await this.nothingIsShutForEver(all);
    const routes = await this.memory.find(pspRequests, { merchantId });
    const keys = await this.memory.find(idempotencyKeys, { merchantId });
    const told = await this.memory.find(eventRecords, { merchantId });
    return {
      crashes: this.crashes,
      effects: this.effects.length,
      refunds: this.effects.filter(({ operation }) => operation === 'refund').length,
      stuck: routes.filter(({ stuckAt }) => stuckAt !== null).length,
      tried: all.length,
      goneAhead: Math.max(0, all.length - 1),
      refusedPaid: this.refusedPaid,
      inDoubt: this.inDoubt,
      replaced: keys.filter(({ key }) => key.startsWith('order-replaces-')).length,
      paid: told.filter(({ type }) => type === 'order.paid').length,
    };
  }

  /** The order's row says what its payments say. */
  private async sumsAgree(all: readonly Payment[]): Promise<void> {
    const [order] = await this.memory.find(orders, { merchantId });
    const sum = (of: 'live' | 'paid') => all.reduce((total, payment) => total + shareOf(payment)[of], 0);
    const [live, paid] = [sum('live'), sum('paid')];
    const says = order && { live: order.amountLive, paid: order.amountPaid };
    if (all.length > 0 && (says?.live !== live || says.paid !== paid)) {
      throw new Broken(
        this.world,
        `I8: the order says ${JSON.stringify(says)}, its payments ${live} and ${paid}`,
      );
    }
  }

  /** I9: proof of every payment before it lets a card in. */
  private async nothingIsShutForEver(all: readonly Payment[]): Promise<void> {
    if (all.length === 0 || all.some((payment) => shareOf(payment).live > 0)) return;
    const order = { reference: ORDER, amountDue: null, inParts: null, replaces: false };
    const last: Card = { key: 'last-card', amount: DUE, order, accounts: this.accounts.names };
    for (let tries = 0; tries < 3; tries++) {
      await this.until(this.pay(last));
      if ((await this.memory.find(payments, { merchantId })).length > all.length) return;
    }
    throw new Broken(this.world, 'I9: no payment of the order is live, and it takes none');
  }
}

function messageOf(error: unknown): string {
  if (error instanceof Problem || error instanceof StoreUnavailable) return error.message;
  throw error;
}
