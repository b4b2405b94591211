import { Calls, type CallRecord } from './calls.js';
import { Clock } from './clock.js';
import { type Fault, Faults } from './faults.js';
import { IdempotencyKeys, type KeyPolicy } from './idempotency.js';
import { Ledger } from './ledger.js';
import { Webhooks } from './webhooks.js';
import { type Call, Full, json, type Prepared, type Reply, type Wire } from './wire.js';

/** What can be done to the connection that a call came in on. */
export interface Exchange {
  answer(reply: Reply): void;
  /** FIN, without an answer. */
  close(): void;
  /** RST. */
  reset(): void;
  /** Nothing, ever. */
  hang(): void;
  /** Headers and half of the body, then the end. */
  truncate(reply: Reply): void;
}

/** What a wire format is built from. */
export interface PspParts {
  readonly clock: Clock;
  readonly ledger: Ledger;
  readonly webhooks: Webhooks;
  readonly pages: () => string;
}

type CallNote = ReturnType<Calls['record']>;

const HTML_502 =
  '<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body>\r\n<center><h1>502 Bad Gateway</h1></center>\r\n<hr><center>nginx</center>\r\n</body>\r\n</html>\r\n';

/**
 * One PSP: wire format, keys, ledger and faults. An effect that was begun lands whether or not
 * anybody still listens: a client that gave up waiting is charged all the same.
 */
export class SimulatedPsp {
  readonly clock = new Clock();
  readonly ledger: Ledger;
  readonly calls = new Calls(this.clock);
  readonly faults = new Faults();
  readonly webhooks = new Webhooks(this.clock);
  readonly wire: Wire;
  private readonly keys: IdempotencyKeys;

  constructor(
    readonly name: string,
    policy: KeyPolicy | null,
    makeWire: (parts: PspParts) => Wire,
    pages: () => string,
    private readonly onFull: (error: Full) => void,
  ) {
    this.ledger = new Ledger(name, this.clock);
    this.keys = new IdempotencyKeys(policy, this.clock);
    this.wire = makeWire({ clock: this.clock, ledger: this.ledger, webhooks: this.webhooks, pages });
  }

  handle(call: Call, connection: Exchange): void {
    const exchange: Exchange = {
      ...connection,
      answer: (reply) => {
        connection.answer({ ...reply, headers: { ...this.clock.date(), ...reply.headers } });
      },
    };
    const signedIn = this.wire.signIn?.(call);
    if (signedIn !== undefined) {
      exchange.answer(signedIn);
      return;
    }
    const note = this.calls.record(call);
    const prepared = this.wire.prepare(call);
    if (!('run' in prepared)) {
      answer(exchange, note, prepared);
      return;
    }
    note.kind = prepared.kind;
    note.reference = prepared.references[0] ?? null;
    const fault = this.faults.pick(prepared);
    if (fault !== undefined) {
      note.fault = fault.fault;
      this.misbehave(fault, { call, prepared, note, exchange });
      return;
    }
    this.tellFirst(
      () => withHeaders(this.execute(call, prepared, note), prepared),
      (reply) => answer(exchange, note, reply),
    );
  }

  advance(ms: number): void {
    this.clock.advance(ms);
    this.keys.forgetExpired();
  }

  reset(): void {
    this.clock.reset();
    this.ledger.reset();
    this.calls.reset();
    this.faults.clear();
    this.webhooks.reset();
    this.keys.reset();
    this.wire.reset();
  }

  readCalls(reference?: string): CallRecord[] {
    return this.calls.read(reference);
  }

  /** Answers, but not before those have heard of it who are to hear of it early. */
  private tellFirst(execute: () => Reply, say: (reply: Reply) => void): void {
    const { result, early } = this.webhooks.gathering(execute);
    this.webhooks.whenTried(early, () => say(result));
  }

  /** Claims the key, does it, keeps the answer. */
  private execute(call: Call, prepared: Prepared, note: CallNote, fault?: Fault): Reply {
    return this.claim(call, prepared, note) ?? this.run(prepared, fault);
  }

  /** undefined: the key is ours, or there is none. */
  private claim(call: Call, { key }: Prepared, note: CallNote): Reply | undefined {
    try {
      const claim = this.keys.claim(key, call);
      if (claim.run) return undefined;
      note.replayed = claim.replayed;
      return claim.reply;
    } catch (error) {
      return this.refuseFull(error);
    }
  }

  private run(prepared: Prepared, fault?: Fault): Reply {
    const { key } = prepared;
    const keepsServerErrors = this.keys.policy?.keepsServerErrors === true;
    if (fault?.fault === 'error_500_before') {
      const failure = this.wire.serverError(fault.status ?? 500);
      if (keepsServerErrors) this.keys.keep(key, failure);
      else this.keys.release(key);
      return failure;
    }
    try {
      const reply = prepared.run(fault?.fault === 'decline' ? fault.code : undefined);
      const failure =
        fault?.fault === 'error_500_after' ? this.wire.serverError(fault.status ?? 500) : undefined;
      // Validation found by the object itself (no such payment) is not an execution.
      const isForgotten = this.keys.policy?.forgetsOnError === true && (failure ?? reply).status >= 300;
      if (reply.status === 404 || reply.status === 422 || isForgotten) this.keys.release(key);
      else this.keys.keep(key, failure !== undefined && keepsServerErrors ? failure : reply);
      return failure ?? reply;
    } catch (error) {
      this.keys.release(key);
      return this.refuseFull(error);
    }
  }

  private misbehave(
    fault: Fault,
    at: { call: Call; prepared: Prepared; note: CallNote; exchange: Exchange },
  ): void {
    const { call, prepared, note, exchange } = at;
    const execute = (): Reply => withHeaders(this.execute(call, prepared, note, fault), prepared);
    switch (fault.fault) {
      case 'refuse':
        return; // the port's own affair: nothing reaches this far
      case 'throttle':
        answer(
          exchange,
          note,
          withHeaders(this.wire.throttled(Math.ceil(fault.delay_ms / 1000) || 1), prepared),
        );
        return;
      case 'delay_before':
        this.delayed(fault, at);
        return;
      case 'close_before':
        exchange.close();
        return;
      case 'reset_before':
        exchange.reset();
        return;
      case 'hang_before':
        exchange.hang();
        return;
      case 'late_effect':
        // Still on its way somewhere: not even its key has arrived.
        this.clock.after(fault.delay_ms, execute);
        exchange.reset();
        return;
      case 'error_500_before':
      case 'error_500_after':
      case 'decline':
        this.tellFirst(execute, (reply) => answer(exchange, note, reply));
        return;
      case 'delay_after': {
        const reply = execute();
        this.clock.after(fault.delay_ms, () => answer(exchange, note, reply));
        return;
      }
      case 'close_after':
        execute();
        exchange.close();
        return;
      case 'reset_after':
        execute();
        exchange.reset();
        return;
      case 'hang_after':
        execute();
        exchange.hang();
        return;
      case 'html_502_after':
        execute();
        answer(exchange, note, {
          status: fault.status ?? 502,
          body: HTML_502,
          headers: { 'content-type': 'text/html', server: 'nginx' },
        });
        return;
      case 'truncate': {
        const reply = execute();
        note.status = reply.status;
        exchange.truncate(reply);
        return;
      }
      case 'kill': {
        if (fault.when !== 'after_effect') kill(fault.pid);
        const reply = execute();
        if (fault.when === 'after_effect') kill(fault.pid);
        answer(exchange, note, reply);
        return;
      }
    }
  }

  /** The key is in use from the moment the request is here; the effect comes when the delay is over. */
  private delayed(
    fault: Fault,
    {
      call,
      prepared,
      note,
      exchange,
    }: { call: Call; prepared: Prepared; note: CallNote; exchange: Exchange },
  ): void {
    const claimed = this.claim(call, prepared, note);
    this.clock.after(fault.delay_ms, () => {
      answer(exchange, note, withHeaders(claimed ?? this.run(prepared, fault), prepared));
    });
  }

  private refuseFull(error: unknown): Reply {
    if (!(error instanceof Full)) throw error;
    this.onFull(error);
    return json(507, { error: { type: 'simulator_full', message: error.message } });
  }
}

function answer(exchange: Exchange, note: CallNote, reply: Reply): void {
  note.status = reply.status;
  exchange.answer(reply);
}

function withHeaders(reply: Reply, { headers }: Prepared): Reply {
  return { ...reply, headers: { ...headers, ...reply.headers } };
}

/** The other end dies; the PSP does not notice, as none would. */
function kill(pid: number | undefined): void {
  if (pid === undefined || pid <= 1 || pid === process.pid) return;
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It is gone already.
  }
}
