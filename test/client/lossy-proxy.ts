import { once } from 'node:events';
import { createServer, type IncomingMessage, request as httpRequest, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** What becomes of one request. In each case the service is asked, and works to its end. */
export type Fate =
  | 'pass'
  /** The service answers, and the connection is cut before a byte of it is through. */
  | 'lose_answer'
  /** The same, in the middle of the answer. */
  | 'cut_answer'
  /** The connection is cut while the service still works: as soon as `whileWorking` resolves. */
  | { readonly whileWorking: () => Promise<unknown> };

export interface Passed {
  readonly key: string | undefined;
  readonly body: string;
  /** What the service answered, 0 as long as it has not. */
  status: number;
  retryAfter: string | undefined;
}

/** Stands between a client and the service and loses answers, as networks do. */
export class LossyProxy {
  /** Every request that came, oldest first. */
  readonly passed: Passed[] = [];
  private fates: Fate[] = [];

  private constructor(
    private readonly server: ReturnType<typeof createServer>,
    private readonly target: () => string,
  ) {
    server.on('request', (request, response) => void this.handle(request, response));
  }

  static async open(target: () => string): Promise<LossyProxy> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new LossyProxy(server, target);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** What the next requests meet; whatever comes after them passes. */
  next(...fates: readonly Fate[]): void {
    this.passed.length = 0;
    this.fates = [...fates];
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = 'GET', url = '/', headers, socket } = request;
    const fate = this.fates.shift() ?? 'pass';
    const body = await text(request);
    const key = headers['idempotency-key'];
    const passed: Passed = { key: String(key), body, status: 0, retryAfter: undefined };
    this.passed.push(passed);
    if (typeof fate === 'object') {
      fate.whileWorking().then(
        () => socket.destroy(),
        () => socket.destroy(),
      );
    }
    const onward = httpRequest(new URL(url, this.target()), { method, headers, agent: false });
    try {
      onward.end(body);
      const [answer] = (await once(onward, 'response')) as [IncomingMessage];
      const bytes = Buffer.from(await text(answer));
      passed.status = answer.statusCode ?? 0;
      passed.retryAfter = answer.headers['retry-after'];
      if (fate === 'lose_answer') socket.destroy();
      if (socket.destroyed) return;
      response.writeHead(passed.status, { ...answer.headers, 'content-length': bytes.length });
      if (fate !== 'cut_answer') response.end(bytes);
      else response.write(bytes.subarray(0, bytes.length / 2), () => socket.destroy());
    } catch {
      // The service is not there, or died over it.
      socket.destroy();
    }
  }
}
