import { request } from 'node:http';
import { type Clock } from './clock.js';
import { type Hook, hookFrom, rotateSecret, type ShownHook, shownHook } from './hooks.js';
import { BadControl } from './wire.js';

const MAX_HOOKS = 16;
const MAX_WAITING = 10_000;
const MAX_SCHEDULED = 10_000;
const FIRST_RETRY_MS = 50;
const MAX_RETRY_MS = 5_000;
const TIMEOUT_MS = 5_000;
const MAX_IN_FLIGHT = 16;

export interface Notification {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * Signs one event for one endpoint at its address; called when it is sent, so that each try has a fresh time. The first
 * secret is the one in use; one that is being replaced may follow it.
 */
export type Event = (secrets: readonly string[], url: string) => Notification;

export interface WebhooksReading {
  readonly webhooks: readonly ShownHook[];
  /** Deliveries on their way, delayed or to be tried again. */
  readonly waiting: number;
  /** Of those, sent and not answered yet. */
  readonly in_flight: number;
  /** What happens later by the PSP's clock, and is notified then. */
  readonly scheduled: number;
  readonly events: number;
  readonly delivered: number;
  /** Not taken in any of the tries. */
  readonly failed: number;
  /** Beyond what is kept. */
  readonly dropped: number;
}

interface Delivery {
  readonly hook: Hook;
  readonly event: Event;
  attempt: number;
  /** Told when the first try is over, or never will be. */
  tried: (() => void) | undefined;
}

/** Notifications on their way out of one PSP: at least once, in any order the mode asks for. */
export class Webhooks {
  private hooks: Hook[] = [];
  private readonly standing: unknown[] = [];
  private readonly shuffling = new Map<number, Delivery[]>();
  private queue: Delivery[] = [];
  private inFlight = 0;
  private delayed = 0;
  private scheduled = 0;
  private generation = 0;
  private gathered: Delivery[] | undefined;
  private readonly counts = { events: 0, delivered: 0, failed: 0, dropped: 0 };

  constructor(private readonly clock: Clock) {}

  register(value: unknown, anywhere = false): Hook {
    if (this.hooks.length >= MAX_HOOKS) throw new BadControl(`at most ${MAX_HOOKS} webhooks`);
    const hook = hookFrom(value, this.hooks.length + 1, anywhere);
    this.hooks.push(hook);
    return hook;
  }

  /** One that the process that starts the simulator wants: to any host, and there again after a reset. */
  registerStanding(value: unknown): void {
    this.register(value, true);
    this.standing.push(value);
  }

  reset(): void {
    this.clear();
    for (const value of this.standing) this.register(value, true);
  }

  /** From now on another secret, and where the PSP signs with several, the one before beside it. */
  rotate(value: unknown): void {
    rotateSecret(value, this.hooks);
  }

  /** Endpoints and what became of notifications; secrets stay here. */
  list(): WebhooksReading {
    const hooks = this.hooks.map(shownHook);
    const waiting = this.delayed + this.queue.length + this.inFlight;
    return { webhooks: hooks, waiting, in_flight: this.inFlight, scheduled: this.scheduled, ...this.counts };
  }

  send(event: Event): void {
    this.counts.events += 1;
    for (const hook of this.hooks) {
      for (let copy = 1; copy <= hook.copies; copy += 1) {
        this.dispatch({ hook, event, attempt: 1, tried: undefined });
      }
    }
  }

  /** What the PSP does by itself after a while; nothing where the service is not to hear of it. */
  schedule(ms: number, run: () => void): void {
    if (this.hooks.length === 0) return;
    if (this.scheduled >= MAX_SCHEDULED) {
      this.counts.dropped += 1;
      return;
    }
    this.scheduled += 1;
    this.after(ms, () => {
      this.scheduled -= 1;
      run();
    });
  }

  /** Runs it, and gathers what `early` endpoints are to hear of it. */
  gathering<T>(run: () => T): { result: T; early: readonly Delivery[] } {
    const early: Delivery[] = [];
    this.gathered = early;
    try {
      return { result: run(), early };
    } finally {
      this.gathered = undefined;
    }
  }

  /** Calls back when each of these was tried once, delivered or not; at once where there are none. */
  whenTried(deliveries: readonly Delivery[], then: () => void): void {
    let left = deliveries.length;
    if (left === 0) {
      then();
      return;
    }
    for (const delivery of deliveries) {
      delivery.tried = () => {
        left -= 1;
        if (left === 0) then();
      };
    }
  }

  clear(): void {
    this.generation += 1;
    this.hooks = [];
    this.shuffling.clear();
    const never = this.queue;
    this.queue = [];
    this.delayed = 0;
    this.scheduled = 0;
    Object.assign(this.counts, { events: 0, delivered: 0, failed: 0, dropped: 0 });
    for (const { tried } of never) tried?.();
  }

  private dispatch(delivery: Delivery): void {
    const { mode, delay_ms: delayMs, random } = delivery.hook;
    switch (mode) {
      case 'once':
      case 'duplicate':
        this.enqueue(delivery);
        break;
      case 'early':
        if (this.enqueue(delivery)) this.gathered?.push(delivery);
        break;
      case 'late':
        this.later(delayMs, () => this.enqueue(delivery));
        break;
      case 'storm':
        this.later(Math.floor(random() * delayMs), () => this.enqueue(delivery));
        break;
      case 'shuffled':
        this.shuffle(delivery);
        break;
    }
  }

  /** Gathers what happens within delay_ms and sends the newest first. */
  private shuffle(delivery: Delivery): void {
    const gathered = this.shuffling.get(delivery.hook.id);
    if (gathered !== undefined) {
      if (gathered.length >= MAX_WAITING) this.counts.dropped += 1;
      else gathered.push(delivery);
      return;
    }
    this.shuffling.set(delivery.hook.id, [delivery]);
    this.later(delivery.hook.delay_ms, () => {
      const batch = this.shuffling.get(delivery.hook.id) ?? [];
      this.shuffling.delete(delivery.hook.id);
      for (const one of batch.toReversed()) this.enqueue(one);
    });
  }

  private later(ms: number, run: () => void): void {
    if (this.delayed >= MAX_WAITING) {
      this.counts.dropped += 1;
      return;
    }
    this.delayed += 1;
    this.after(ms, () => {
      this.delayed -= 1;
      run();
    });
  }

  /** Nothing of before a reset happens after it. */
  private after(ms: number, run: () => void): void {
    const generation = this.generation;
    this.clock.after(ms, () => {
      if (generation === this.generation) run();
    });
  }

  private enqueue(delivery: Delivery): boolean {
    if (this.queue.length >= MAX_WAITING) {
      this.counts.dropped += 1;
      return false;
    }
    this.queue.push(delivery);
    this.pump();
    return true;
  }

  private pump(): void {
    while (this.inFlight < MAX_IN_FLIGHT) {
      const next = this.queue.shift();
      if (next === undefined) return;
      this.deliver(next, this.generation);
    }
  }

  private deliver(delivery: Delivery, generation: number): void {
    this.inFlight += 1;
    post(delivery, (ok) => {
      this.inFlight -= 1;
      if (generation === this.generation) this.settle(delivery, ok);
      delivery.tried?.();
      delivery.tried = undefined;
      this.pump();
    });
  }

  private settle(delivery: Delivery, ok: boolean): void {
    const { attempt, hook } = delivery;
    if (ok) this.counts.delivered += 1;
    else if (attempt >= hook.tries) this.counts.failed += 1;
    else {
      delivery.attempt += 1;
      const waitMs = Math.min(FIRST_RETRY_MS * 2 ** (attempt - 1), MAX_RETRY_MS);
      this.later(waitMs, () => this.enqueue(delivery));
    }
  }
}

function post({ hook, event }: Delivery, done: (ok: boolean) => void): void {
  const { headers, body } = event(hook.secrets, hook.known_as);
  let warned = false;
  const tell = (ok: boolean): void => {
    if (warned) return;
    warned = true;
    done(ok);
  };
  const outgoing = request(
    hook.url,
    {
      method: 'POST',
      agent: false,
      timeout: TIMEOUT_MS,
      headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body), ...headers },
    },
    (response) => {
      response.resume();
      const { statusCode = 0 } = response;
      response.once('close', () => tell(statusCode >= 200 && statusCode < 300));
    },
  );
  outgoing.once('timeout', () => outgoing.destroy());
  outgoing.once('error', () => tell(false));
  outgoing.once('close', () => tell(false));
  outgoing.end(body);
}
