import { request } from 'node:http';
import { type Clock, LONGEST_DELAY_MS } from './clock.js';
import { BadControl } from './wire.js';

const MOST_HOOKS = 16;
const MOST_WAITING = 10_000;
const TRIES = 4;
const FIRST_RETRY_MS = 50;
const TIMEOUT_MS = 5_000;
const MOST_IN_FLIGHT = 16;

const modes = ['once', 'duplicate', 'late', 'shuffled'] as const;

export interface Hook {
  readonly id: number;
  readonly url: string;
  /** What notifications are signed with: Stripe's `whsec_…`, Adyen's key in hexadecimal. */
  readonly secret: string;
  readonly mode: (typeof modes)[number];
  readonly delay_ms: number;
}

export interface Notification {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Signs one event for one endpoint; called when it is sent, so that each try has a fresh time. */
export type Event = (secret: string) => Notification;

interface Delivery {
  readonly hook: Hook;
  readonly event: Event;
}

/** Notifications on their way out of one PSP: at least once, in any order the mode asks for. */
export class Webhooks {
  private hooks: Hook[] = [];
  private readonly shuffling = new Map<number, Delivery[]>();
  private readonly queue: Delivery[] = [];
  private inFlight = 0;
  private waiting = 0;
  private generation = 0;
  private readonly counts = { delivered: 0, failed: 0, dropped: 0 };

  constructor(private readonly clock: Clock) {}

  register(value: unknown): Hook {
    if (typeof value !== 'object' || value === null) throw new BadControl('a webhook is a JSON object');
    const given = value as Readonly<Record<string, unknown>>;
    if (this.hooks.length >= MOST_HOOKS) throw new BadControl(`at most ${MOST_HOOKS} webhooks`);
    const mode = modes.find((one) => one === (given['mode'] ?? 'once'));
    if (mode === undefined) throw new BadControl(`mode: one of ${modes.join(', ')}`);
    const delay = given['delay_ms'] ?? 100;
    if (typeof delay !== 'number' || !(delay >= 0 && delay <= LONGEST_DELAY_MS)) {
      throw new BadControl(`delay_ms: a number from 0 to ${LONGEST_DELAY_MS}`);
    }
    const secret = given['secret'] ?? given['hmac_key'] ?? '';
    if (typeof secret !== 'string') throw new BadControl('secret: a string');
    const hook: Hook = {
      id: this.hooks.length + 1,
      url: loopbackUrl(given['url']),
      secret,
      mode,
      delay_ms: delay,
    };
    this.hooks.push(hook);
    return hook;
  }

  /** Endpoints and what became of notifications; secrets stay here. */
  list(): unknown {
    const hooks = this.hooks.map(({ id, url, mode, delay_ms }) => ({ id, url, mode, delay_ms }));
    return { webhooks: hooks, waiting: this.waiting, ...this.counts };
  }

  send(event: Event): void {
    for (const hook of this.hooks) {
      const delivery = { hook, event };
      switch (hook.mode) {
        case 'once':
          this.enqueue(delivery);
          break;
        case 'duplicate':
          this.enqueue(delivery);
          this.enqueue(delivery);
          break;
        case 'late':
          this.later(hook.delay_ms, () => this.enqueue(delivery));
          break;
        case 'shuffled':
          this.shuffle(delivery);
          break;
      }
    }
  }

  clear(): void {
    this.generation += 1;
    this.hooks = [];
    this.shuffling.clear();
    this.queue.length = 0;
    this.waiting = 0;
    Object.assign(this.counts, { delivered: 0, failed: 0, dropped: 0 });
  }

  /** Gathers what happens within delay_ms and sends the newest first. */
  private shuffle(delivery: Delivery): void {
    const gathered = this.shuffling.get(delivery.hook.id);
    if (gathered !== undefined) {
      gathered.push(delivery);
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
    if (this.waiting >= MOST_WAITING) {
      this.counts.dropped += 1;
      return;
    }
    const generation = this.generation;
    this.waiting += 1;
    this.clock.after(ms, () => {
      if (generation !== this.generation) return;
      this.waiting -= 1;
      run();
    });
  }

  private enqueue(delivery: Delivery): void {
    if (this.queue.length >= MOST_WAITING) {
      this.counts.dropped += 1;
      return;
    }
    this.queue.push(delivery);
    this.pump();
  }

  private pump(): void {
    while (this.inFlight < MOST_IN_FLIGHT) {
      const next = this.queue.shift();
      if (next === undefined) return;
      this.deliver(next, 1, this.generation);
    }
  }

  private deliver(delivery: Delivery, attempt: number, generation: number): void {
    this.inFlight += 1;
    post(delivery, (ok) => {
      this.inFlight -= 1;
      if (generation === this.generation) {
        if (ok) this.counts.delivered += 1;
        else if (attempt === TRIES) this.counts.failed += 1;
        else {
          const wait = FIRST_RETRY_MS * 2 ** (attempt - 1);
          this.later(wait, () => this.deliver(delivery, attempt + 1, generation));
        }
      }
      this.pump();
    });
  }
}

function post({ hook, event }: Delivery, done: (ok: boolean) => void): void {
  const { headers, body } = event(hook.secret);
  let told = false;
  const tell = (ok: boolean): void => {
    if (told) return;
    told = true;
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

/** A simulator that can be told to call anybody would be a weapon. */
function loopbackUrl(value: unknown): string {
  const url = typeof value === 'string' && URL.canParse(value) ? new URL(value) : undefined;
  const loopback = url !== undefined && /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(url.hostname);
  if (url === undefined || !loopback || url.protocol !== 'http:') {
    throw new BadControl('url: http:// to a loopback address');
  }
  return url.href;
}
