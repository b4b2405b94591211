import { MAX_DELAY_MS } from './clock.js';
import { randomFrom } from './random.js';
import { BadControl, type CallKind } from './wire.js';

const MAX_FAULTS = 1_000;

export const faultKinds = [
  'refuse',
  'delay_before',
  'delay_after',
  'close_before',
  'close_after',
  'reset_before',
  'reset_after',
  'hang_before',
  'hang_after',
  'error_500_before',
  'error_500_after',
  'html_502_after',
  'truncate',
  'throttle',
  'decline',
  'late_effect',
  'kill',
] as const;
export type FaultKind = (typeof faultKinds)[number];

const targets = ['execute', 'lookup', 'cancel', 'complete', 'any'] as const;

/** What is asked for; see the table in README.md. */
export interface FaultRequest {
  readonly fault: FaultKind;
  /** The next so many calls that fit. */
  readonly next?: number;
  /** A share of the calls that fit, drawn from `seed`. */
  readonly rate?: number;
  readonly seed?: number;
  /** Calls about an entity key, or under an idempotency key, that contains this. */
  readonly reference?: string;
  /** `execute` (the default) is every call that changes something, cancels included. */
  readonly on?: (typeof targets)[number];
  /** At most so often. */
  readonly times?: number;
  readonly delay_ms?: number;
  /** error_500_*, html_502_after: another status from 500 to 599. */
  readonly status?: number;
  /** decline: Stripe's decline_code or Adyen's refusalReasonCode. */
  readonly code?: string;
  /** refuse: how long; without it until the fault is cleared. */
  readonly for_ms?: number;
  readonly pid?: number;
  readonly when?: 'arrival' | 'after_effect';
}

export interface Fault extends FaultRequest {
  readonly id: number;
  readonly on: (typeof targets)[number];
  readonly delay_ms: number;
  /** Calls it was applied to. */
  hits: number;
}

/** What of a call a fault is aimed by. */
interface Aim {
  readonly kind: CallKind;
  readonly references: readonly string[];
  readonly key: string | null;
}

interface Armed {
  readonly fault: Fault;
  readonly most: number;
  readonly random: () => number;
}

/** The faults that wait for calls at one PSP. The first that fits is applied; one for each call. */
export class Faults {
  private armed: Armed[] = [];
  private count = 0;

  add(request: FaultRequest): Fault {
    if (this.armed.length >= MAX_FAULTS) throw new BadControl(`at most ${MAX_FAULTS} faults at once`);
    this.count += 1;
    const fault: Fault = {
      ...request,
      id: this.count,
      on: request.on ?? 'execute',
      delay_ms: request.delay_ms ?? 0,
      hits: 0,
    };
    const most = request.times ?? request.next ?? Number.POSITIVE_INFINITY;
    this.armed.push({ fault, most, random: randomFrom(request.seed ?? 1) });
    return fault;
  }

  pick(call: Aim): Fault | undefined {
    if (this.armed.length === 0) return undefined;
    for (const { fault, most, random } of this.armed) {
      if (fault.fault === 'refuse' || fault.hits >= most || !aims(fault, call)) continue;
      if (fault.rate !== undefined && random() >= fault.rate) continue;
      fault.hits += 1;
      return fault;
    }
    return undefined;
  }

  list(): readonly Fault[] {
    return this.armed.map(({ fault }) => fault);
  }

  clear(): void {
    this.armed = [];
  }

  /** Takes `refuse` off the list once the port listens again. */
  remove(id: number): void {
    this.armed = this.armed.filter(({ fault }) => fault.id !== id);
  }
}

function aims(fault: Fault, { kind, references, key }: Aim): boolean {
  const { on, reference } = fault;
  const fits =
    on === 'any' || on === kind || (on === 'execute' && kind === 'cancel'); /* a cancel changes something */
  if (!fits) return false;
  if (reference === undefined) return true;
  return references.some((one) => one.includes(reference)) || key?.includes(reference) === true;
}

/** Checks what came over the wire. */
export function faultRequest(value: unknown): FaultRequest {
  if (typeof value !== 'object' || value === null) throw new BadControl('a fault is a JSON object');
  const given = value as Readonly<Record<string, unknown>>;
  const kind = oneOf(given, 'fault', faultKinds);
  if (kind === undefined) throw new BadControl(`fault: one of ${faultKinds.join(', ')}`);
  const request: FaultRequest = {
    fault: kind,
    next: number(given, 'next', 1, 1_000_000),
    rate: number(given, 'rate', 0, 1),
    seed: number(given, 'seed', 0, Number.MAX_SAFE_INTEGER),
    reference: string(given, 'reference'),
    on: oneOf(given, 'on', targets),
    times: number(given, 'times', 1, 1_000_000),
    delay_ms: number(given, 'delay_ms', 0, MAX_DELAY_MS),
    status: number(given, 'status', 500, 599),
    code: string(given, 'code'),
    for_ms: number(given, 'for_ms', 0, MAX_DELAY_MS),
    pid: number(given, 'pid', 2, Number.MAX_SAFE_INTEGER),
    when: oneOf(given, 'when', ['arrival', 'after_effect']),
  };
  const { next, rate, reference, times, pid } = request;
  const aimed = [next, rate, reference, times].some((one) => one !== undefined);
  if (kind !== 'refuse' && !aimed) throw new BadControl('one of next, rate, reference is needed');
  if (kind === 'decline' && request.code === undefined) throw new BadControl('decline needs a code');
  if (kind === 'kill' && (pid === undefined || !Number.isInteger(pid) || pid === process.pid)) {
    throw new BadControl('kill needs the pid of another process, above 1');
  }
  return Object.fromEntries(
    Object.entries(request).filter(([, value]) => value !== undefined),
  ) as unknown as FaultRequest;
}

function number(
  given: Readonly<Record<string, unknown>>,
  name: string,
  least: number,
  most: number,
): number | undefined {
  const value = given[name];
  if (value === undefined) return undefined;
  if (typeof value !== 'number' || !(value >= least && value <= most)) {
    throw new BadControl(`${name}: a number from ${least} to ${most}`);
  }
  return value;
}

function string(given: Readonly<Record<string, unknown>>, name: string): string | undefined {
  const value = given[name];
  if (value === undefined) return undefined;
  if (typeof value !== 'string' || value === '') throw new BadControl(`${name}: a string`);
  return value;
}

function oneOf<const T extends string>(
  given: Readonly<Record<string, unknown>>,
  name: string,
  options: readonly T[],
): T | undefined {
  const value = given[name];
  if (value === undefined) return undefined;
  const found = options.find((option) => option === value);
  if (found === undefined) throw new BadControl(`${name}: one of ${options.join(', ')}`);
  return found;
}
