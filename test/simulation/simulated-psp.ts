import { type Answer, type AttemptKind, type Capabilities, type Instruction } from '../../src/psp/index.js';
import { type World } from './world.js';

/** Something that moved, or reserved, or released money. */
export interface Effect {
  readonly psp: string;
  readonly operation: string;
  readonly entityKey: string;
  readonly pspReference: string;
}

/** How a PSP treats us; every kind that the adapters know, and one that has no keys at all. */
export const kinds: Readonly<Record<string, Capabilities>> = {
  stripeLike: {
    operations: ['charge', 'authorize', 'capture', 'void'],
    currencies: null,
    idempotency: { windowMs: 24 * 3_600_000, replays: 'all' },
    lookup: { by: 'reference', consistency: 'strong', settlesAfterMs: 60_000 },
    cancel: 'id',
    partialCapture: true,
  },
  adyenLike: {
    operations: ['charge', 'authorize', 'capture', 'void'],
    currencies: null,
    idempotency: { windowMs: 7 * 24 * 3_600_000, replays: 'all' },
    lookup: null,
    cancel: 'reference',
    partialCapture: true,
  },
  successOnly: {
    operations: ['charge', 'authorize', 'capture', 'void'],
    currencies: null,
    idempotency: { windowMs: 24 * 3_600_000, replays: 'success' },
    lookup: { by: 'reference', consistency: 'strong', settlesAfterMs: 60_000 },
    cancel: 'reference',
    partialCapture: true,
  },
  keyless: {
    operations: ['charge', 'authorize', 'capture', 'void'],
    currencies: null,
    idempotency: { windowMs: null, replays: 'none' },
    lookup: { by: 'reference', consistency: 'strong', settlesAfterMs: 60_000 },
    cancel: null,
    partialCapture: true,
  },
};

export const CALL_TIMEOUT_MS = 5_000;
/** The longest that a request can be on its way: what `settlesAfterMs` promises. */
const LONGEST_WAY_MS = 50_000;

interface Held {
  answer: Answer;
  /** Set when the customer must act first. */
  undecided: boolean;
  voided: boolean;
}

/** One PSP on the other side of a network that loses, delays and breaks things. */
export class SimulatedPsp {
  readonly effects: Effect[] = [];
  /** How often faults strike; 0 in calm weather. */
  weather = 1;
  private readonly byKey = new Map<string, { answer: Answer; atMs: number }>();
  private readonly held = new Map<string, Held>();
  private readonly fate: 'accepts' | 'declines' | 'asks';

  constructor(
    readonly name: string,
    readonly can: Capabilities,
    private readonly world: World,
  ) {
    this.fate = world.oneOf(['accepts', 'accepts', 'accepts', 'accepts', 'declines', 'asks']);
  }

  /** What comes back of a call, after the network had its way with it. */
  async call(
    kind: AttemptKind,
    instruction: Instruction,
    wait: (ms: number) => Promise<void>,
  ): Promise<Answer> {
    const { world } = this;
    await wait(world.between(1, 40));
    if (this.strikes(0.06)) return { outcome: 'not_sent', pspCode: 'ECONNREFUSED' };
    if (this.strikes(0.03)) return { outcome: 'throttled', retryAfterMs: world.between(100, 3_000) };
    if (this.strikes(0.05)) return this.lose(wait);
    if (this.strikes(0.06)) {
      // It arrives when nobody listens any more.
      const way = world.between(CALL_TIMEOUT_MS, LONGEST_WAY_MS);
      void world.wait(way, null).then(() => this.arrive(kind, instruction));
      return this.lose(wait);
    }
    const answer = this.arrive(kind, instruction);
    if (this.strikes(0.12)) return this.lose(wait);
    await wait(world.between(1, 40));
    return answer;
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
      if (replays === 'all' || kept.answer.outcome === 'succeeded') return kept.answer;
    }
    const answer = this.execute(instruction);
    if (!kept || replays === 'success')
      this.byKey.set(instruction.idempotencyKey, { answer, atMs: this.world.nowMs });
    return answer;
  }

  private execute(instruction: Instruction): Answer {
    const { operation, entityKey, money } = instruction;
    const pspReference = `${this.name}-${this.effects.length}-${this.held.size}`;
    const isFirst = operation === 'charge' || operation === 'authorize';
    // An error page: sometimes before anything was done, sometimes after.
    if (this.strikes(0.03)) return { outcome: 'unknown', httpStatus: 500 };
    if (isFirst && this.fate === 'declines') {
      this.hold(instruction, { outcome: 'declined', decline: 'do_not_honor', pspReference }, false);
      return { outcome: 'declined', decline: 'do_not_honor', pspReference };
    }
    if (isFirst && this.fate === 'asks') {
      const answer: Answer = {
        outcome: 'requires_action',
        pspReference,
        nextAction: { type: 'redirect', url: 'https://psp.example/3ds' },
      };
      this.hold(instruction, answer, true);
      void this.customerActs(instruction, pspReference);
      return answer;
    }
    const answer: Answer = { outcome: 'succeeded', pspReference, money };
    this.effects.push({ psp: this.name, operation, entityKey, pspReference });
    this.hold(instruction, answer, false);
    this.world.tell(`${this.name}: ${operation} takes effect`);
    return this.strikes(0.05) ? this.storedError(instruction) : answer;
  }

  private storedError(instruction: Instruction): Answer {
    const answer: Answer = { outcome: 'unknown', httpStatus: 500 };
    this.byKey.set(instruction.idempotencyKey, { answer, atMs: this.world.nowMs });
    return answer;
  }

  private hold({ entityKey, route }: Instruction, answer: Answer, undecided: boolean): void {
    this.held.set(`${entityKey}/${route}`, { answer, undecided, voided: false });
  }

  /** Later, the customer comes back from the bank. Or does not. */
  private async customerActs(instruction: Instruction, pspReference: string): Promise<void> {
    const { entityKey, route, operation, money } = instruction;
    await this.world.wait(this.world.between(1_000, 120_000), null);
    const held = this.held.get(`${entityKey}/${route}`)!;
    if (!held.undecided || held.voided) return;
    held.undecided = false;
    if (this.world.maybe(0.7)) {
      held.answer = { outcome: 'succeeded', pspReference, money };
      this.effects.push({ psp: this.name, operation, entityKey, pspReference });
      this.world.tell(`${this.name}: the customer confirms, ${operation} takes effect`);
    } else {
      held.answer = { outcome: 'declined', decline: 'authentication_required', pspReference };
    }
  }

  private lookup({ entityKey, route }: Instruction): Answer {
    const held = this.held.get(`${entityKey}/${route}`);
    if (!held) return { outcome: 'not_found' };
    return held.voided ? { outcome: 'canceled' } : held.answer;
  }

  /** Voids what waits for the customer; what took effect is told, what is not there is not found. */
  private cancel({ entityKey, route }: Instruction): Answer {
    const held = this.held.get(`${entityKey}/${route}`);
    if (!held) return { outcome: 'not_found' };
    if (!held.undecided) return { outcome: 'unknown', pspCode: 'not_cancelable' };
    held.voided = true;
    this.world.tell(`${this.name}: canceled`);
    return { outcome: 'canceled' };
  }
}
