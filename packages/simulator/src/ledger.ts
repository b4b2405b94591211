import { type Clock } from './clock.js';
import { Full } from './wire.js';

export const MAX_EFFECTS = 1_000_000;

export type Operation = 'charge' | 'authorize' | 'capture' | 'void' | 'refund' | 'payout';

/** Money that really moved, was reserved or was released. A decline is no effect. */
export interface Effect {
  readonly seq: number;
  readonly psp: string;
  readonly operation: Operation;
  /** The PSP's id of what was made. */
  readonly psp_reference: string;
  /** capture, void, refund: the PSP's id of the payment. */
  readonly parent_reference: string | null;
  /** The caller's name for the operation (its entity key), where it sent one. */
  readonly reference: string | null;
  readonly route: string | null;
  /** Minor units. */
  readonly amount: number;
  /** Upper case. */
  readonly currency: string;
  readonly idempotency_key: string | null;
  readonly at: string;
  /** When it came to nothing after all; absent where it stands. */
  readonly undone_at?: string;
}

/** Money that a dispute took from what the PSP holds, or gave back. */
export interface DisputedMoney {
  /** The PSP's id of the dispute, and of the payment. */
  readonly psp_reference: string;
  readonly parent_reference: string;
  /** Minor units: below zero where it was taken. */
  readonly amount: number;
  /** Upper case. */
  readonly currency: string;
  readonly at: string;
}

type Stored = Omit<Effect, 'at' | 'psp' | 'undone_at'> & { readonly at: number; undone?: number };

/** What one PSP did, in order; only ever added to, and marked where it came to nothing. */
export class Ledger {
  private readonly effects: Stored[] = [];
  /** The PSP's name of the account, where calls say it: that of the last one, since the simulator plays any account. */
  account = 'PayonceECOM';
  private readonly disputed: DisputedMoney[] = [];

  constructor(
    readonly psp: string,
    private readonly clock: Clock,
    private readonly cap = MAX_EFFECTS,
  ) {}

  get length(): number {
    return this.effects.length;
  }

  add(effect: Omit<Effect, 'seq' | 'psp' | 'at' | 'undone_at'>): void {
    this.ensureRoom();
    this.effects.push({ seq: this.effects.length + 1, ...effect, at: this.clock.now() });
  }

  dispute(money: Omit<DisputedMoney, 'at'>): void {
    this.disputed.push({ ...money, at: new Date(this.clock.now()).toISOString() });
  }

  get disputes(): readonly DisputedMoney[] {
    return this.disputed;
  }

  /** Asked before an effect is begun, so that none is half made. */
  ensureRoom(): void {
    if (this.effects.length >= this.cap) throw new Full('effects', this.cap);
  }

  read({ reference, after = 0 }: { reference?: string; after?: number } = {}): Effect[] {
    const from = after > 0 ? this.effects.slice(after) : this.effects;
    const wanted = reference === undefined ? from : from.filter((effect) => effect.reference === reference);
    return wanted.map(({ seq, at, undone, ...effect }) => ({
      seq,
      psp: this.psp,
      ...effect,
      at: new Date(at).toISOString(),
      ...(undone === undefined ? {} : { undone_at: new Date(undone).toISOString() }),
    }));
  }

  /** Marks what was made under this id as undone, and returns it; undefined where none of these stands. */
  undo(pspReference: string, operations: readonly Operation[]): Omit<Stored, 'undone'> | undefined {
    const effect = this.effects.findLast(
      (one) =>
        one.psp_reference === pspReference && operations.includes(one.operation) && one.undone === undefined,
    );
    if (effect !== undefined) effect.undone = this.clock.now();
    return effect;
  }

  reset(): void {
    this.effects.length = 0;
    this.disputed.length = 0;
  }
}
