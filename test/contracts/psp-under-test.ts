import { Registry } from 'prom-client';
import {
  type Effect,
  type FaultRequest,
  type PspName,
  type Simulator,
  startSimulator,
  type WebhookRequest,
} from '@payonce/simulator';
import { type Clock, SystemClock } from '../../src/core/clock.js';
import {
  type Answer,
  type AttemptKind,
  type Instruction,
  type Operation,
  type PspAdapter,
} from '../../src/psp/contract.js';
import { PspDirectory } from '../../src/psp/psp-directory.js';

/** An adapter and what the conformance suite must know of the PSP it speaks to. */
export interface PspSubject {
  /** Which of the simulator's PSPs. */
  readonly psp: PspName;
  readonly make: (origin: string, timeoutMs: number, clock: Clock) => PspAdapter;
  /** Credentials that `make` uses: never to be seen in an answer. */
  readonly secrets: readonly string[];
  /** Tokens of cards that behave in a certain way. */
  readonly tokens: {
    readonly approved: string;
    readonly softDecline: string;
    readonly hardDecline: string;
    /** Absent: no issuer asks for the customer. */
    readonly stepUpDecline?: string;
    /** Absent: the PSP sends no customer anywhere. */
    readonly asksCustomer?: string;
    readonly waits: string;
  };
  /** Tokens of bank accounts to which a payout behaves in a certain way; absent: the PSP pays nothing out. */
  readonly bankAccounts?: {
    readonly pays: string;
    readonly closed: string;
    /** The balance of the merchant does not cover it. */
    readonly uncovered: string;
  };
  /** True where a refund is only received, and whether it is carried out is told by notification alone. */
  readonly refundsAreReceived: boolean;
  /** True where the answer to a refund holds no amount, and a used key is answered as it was, whatever is sent. */
  readonly answersWithoutAmount?: true;
  /** True where captures and voids take no key. */
  readonly keysAtCreationAlone?: true;
  /** True where a customer whose way to pay was declined may try another one: the payment still waits. */
  readonly staysOpenAfterDecline?: true;
  /** True where a payment is declined after it was taken, never by the answer. */
  readonly declinesLater?: true;
  /** True where what is done with a payment needs something of it that is read first. */
  readonly readsPaymentFirst?: true;
  /** True where a refund is looked for among those of its payment, by one request for each. */
  readonly readsEachRefund?: true;
}

export const TIMEOUT_MS = 1_000;
/** For calls that are not meant to fail: the machine may be busy. */
export const PATIENT_MS = 20_000;

/** Faults that end a call by its timeout alone. */
const SILENT: ReadonlySet<FaultRequest['fault']> = new Set(['hang_before', 'hang_after', 'delay_after']);

/** One adapter before the simulator, behind the same guard as in service. */
export class PspBench {
  private simulator: Simulator;
  private directory: PspDirectory;
  private orders = 0;

  constructor(readonly subject: PspSubject) {}

  async start(): Promise<void> {
    this.simulator = await startSimulator();
  }

  get origin(): string {
    return this.simulator.urls[this.subject.psp];
  }

  async stop(): Promise<void> {
    await this.simulator.close();
  }

  /** A PSP with an empty ledger and an adapter without connections. */
  async fresh(clock: Clock = new SystemClock(), timeoutMs = PATIENT_MS, empty = true): Promise<void> {
    const { psp, make, secrets } = this.subject;
    if (empty) await this.simulator.reset(psp);
    const adapter = make(this.simulator.urls[psp], timeoutMs, clock);
    const account = { name: psp, adapter, fingerprint: psp, timeoutMs, secrets };
    const breaker = { failuresInARow: 1_000, retryAfterMs: 1 };
    this.directory = new PspDirectory([account], { clock, metrics: new Registry(), breaker });
  }

  /** Calls end soon where the fault leaves them without an answer. All others have the time of a busy machine. */
  async hurry(fault: FaultRequest['fault']): Promise<void> {
    if (!SILENT.has(fault)) return;
    await this.end();
    await this.fresh(undefined, TIMEOUT_MS);
  }

  /** Over new connections, without faults, and with time to be answered. */
  async calmDown(): Promise<void> {
    await this.end();
    await this.fresh(undefined, PATIENT_MS, false);
  }

  async end(): Promise<void> {
    await this.simulator.clearFaults(this.subject.psp);
    await this.directory.close();
  }

  /** A payment is found by our reference, not by the PSP's id alone. */
  get findsByReference(): boolean {
    return this.capabilities.lookup?.by === 'reference';
  }

  can(operation: Operation): boolean {
    return this.capabilities.operations.includes(operation);
  }

  get capabilities() {
    return this.directory.capabilities(this.subject.psp);
  }

  /** A charge that is approved, for an order that was never seen before. */
  instruction(more: Partial<Instruction> = {}): Instruction {
    this.orders += 1;
    const operation = more.operation ?? 'charge';
    return {
      operation,
      entityKey: `payment-${this.orders}-${operation}`,
      route: 1,
      idempotencyKey: `key-${this.orders}`,
      money: { amount: 1_000, currency: 'EUR' },
      token: this.subject.tokens.approved,
      reference: `order-${this.orders}`,
      returnUrl: 'https://shop.example/return',
      statementDescriptor: 'SHOP',
      customer: { reference: 'customer-1', email: 'ada@example.com' },
      sentAt: [new Date()],
      ...more,
    };
  }

  execute(instruction: Instruction): Promise<Answer> {
    return this.call('execute', instruction);
  }

  /** The answer to a payment that is declined, whenever that is known. */
  async declined(instruction: Instruction): Promise<Answer> {
    const answer = await this.execute(instruction);
    return this.subject.declinesLater ? this.lookup(instruction) : answer;
  }

  lookup(instruction: Instruction): Promise<Answer> {
    return this.call('lookup', instruction);
  }

  cancel(instruction: Instruction): Promise<Answer> {
    return this.call('cancel', instruction);
  }

  /** Two calls under one key: the PSP's clock holds the first one until the second is answered. */
  async twoAtOnce(instruction: Instruction): Promise<void> {
    const HELD_MS = 600_000;
    await this.calmDown();
    this.fault({ fault: 'delay_before', next: 1, delay_ms: HELD_MS });
    const requests = this.requests();
    const first = this.execute(instruction);
    while (this.requests() === requests) await new Promise((resolve) => setImmediate(resolve));
    expect((await this.execute(instruction)).outcome).toBe('unknown');
    this.advance(HELD_MS);
    expect((await first).outcome).toBe('succeeded');
  }

  /** What really happened, oldest first. */
  effects(): readonly Effect[] {
    return this.simulator.ledger(this.subject.psp).effects;
  }

  /** Requests seen on the wire. */
  requests(): number {
    return this.simulator.calls(this.subject.psp).length;
  }

  fault(fault: FaultRequest): void {
    this.simulator.faults(this.subject.psp, fault);
  }

  clearFaults(): Promise<void> {
    return this.simulator.clearFaults(this.subject.psp);
  }

  advance(ms: number): void {
    this.simulator.advance(ms, this.subject.psp);
  }

  /** How far search is behind, where the PSP has one. */
  searchLag(ms: number): void {
    this.simulator.settings(this.subject.psp, { search_lag_ms: ms });
  }

  /** The customer acts; what their return hands over is handed in where the PSP wants it. */
  async customerReturns(
    instruction: Instruction,
    pspReference: string,
    result: 'succeeded' | 'failed',
  ): Promise<void> {
    const { details } = this.simulator.authenticate(this.subject.psp, pspReference, result)!;
    if (!details) return;
    const { outcome } = await this.complete({ ...instruction, pspReference, details });
    expect(outcome).toBe(result === 'succeeded' ? 'succeeded' : 'declined');
  }

  /** The customer acts, and nothing is handed in yet. */
  customerActs(pspReference: string): Readonly<Record<string, string>> | undefined {
    return this.simulator.authenticate(this.subject.psp, pspReference, 'succeeded')!.details;
  }

  complete(instruction: Instruction): Promise<Answer> {
    return this.call('complete', instruction);
  }

  /** Has the PSP send notifications of what it does. */
  webhook(request: WebhookRequest): number {
    return this.simulator.webhook(this.subject.psp, request);
  }

  /** The cardholder's bank disputes a payment, or decides; the money that the PSP holds back since then. */
  disputes(id: string, step: 'open' | 'win' | 'lose'): number {
    const reference = this.simulator.dispute(this.subject.psp, id, step);
    const moves = this.simulator.ledger(this.subject.psp).disputes;
    return moves.reduce((sum, one) => (one.psp_reference === reference ? sum - one.amount : sum), 0);
  }

  /** What was made under this id comes to nothing after all. */
  fails(id: string): void {
    expect(this.simulator.fail(this.subject.psp, id)).toBe(true);
    expect(this.simulator.fail(this.subject.psp, id)).toBe(false);
  }

  rotateSecret(request: { id: number; secret: string; keep_previous?: boolean }): void {
    this.simulator.rotateSecret(this.subject.psp, request);
  }

  /** Notifications that are on their way. */
  waiting(): number {
    return this.simulator.webhooks(this.subject.psp).waiting;
  }

  private async call(kind: AttemptKind, instruction: Instruction): Promise<Answer> {
    const answer = await this.directory.call(this.subject.psp, kind, instruction);
    const written = JSON.stringify(answer);
    for (const secret of [...this.subject.secrets, instruction.token ?? '', 'ada@example.com']) {
      // Some of the simulator's tokens are plain words, which any answer may hold.
      if (secret.length >= 12) expect(written).not.toContain(secret);
    }
    expect(written).not.toMatch(/_secret_|<html|<body/i);
    expect((answer.message ?? '').length).toBeLessThanOrEqual(200);
    return answer;
  }
}
