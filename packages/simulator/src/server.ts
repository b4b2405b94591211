import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';
import { type Exchange } from './psp.js';
import { type Call, json, type Reply } from './wire.js';

const MAX_BODY = 262_144;
/** Nothing hangs for longer than this. */
const MAX_HANG_MS = 600_000;
const LISTEN_TRIES = 50;
const LISTEN_RETRY_MS = 20;

/** One port: reads whole requests, sends answers, and can be made to refuse connections. */
export class Port {
  private readonly server: Server;
  private readonly hanging = new Set<NodeJS.Timeout>();
  private refusing = false;
  private port = 0;

  constructor(
    private readonly host: string,
    private readonly receive: (call: Call, exchange: Exchange, peer: string) => void,
  ) {
    this.server = createServer((request, response) => this.read(request, response));
    // Longer than any client keeps a connection, so that the client is the one to close it.
    this.server.keepAliveTimeout = 120_000;
    this.server.requestTimeout = 30_000;
  }

  get url(): string {
    const host = this.host.includes(':') ? `[${this.host}]` : this.host;
    return `http://${host}:${this.port}`;
  }

  async listen(port: number): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        await this.tryListen(port);
        break;
      } catch (error) {
        // While it was refusing, a client's own outgoing socket may sit on the port for a moment.
        const inUse =
          this.port !== 0 && error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
        if (!inUse || attempt === LISTEN_TRIES) throw error;
        await new Promise((resolve) => setTimeout(resolve, LISTEN_RETRY_MS));
      }
    }
    this.port = (this.server.address() as AddressInfo).port;
    this.refusing = false;
  }

  /** Connections are refused from now on; what is under way is finished. */
  refuse(): void {
    if (this.refusing) return;
    this.refusing = true;
    this.server.close();
    this.server.closeIdleConnections();
  }

  async resume(): Promise<void> {
    if (this.refusing) await this.listen(this.port);
  }

  /** Ends what hangs. */
  reset(): void {
    for (const timer of this.hanging) clearTimeout(timer);
    this.hanging.clear();
    if (!this.refusing) return;
    this.server.closeAllConnections();
  }

  async close(): Promise<void> {
    this.reset();
    const closed = new Promise((resolve) => this.server.close(resolve));
    this.server.closeAllConnections();
    await closed;
  }

  private tryListen(port: number): Promise<void> {
    return new Promise((resolve, reject) => {
      this.server.once('error', reject);
      this.server.listen(port, this.host, 1024, () => {
        this.server.off('error', reject);
        resolve();
      });
    });
  }

  private read(request: IncomingMessage, response: ServerResponse): void {
    if (this.refusing) {
      request.socket.destroy();
      return;
    }
    const chunks: Buffer[] = [];
    let size = 0;
    request.on('error', () => {});
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= MAX_BODY) chunks.push(chunk);
    });
    request.once('end', () => {
      const exchange = this.exchange(request, response);
      if (size > MAX_BODY) {
        exchange.answer(json(413, { error: { message: `a body has at most ${MAX_BODY} bytes` } }));
        return;
      }
      const url = request.url ?? '/';
      const mark = url.indexOf('?');
      const [only] = chunks;
      const body = chunks.length > 1 || only === undefined ? Buffer.concat(chunks) : only;
      const call: Call = {
        method: request.method ?? 'GET',
        path: mark < 0 ? url : url.slice(0, mark),
        query: mark < 0 ? '' : url.slice(mark + 1),
        headers: request.headers,
        body: body.toString('utf8'),
      };
      this.receive(call, exchange, request.socket.remoteAddress ?? '');
    });
  }

  private exchange(request: IncomingMessage, response: ServerResponse): Exchange {
    const { socket } = request;
    return {
      answer: (reply) => this.write(response, reply),
      close: () => socket.destroySoon(),
      reset: () => socket.resetAndDestroy(),
      hang: () => this.hang(request),
      truncate: (reply) => {
        const body = Buffer.from(textOf(reply));
        response.writeHead(reply.status, headers(reply, body.length));
        response.write(body.subarray(0, Math.floor(body.length / 2)), () => socket.destroySoon());
      },
    };
  }

  private write(response: ServerResponse, reply: Reply): void {
    // The client may have gone away; what happened has happened.
    if (response.destroyed || response.headersSent) return;
    // A string, not a buffer: Node then sends head and body in one write.
    const body = textOf(reply);
    const head = headers(reply, Buffer.byteLength(body));
    if (this.refusing) head['connection'] = 'close';
    response.writeHead(reply.status, head);
    response.end(body);
  }

  private hang(request: IncomingMessage): void {
    const timer = setTimeout(() => {
      this.hanging.delete(timer);
      request.socket.destroy();
    }, MAX_HANG_MS);
    this.hanging.add(timer);
    request.socket.once('close', () => {
      clearTimeout(timer);
      this.hanging.delete(timer);
    });
  }
}

function textOf({ body }: Reply): string {
  return typeof body === 'string' ? body : body();
}

function headers(reply: Reply, length: number): Record<string, string | number> {
  return { 'content-type': 'application/json', ...reply.headers, 'content-length': length };
}
