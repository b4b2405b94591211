import http from 'node:http';
import { type AddressInfo } from 'node:net';

/** A request as it came. */
export interface Received {
  readonly path: string;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: string;
}

type Behaviour = (response: http.ServerResponse, received: Received) => void;

/** A merchant's endpoint, on a port of its own. */
export class Receiver {
  readonly received: Received[] = [];
  connections = 0;
  behaviour: Behaviour = answering(200);
  private waiting: { readonly count: number; readonly done: () => void }[] = [];

  private constructor(
    private readonly server: http.Server,
    readonly port: number,
  ) {}

  static async open(behaviour: Behaviour = answering(200)): Promise<Receiver> {
    const server = http.createServer();
    await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
    const receiver = new Receiver(server, (server.address() as AddressInfo).port);
    receiver.behaviour = behaviour;
    server.on('connection', () => (receiver.connections += 1));
    server.on('request', (request: http.IncomingMessage, response: http.ServerResponse) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => receiver.take(request, Buffer.concat(chunks).toString(), response));
    });
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/hooks`;
  }

  /** Resolves once so many requests have come. */
  reached(count: number): Promise<void> {
    return new Promise((done) => {
      this.waiting.push({ count, done });
      this.wake();
    });
  }

  /** Afterwards nobody listens on its port. */
  close(): Promise<void> {
    this.server.closeAllConnections();
    return new Promise((done) => {
      this.server.close(() => done());
    });
  }

  private take({ url, headers }: http.IncomingMessage, body: string, response: http.ServerResponse): void {
    const received = { path: url ?? '', headers, body };
    this.received.push(received);
    this.wake();
    this.behaviour(response, received);
  }

  private wake(): void {
    const due = this.waiting.filter(({ count }) => this.received.length >= count);
    this.waiting = this.waiting.filter((one) => !due.includes(one));
    for (const { done } of due) done();
  }
}

export function answering(status: number, headers: http.OutgoingHttpHeaders = {}): Behaviour {
  return (response) => void response.writeHead(status, headers).end('{"secret":"of the merchant"}');
}

/** One after the other; the last one from then on. */
export function inTurn(...behaviours: readonly [Behaviour, ...Behaviour[]]): Behaviour {
  let n = 0;
  return (response, received) => behaviours[Math.min(n++, behaviours.length - 1)]!(response, received);
}
