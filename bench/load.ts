import net from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Counted, percentile } from './measure.js';
import { PATH, paymentBody } from './payment.js';

/**
 * The load generator: a process of its own that keeps so many payments under way, each with its own
 * key and reference, over as many connections. It writes requests as bytes and reads of an answer
 * only what it needs, because on a small machine its own work is taken from what it measures.
 */
export interface LoadOrder {
  readonly url: string;
  readonly apiKey: string;
  /** Begins every key and reference; no two orders share one. */
  readonly name: string;
  readonly inFlight: number;
  readonly warmMs: number;
  readonly windowMs: number;
  /** Payments begin at this rate, whatever the answers are; absent: each once the one before has its answer. */
  readonly perSecond?: number;
}

export interface LoadReport extends Counted {
  /** Answers of the whole order by status, the warm-up with them. */
  readonly answers: Readonly<Record<string, number>>;
  /** Of an answer that was not a 201. */
  readonly complaint: string | null;
}

interface Answer {
  readonly status: number;
  readonly body: string;
}

const ANSWER_TIMEOUT_MS = 30_000;

class Connection {
  private received = '';
  private waiting: { resolve(answer: Answer): void; reject(error: Error): void } | null = null;

  private constructor(private readonly socket: net.Socket) {
    socket.setNoDelay(true).setTimeout(ANSWER_TIMEOUT_MS).setEncoding('latin1');
    socket.on('data', (text: string) => this.take(text));
    socket.on('timeout', () => socket.destroy(new Error('no answer in time')));
    socket.on('error', (error) => this.waiting?.reject(error));
    socket.on('close', () => this.waiting?.reject(new Error('the connection was closed')));
  }

  static open({ hostname, port }: URL): Promise<Connection> {
    return new Promise((resolve, reject) => {
      const socket = net.connect(Number(port), hostname, () => resolve(new Connection(socket)));
      socket.once('error', reject);
    });
  }

  ask(request: string): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.waiting = { resolve, reject };
      this.socket.write(request, 'latin1');
    });
  }

  close(): void {
    this.socket.destroy();
  }

  private take(text: string): void {
    this.received += text;
    const headEnd = this.received.indexOf('\r\n\r\n');
    if (headEnd < 0) return;
    const length = /\r\ncontent-length: (\d+)/i.exec(this.received)?.[1];
    if (length === undefined) return void this.socket.destroy(new Error('an answer without a length'));
    const end = headEnd + 4 + Number(length);
    if (this.received.length < end) return;
    const answer = {
      status: Number(this.received.slice(9, 12)),
      body: this.received.slice(headEnd + 4, end),
    };
    this.received = this.received.slice(end);
    const waiting = this.waiting;
    this.waiting = null;
    waiting?.resolve(answer);
  }
}

async function load(order: LoadOrder): Promise<LoadReport> {
  const { inFlight, name, warmMs, windowMs, perSecond } = order;
  const url = new URL(order.url);
  const head = [
    `POST ${PATH} HTTP/1.1`,
    `Host: ${url.host}`,
    `Authorization: Bearer ${order.apiKey}`,
    'Content-Type: application/json',
    '',
  ].join('\r\n');
  const answers: Record<string, number> = {};
  const latenciesMs: number[] = [];
  let complaint: string | null = null;
  let made = 0;
  let named = 0;
  const connections = await Promise.all(Array.from({ length: inFlight }, () => Connection.open(url)));
  const startedMs = performance.now();
  const fromMs = startedMs + warmMs;
  /** When the next payment is due, from which its latency counts: a late start is a wait as well. */
  const due = async (): Promise<number> => {
    if (perSecond === undefined) return performance.now();
    const dueMs = startedMs + (made * 1_000) / perSecond;
    made++;
    const leftMs = dueMs - performance.now();
    if (leftMs > 0) await sleep(leftMs);
    return dueMs;
  };
  const untilMs = fromMs + windowMs;

  const keepPaying = async (connection: Connection) => {
    for (let nowMs = await due(); performance.now() < untilMs; nowMs = await due()) {
      const reference = `${name}-${++named}`;
      const body = JSON.stringify(paymentBody(reference));
      const keyed = `${head}Idempotency-Key: ${reference}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
      const answer = await connection.ask(keyed);
      const endedMs = performance.now();
      answers[answer.status] = (answers[answer.status] ?? 0) + 1;
      if (answer.status === 201) {
        if (endedMs >= fromMs && endedMs < untilMs) latenciesMs.push(endedMs - nowMs);
      } else {
        complaint ??= `${answer.status} ${answer.body.slice(0, 400)}`;
        if (perSecond === undefined) await sleep(10);
      }
    }
    connection.close();
  };
  await Promise.all(connections.map(keepPaying));
  return {
    payments: latenciesMs.length,
    p50Ms: percentile(latenciesMs, 0.5),
    p99Ms: percentile(latenciesMs, 0.99),
    answers,
    complaint,
  };
}

process.on('message', (order: LoadOrder) => {
  load(order).then(
    (report) => process.send?.({ report }),
    (error: unknown) => process.send?.({ error: String(error) }),
  );
});
process.on('disconnect', () => process.exit(0));
