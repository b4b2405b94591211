import { createServer, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';

/** One notification as it came over the wire. */
export interface Delivery {
  readonly raw: Buffer;
  readonly headers: Readonly<Record<string, string | undefined>>;
}

/** A loopback endpoint that takes everything and keeps the bytes. */
export class Receiver {
  url = '';
  private deliveries: Delivery[] = [];
  private server: Server;

  async start(): Promise<void> {
    this.server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const headers = Object.entries(request.headers).map(([name, value]) => [name, String(value)]);
        this.deliveries.push({ raw: Buffer.concat(chunks), headers: Object.fromEntries(headers) });
        response.writeHead(200).end();
      });
    });
    await new Promise<void>((resolve) => void this.server.listen(0, '127.0.0.1', resolve));
    this.url = `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/`;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  /** What has come since it was asked last. */
  take(): Delivery[] {
    return this.deliveries.splice(0);
  }
}
