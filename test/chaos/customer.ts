import { setTimeout as sleep } from 'node:timers/promises';
import {
  capturesInParts,
  currencyFor,
  email,
  type PspName,
  pspNames,
  tokens,
} from '../support/psp-accounts.js';
import { type Answer, type Asked, type AskedBook, isFinal } from './asked-book.js';
import { pickFrom } from './faults.js';

/** A customer who has asked so often gives up, after a quarter of a minute. */
const MOST_TRIES = 14;

const refusingTokens: Readonly<Partial<Record<PspName, string>>> = {
  stripe: 'pm_decline_insufficient_funds',
  keyless: 'pm_decline_insufficient_funds',
  adyen: 'refuse_12',
  checkout: 'src_decline_20051',
  square: 'cnon:decline-INSUFFICIENT_FUNDS',
  mollie: 'tkn_decline_insufficient_funds',
  paypal: 'vault-decline-5120',
};
const { gocardless: debitToken, ...goodTokens } = tokens;

interface Told {
  readonly id: string;
  readonly status: string;
  readonly amount: number;
  readonly amount_captured: number;
}

/** A customer with an order of their own, and the shop that has it. */
export class Customer {
  constructor(
    private readonly name: string,
    private readonly book: AskedBook,
    private readonly random: () => number,
  ) {}

  async come(): Promise<void> {
    await (this.chance(0.04) ? this.payOut(this.name) : this.serve(this.name));
  }

  private async serve(name: string): Promise<void> {
    const first = pickFrom(this.random, pspNames);
    const isManual = first !== 'gocardless' && this.chance(0.4);
    const amount = 500 + Math.floor(this.random() * 20_000);
    const press = (n: number, isRefused: boolean) =>
      this.ask(`${name}-press-${n}`, '/v1/payments', paymentOf(first, name, amount, isManual, isRefused));
    // Two tabs, each with a key of its own, press at once.
    const isTwice = this.chance(0.08);
    const isRefused = first !== 'gocardless' && this.chance(0.1);
    const presses = await Promise.all(
      isTwice ? [press(1, isRefused), press(2, false)] : [press(1, isRefused)],
    );
    let paid = presses.find(isPaid) ?? null;
    // A card that was declined, or of which nothing is heard, is put away for another one, under another key.
    for (let n = 3; !paid && n < 6 && this.book.isOpen() && this.chance(0.8); n++) {
      const next = await press(n, false);
      if (isPaid(next)) paid = next;
    }
    if (paid && !this.chance(0.1)) await this.follow(name, first, paid, isManual);
  }

  /** The shop sends the goods, or the customer sends them back. */
  private async follow(name: string, first: PspName, paid: Told, isManual: boolean): Promise<void> {
    const path = `/v1/payments/${paid.id}`;
    if (isManual) {
      if (this.chance(0.15)) {
        // Now and then both at once: one of them wins.
        const cancel = this.ask(`${name}-cancel`, `${path}/cancel`, {});
        const capture = this.chance(0.3) ? this.ask(`${name}-capture`, `${path}/capture`, {}) : null;
        await Promise.all([cancel, capture]);
        return;
      }
      await this.capture(name, first, path, paid.amount);
    }
    if (!this.chance(0.3)) return;
    const part = Math.max(1, Math.floor(paid.amount / 3));
    const refunds = this.chance(0.5)
      ? [{}]
      : [
          { amount: part, reference: 'r1' },
          { amount: part, reference: 'r2' },
        ];
    await Promise.all(refunds.map((body, n) => this.ask(`${name}-refund-${n}`, `${path}/refunds`, body)));
  }

  private async capture(name: string, first: PspName, path: string, amount: number): Promise<void> {
    if (!takesParts(first) || this.chance(0.5)) {
      await this.ask(`${name}-capture`, `${path}/capture`, {});
      return;
    }
    const part = Math.floor(amount / 3);
    const sizes = [part, part, amount - 2 * part];
    const isAtOnce = this.chance(0.3);
    const one = (size: number, n: number) =>
      this.ask(`${name}-part-${n}`, `${path}/capture`, { amount: size, reference: `p${n}` });
    if (isAtOnce) await Promise.all(sizes.map(one));
    else for (const [n, size] of sizes.entries()) await one(size, n);
  }

  private async payOut(name: string): Promise<void> {
    const tokens = { stripe: 'ba_shop', keyless: 'ba_shop' };
    const amount = 1_000 + Math.floor(this.random() * 9_000);
    const recipient = { reference: `seller-${name}`, tokens };
    await this.ask(`${name}-payout`, '/v1/payouts', { reference: name, recipient, amount, currency: 'USD' });
  }

  /** Asks with the same key on any doubt, until there is a last word or the customer has gone. */
  private async ask(key: string, path: string, body: object): Promise<Told | null> {
    const asked = this.book.open(key, path, body);
    const gaveUpAfter = this.chance(0.3) ? 1 + Math.floor(3 * this.random()) : MOST_TRIES;
    const tries = this.chance(0.1) ? [0, 1] : [0];
    const answers = await Promise.all(tries.map(() => this.insist(asked, gaveUpAfter)));
    const answer = answers.find((each) => each !== null && each.status < 300);
    return answer ? (JSON.parse(answer.text) as Told) : null;
  }

  private async insist(asked: Asked, most: number): Promise<Answer | null> {
    for (let tries = 1; tries <= most && this.book.isOpen(); tries++) {
      const answer = await this.book.send(asked);
      if (answer && isFinal(answer)) return answer;
      await sleep(Math.min(1_500, 50 * 1.5 ** tries) * (0.5 + this.random()));
    }
    return null;
  }

  private chance(share: number): boolean {
    return this.random() < share;
  }
}

const takesParts = (psp: PspName) => capturesInParts.some((name) => name === psp);
const isPaid = (told: Told | null) => told !== null && told.status !== 'failed';

function paymentOf(first: PspName, name: string, amount: number, isManual: boolean, isRefused: boolean) {
  const isDebit = first === 'gocardless';
  const card = { type: 'card', tokens: isRefused ? refusingTokens : goodTokens };
  const debit = {
    type: 'bank_debit',
    bank_debit: { name: 'bacs' },
    tokens: { gocardless: debitToken },
  };
  return {
    reference: name,
    amount,
    currency: currencyFor[first],
    capture: isManual ? 'manual' : 'automatic',
    ...(isManual && takesParts(first) ? { capture_parts: true } : {}),
    payment_method: isDebit ? debit : card,
    customer: { reference: `customer-of-${name}`, email },
    order: { reference: name, amount },
    return_url: 'https://shop.example/back',
  };
}
