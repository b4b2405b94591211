import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';

/** An event as a shop reads it. */
export interface ShopEvent {
  readonly id: string;
  readonly type: string;
  readonly data: { readonly id: string };
  /** When it came, in ms of the monotonic clock. */
  readonly atMs: number;
}

const PATIENCE_MS = 10_000;
const MAX_BODY = 64_000;

/** Where the shop receives events. It believes what is signed with its secret, and nothing else. */
export class Endpoint {
  readonly events: ShopEvent[] = [];
  refused = 0;
  secret = '';

  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  static async open(): Promise<Endpoint> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const endpoint = new Endpoint(server, `http://127.0.0.1:${port}/events`);
    server.on('request', (request: IncomingMessage, response) => {
      void endpoint.take(request).then((status) => response.writeHead(status).end());
    });
    return endpoint;
  }

  /** The first event of this type about this object; null where none comes. */
  async received(type: string, id: string): Promise<ShopEvent | null> {
    const giveUpAt = performance.now() + PATIENCE_MS;
    for (;;) {
      const found = this.events.find((event) => event.type === type && event.data.id === id);
      if (found || performance.now() > giveUpAt) return found ?? null;
      await sleep(20);
    }
  }

  async close(): Promise<void> {
    this.server.close();
    this.server.closeAllConnections();
    await once(this.server, 'close');
  }

  private async take(request: IncomingMessage): Promise<number> {
    try {
      let body = '';
      for await (const chunk of request) {
        body += String(chunk);
        if (body.length > MAX_BODY) return 413;
      }
      const headers = Object.fromEntries(
        Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
      );
      const { type, data } = new Webhook(this.secret).verify(body, headers) as Pick<
        ShopEvent,
        'type' | 'data'
      >;
      this.events.push({ id: headers['webhook-id'] ?? '', type, data, atMs: performance.now() });
      return 204;
    } catch {
      this.refused += 1;
      return 401;
    }
  }
}
