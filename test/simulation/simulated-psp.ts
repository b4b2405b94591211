import {
  type Answer,
  type AttemptKind,
  type Capabilities,
  type Instruction,
  OTHER_PARAMETERS,
} from '../../src/psp/contract.js';
import { type NotificationItem } from '../../src/psp/notification.js';
import { type Chance, type World } from './world.js';

/** Something that moved, or reserved, or released money. */
export interface Effect {
  readonly psp: string;
  readonly operation: string;
  readonly entityKey: string;
  readonly pspReference: string;
  readonly amount: number;
  /** What it was asked for under. */
  readonly key: string;
  readonly route: number;
  /** The PSP's id of what was captured, voided or refunded. */
  readonly of: string | null;
  /** Voided or given back since. */
  undone: boolean;
}

/** How a PSP treats us, and whether it says only later what came of a capture or a cancel. */
export interface Kind {
  readonly can: Capabilities;
  readonly later: boolean;
  /** What it declares of its lookup is not true. */
  readonly lies: boolean;
}

/** Every kind that the adapters know, one that forgets errors, one without keys, and one that lies. */
const capabilities = {
  stripeLike: {
    operations: ['charge', 'authorize', 'capture', 'void', 'refund', 'payout'],
    currencies: null,
    methods: { card: {} },
    idempotency: { windowMs: 24 * 3_600_000, replays: 'all' },
    lookup: { by: 'reference', consistency: 'strong', settlesAfterMs: 60_000 },
    cancel: 'id',
    captures: 'one',
  },
  adyenLike: {
    operations: ['charge', 'authorize', 'capture', 'void', 'refund', 'payout'],
    currencies: null,
    methods: { card: {} },
    idempotency: { windowMs: 7 * 24 * 3_600_000, replays: 'all' },
    lookup: null,
    cancel: 'reference',
    captures: 'several',
  },
  successOnly: {
    operations: ['charge', 'authorize', 'capture', 'void', 'refund', 'payout'],
    currencies: null,
    methods: { card: {} },
    idempotency: { windowMs: 24 * 3_600_000, replays: 'success' },
    lookup: { by: 'reference', consistency: 'strong', settlesAfterMs: 60_000 },
    cancel: 'reference',
    captures: 'one',
  },
  liar: {
    operations: ['charge', 'authorize', 'capture', 'void', 'refund', 'payout'],
    currencies: null,
    methods: { card: {} },
    idempotency: { windowMs: null, replays: 'none' },
    // It says that nothing can arrive any more, and some of it does.
    lookup: { by: 'reference', consistency: 'strong', settlesAfterMs: 5_000 },
    cancel: null,
    captures: 'one',
  },
  keyless: {
    operations: ['charge', 'authorize', 'capture', 'void', 'refund', 'payout'],
    currencies: null,
    methods: { card: {} },
    idempotency: { windowMs: null, replays: 'none' },
    lookup: { by: 'reference', consistency: 'strong', settlesAfterMs: 60_000 },
    cancel: null,
    captures: 'one',
  },
} satisfies Record<string, Capabilities>;

export const kinds: readonly Kind[] = Object.entries(capabilities).map(([name, can]) => ({
  can,
  later: name === 'adyenLike',
  lies: name === 'liar',
}));

export const CALL_TIMEOUT_MS = 5_000;
/** The longest that a request can be on its way: what `settlesAfterMs` promises. */
const MAX_WAY_MS = 50_000;

/** An order to void that was received is carried out within so long. */
export const MAX_VOID_MS = 60_000;

/** What a key is answered with, and who asked first. */
interface Kept {
  readonly answer: Answer;
  readonly atMs: number;
  readonly entityKey: string;
}

/** A payment at the PSP. */
interface Held {
  readonly route: string;
  readonly key: string;
  /** What a fact about it begins with. */
  readonly names: Pick<NotificationItem, 'entityKey' | 'route' | 'operation' | 'pspReference'>;
  readonly pspReference: string;
  answer: Answer;
  /** `asks`: the customer must act first. */
  status: 'asks' | 'declined' | 'authorized' | 'captured' | 'voided';
  effect: Effect | null;
  /** Minor units. */
  readonly amount: number;
  captured: number;
  refunded: number;
}

/** One PSP on the other side of a network that loses, delays and breaks things. */
export class SimulatedPsp {
  readonly effects: Effect[] = [];
  /** How often faults strike; 0 in calm weather. */
  weather = 1;
  /** Whoever is told of what happens here. */
  tells: (fact: NotificationItem) => void = () => {};
  /** Routes whose payment it has taken on to void or give back, within `MAX_VOID_MS`: `<entity key>/<route>`. */
  readonly undoing = new Set<string>();
  private readonly byKey = new Map<string, Kept>();
  private readonly held: Held[] = [];
  private cancels = 0;
  private modifications = 0;
  private readonly fate: 'accepts' | 'declines' | 'asks';
  /** How long it is away, from the moment when it has done the first thing and nobody hears of it. */
  private outageMs: number;
  private awayUntilMs = 0;
  /** Keys of requests that still run here, of which nobody waits for an answer any more. */
  private readonly running = new Set<string>();
  private readonly slowness: Chance;
  private readonly isSlow: boolean;

  constructor(
    readonly name: string,
    readonly kind: Kind,
    private readonly world: World,
    /** The beginning of its ids, which are of one account alone. */
    private readonly ids = name,
  ) {
    this.slowness = world.apart(Buffer.from(ids).reduce((sum, byte) => sum * 31 + byte, 0x51ed270b));
    this.isSlow = kind.can.idempotency.windowMs !== null && this.slowness.maybe(0.3);
    this.fate = world.oneOf(['accepts', 'accepts', 'accepts', 'accepts', 'declines', 'asks']);
    this.outageMs = !kind.lies && world.maybe(0.06) ? world.between(1_000, 120_000) : 0;
  }

  get can(): Capabilities {
    return this.kind.can;
  }

  /** What comes back of a call, after the network had its way with it. */
  async call(
    kind: AttemptKind,
    instruction: Instruction,
    wait: (ms: number) => Promise<void>,
  ): Promise<Answer> {
    const { world } = this;
    await wait(world.between(1, 40));
    if (world.nowMs < this.awayUntilMs) {
      return world.maybe(0.5) ? { outcome: 'not_sent', pspCode: 'ECONNREFUSED' } : this.lose(wait);
    }
    if (this.strikes(0.06)) return { outcome: 'not_sent', pspCode: 'ECONNREFUSED' };
    if (this.strikes(0.03)) return { outcome: 'throttled', retryAfterMs: world.between(100, 3_000) };
    if (this.strikes(0.05)) return this.lose(wait);
    if (this.strikes(0.06)) {
      // It arrives when nobody listens any more.
      const way = world.between(CALL_TIMEOUT_MS, MAX_WAY_MS);
      void world.wait(way, null).then(() => this.arrive(kind, instruction));
      return this.lose(wait);
    }
    if (kind === 'execute' && this.running.has(instruction.idempotencyKey)) {
      await wait(world.between(1, 40));
      return { outcome: 'unknown', httpStatus: 409, pspCode: 'idempotency_key_in_use' };
    }
    if (kind === 'execute' && this.isSlow && this.slowness.maybe(0.15 * this.weather)) {
      this.runSlowly(instruction);
      return this.lose(wait);
    }
    const answer = this.arrive(kind, instruction);
    if (kind === 'execute' && this.outageMs > 0) {
      this.goAway(this.outageMs);
      this.outageMs = 0;
      return this.lose(wait);
    }
    if (this.strikes(0.12)) return this.lose(wait);
    await wait(world.between(1, 40));
    return answer;
  }

  /** It is carried out when nobody listens any more; until then its key is in use. */
  private runSlowly(instruction: Instruction): void {
    const { idempotencyKey: key } = instruction;
    this.running.add(key);
    const ended = this.world.wait(this.slowness.between(CALL_TIMEOUT_MS, MAX_WAY_MS), null);
    void ended.then(() => (this.running.delete(key), this.arrive('execute', instruction)));
  }

  /** The object of this route, as a person sees it in the dashboard, or null. */
  shows({ entityKey, route }: Pick<Effect, 'entityKey' | 'route'>): Effect | null {
    return this.effects.find((e) => e.entityKey === entityKey && e.route === route && !e.undone) ?? null;
  }

  /** True while the route is not decided at the PSP: a request of it runs, or the customer has to act. */
  isBusyWith({
    entityKey,
    route,
    pspIdempotencyKey,
  }: {
    readonly entityKey: string;
    readonly route: number;
    readonly pspIdempotencyKey: string;
  }): boolean {
    const held = this.held.find((one) => one.route === `${entityKey}/${route}`);
    return this.running.has(pspIdempotencyKey) || held?.status === 'asks';
  }

  /** Cannot be reached, or gives no answer, for so long. */
  goAway(ms: number): void {
    this.awayUntilMs = this.world.nowMs + ms;
    this.world.tell(`${this.name} is away until ${this.awayUntilMs}`);
  }

  /** A person gives back in the dashboard what there is of a payment. */
  giveBackByHand({ pspReference }: Effect): void {
    const held = this.held.find((one) => one.pspReference === pspReference)!;
    held.status = 'voided';
    for (const effect of this.effects) {
      if (effect.pspReference === pspReference || effect.of === pspReference) effect.undone = true;
    }
    this.world.tell(`${this.name}: given back by hand`);
  }

  private async lose(wait: (ms: number) => Promise<void>): Promise<Answer> {
    await wait(this.world.oneOf([5, CALL_TIMEOUT_MS]));
    return { outcome: 'unknown' };
  }

  private strikes(probability: number): boolean {
    return this.world.maybe(probability * this.weather);
  }

  private arrive(kind: AttemptKind, instruction: Instruction): Answer {
    if (kind === 'lookup') return this.lookup(instruction);
    if (kind === 'cancel') return this.cancel(instruction);
    const { windowMs, replays } = this.can.idempotency;
    const kept = this.byKey.get(instruction.idempotencyKey);
    if (kept && windowMs !== null && this.world.nowMs < kept.atMs + windowMs) {
      if (kept.entityKey !== instruction.entityKey && this.can.lookup)
        return this.compared(kept, instruction);
      if (replays === 'all' || kept.answer.outcome === 'succeeded') return kept.answer;
    }
    const answer = this.execute(instruction);
    if (!kept || replays === 'success') this.keep(instruction, answer);
    return answer;
  }

  private keep({ idempotencyKey, entityKey }: Instruction, answer: Answer): void {
    this.byKey.set(idempotencyKey, { answer, atMs: this.world.nowMs, entityKey });
  }

  /** It compares parameters, and they name another payment: what was made under the key is found, or not. */
  private compared({ answer }: Kept, { idempotencyKey }: Instruction): Answer {
    if (this.world.maybe(0.3)) return { outcome: 'conflict', pspCode: OTHER_PARAMETERS };
    const held = this.held.find(({ key }) => key === idempotencyKey);
    const found = held?.status === 'voided' ? null : (held?.answer ?? answer);
    const isDefinite = found && found.outcome !== 'unknown' && found.outcome !== 'rejected';
    return isDefinite ? found : { outcome: 'conflict', pspCode: OTHER_PARAMETERS };
  }

  private execute(instruction: Instruction): Answer {
    const { operation } = instruction;
    // An error page: sometimes before anything was done, sometimes after.
    if (this.strikes(0.03)) return { outcome: 'unknown', httpStatus: 500 };
    const answer =
      operation === 'charge' || operation === 'authorize' || operation === 'payout'
        ? this.pay(instruction)
        : this.modify(instruction);
    return answer.outcome === 'succeeded' && this.strikes(0.05) ? this.storedError(instruction) : answer;
  }

  private pay(instruction: Instruction): Answer {
    const { operation, entityKey, route, money, idempotencyKey } = instruction;
    const pspReference = `${this.ids}-${this.held.length}`;
    const held: Held = {
      route: `${entityKey}/${route}`,
      key: idempotencyKey,
      names: { entityKey, route, operation, pspReference },
      pspReference,
      answer: { outcome: 'declined', decline: 'do_not_honor', pspReference },
      status: 'declined',
      effect: null,
      amount: money.amount,
      captured: 0,
      refunded: 0,
    };
    this.held.push(held);
    if (this.fate === 'accepts') this.accept(held, instruction);
    if (this.fate === 'asks') {
      held.status = 'asks';
      const url = 'https://psp.example/3ds';
      const nextAction = { type: 'redirect', url, method: 'GET', fields: {} } as const;
      // Of a payout the PSP asks the bank, and says so.
      held.answer =
        operation === 'payout'
          ? { outcome: 'pending', pspReference }
          : { outcome: 'requires_action', pspReference, nextAction };
      void this.comesBack(held, instruction);
    }
    this.tell(held.names, held.answer);
    return held.answer;
  }

  private tell(names: Held['names'], answer: Answer, cancelReference: string | null = null): void {
    const about = cancelReference === null ? 'operation' : 'cancel';
    this.tells({ ...names, ofPayment: null, parentReference: null, about, cancelReference, answer });
  }

  private accept(held: Held, instruction: Instruction): void {
    const { operation, money } = instruction;
    const { pspReference } = held;
    held.status = operation === 'authorize' ? 'authorized' : 'captured';
    held.answer = { outcome: 'succeeded', pspReference, money };
    held.captured = operation === 'authorize' ? 0 : held.amount;
    held.effect = this.takesEffect(instruction, pspReference, held.amount);
    if (operation === 'charge') void this.refusedByHand(held);
  }

  /** Now and then the merchant's staff refund by hand; the PSP refuses, and notifies under the payment's name. */
  private async refusedByHand({ names, pspReference: parentReference }: Held): Promise<void> {
    if (!this.world.maybe(0.2)) return;
    await this.world.wait(this.world.between(1_000, 120_000), null);
    const pspReference = `${this.ids}-by-hand-${this.modifications++}`;
    const named = { entityKey: names.entityKey, ofPayment: names.entityKey, route: null };
    const answer: Answer = { outcome: 'declined', decline: 'declined', pspReference };
    const about = { operation: 'refund', about: 'operation', cancelReference: null } as const;
    this.tells({ ...named, ...about, pspReference, parentReference, answer });
  }

  private takesEffect(instruction: Instruction, pspReference: string, amount: number): Effect {
    const { operation, entityKey, route, idempotencyKey: key, parentReference: of = null } = instruction;
    const what = { psp: this.name, operation, entityKey, key, route, of, pspReference, amount };
    const effect: Effect = { ...what, undone: false };
    this.effects.push(effect);
    this.world.tell(`${this.name}: ${operation} of ${amount} takes effect`);
    return effect;
  }

  /**
   * Captures, voids, refunds. Whoever answers later says yes to what it cannot do, too; the others
   * say no.
   */
  private modify(instruction: Instruction): Answer {
    const { operation, entityKey, route, parentReference, money } = instruction;
    const held = this.held.find(({ pspReference }) => pspReference === parentReference);
    const pspReference = `${this.ids}-modification-${this.modifications++}`;
    const done = held && this.modified(held, operation, money.amount);
    if (done !== undefined) this.takesEffect(instruction, pspReference, done);
    if (done !== undefined && entityKey.includes('-orphan-')) held!.effect!.undone = true;
    const isVoidAlready = operation === 'void' && held?.status === 'voided';
    const names = { entityKey, route, operation, pspReference };
    if (done !== undefined) this.tell(names, { outcome: 'succeeded', pspReference, money });
    else if (this.kind.later && !isVoidAlready) this.tell(names, { outcome: 'declined', pspReference });
    if (done !== undefined && held!.status === 'voided') this.tell(held!.names, { outcome: 'canceled' });
    return done !== undefined || isVoidAlready || this.kind.later
      ? { outcome: 'succeeded', pspReference, money }
      : { outcome: 'rejected', pspCode: 'invalid_state' };
  }

  /** How much it came to, in minor units; undefined where it cannot be done. */
  private modified(held: Held, operation: string, amount: number): number | undefined {
    if (operation === 'refund') {
      // Of what was reversed nothing is left to give back.
      if (held.status === 'voided' || held.refunded + amount > held.captured) return undefined;
      held.refunded += amount;
      return amount;
    }
    if (held.status !== 'authorized') return undefined;
    if (operation === 'void') {
      if (held.captured === 0) held.effect!.undone = true;
      held.status = held.captured === 0 ? 'voided' : 'captured';
      return held.amount - held.captured;
    }
    if (held.captured + amount > held.amount) return undefined;
    held.captured += amount;
    if (held.captured === held.amount || this.can.captures !== 'several') held.status = 'captured';
    return amount;
  }

  private storedError(instruction: Instruction): Answer {
    const answer: Answer = { outcome: 'unknown', httpStatus: 500 };
    this.keep(instruction, answer);
    return answer;
  }

  /** Later, the customer comes back from the bank, or the bank's answer does. Or not. */
  private async comesBack(held: Held, instruction: Instruction): Promise<void> {
    await this.world.wait(this.world.between(1_000, 120_000), null);
    if (held.status !== 'asks') return;
    if (this.world.maybe(0.7)) {
      this.world.tell(
        `${this.name}: the ${instruction.operation === 'payout' ? 'bank' : 'customer'} confirms`,
      );
      this.accept(held, instruction);
    } else {
      const { pspReference } = held;
      held.status = 'declined';
      const decline = instruction.operation === 'payout' ? 'account_invalid' : 'authentication_required';
      held.answer = { outcome: 'declined', decline, pspReference };
    }
    this.tell(held.names, held.answer);
  }

  /** By our names, or by the key that what it made carries. */
  private lookup(instruction: Instruction): Answer {
    const { operation, entityKey, route, parentReference, idempotencyKey, pspReference } = instruction;
    if (operation !== 'charge' && operation !== 'authorize' && operation !== 'payout') {
      // A refund has names of its own; a capture and a void are found by what they act upon, whichever route did it.
      const done = this.effects.some(
        (e) =>
          e.key === idempotencyKey ||
          (e.entityKey === entityKey && (operation !== 'refund' || e.route === route)),
      );
      const parent = this.held.find(({ pspReference }) => pspReference === parentReference);
      const isVoid = parent?.status === 'voided';
      if (done || (operation === 'void' && isVoid)) return { outcome: 'succeeded' };
      return { outcome: isVoid && operation === 'capture' ? 'canceled' : 'not_found' };
    }
    const held = this.held.find((one) =>
      pspReference === undefined ? isOf(one, instruction) : one.pspReference === pspReference,
    );
    if (!held) return { outcome: 'not_found' };
    if (!isOf(held, instruction)) return { outcome: 'conflict', pspCode: 'not_ours' };
    return held.status === 'voided' ? { outcome: 'canceled' } : held.answer;
  }

  /** Voids what is there; what has moved money is told, and what is not there is not found. */
  private cancel({ entityKey, route, undo, pspReference: id }: Instruction): Answer {
    const held = this.held.find((one) => one.route === `${entityKey}/${route}` || one.pspReference === id);
    if (this.kind.later) {
      const reference = `${this.ids}-cancel-${this.cancels++}`;
      if (undo) this.undoing.add(`${entityKey}/${route}`);
      const afterMs = this.world.between(0, MAX_VOID_MS);
      void this.world.wait(afterMs, null).then(() => held && this.void(held, undo === true, reference));
      return { outcome: undo ? 'canceled' : 'pending', pspCode: 'received', pspReference: reference };
    }
    if (!held) return { outcome: 'not_found' };
    if (held.status === 'captured') return held.answer;
    this.void(held, false, null);
    return { outcome: 'canceled' };
  }

  private void(held: Held, givesBack: boolean, reference: string | null): void {
    if (held.status === 'captured' && !givesBack) {
      this.tell(held.names, { outcome: 'declined' }, reference);
      return;
    }
    if (held.effect) held.effect.undone = true;
    // What was given back of it before is part of what is undone.
    for (const effect of this.effects) {
      if (effect.operation === 'refund' && effect.of === held.pspReference) effect.undone = true;
    }
    held.status = 'voided';
    this.world.tell(`${this.name}: canceled`);
    this.tell(held.names, { outcome: 'canceled' }, reference);
  }
}

function isOf({ route, key }: Held, instruction: Instruction): boolean {
  return route === `${instruction.entityKey}/${instruction.route}` || key === instruction.idempotencyKey;
}
