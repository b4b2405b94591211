import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** Stands between a store and its Redis, and loses replies when it is told to. */
export class RedisTap {
  private readonly sockets = new Set<Socket>();
  private losing: RegExp | null = null;
  private lost = () => {};

  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  static async open(redisUrl: string): Promise<RedisTap> {
    const target = new URL(redisUrl);
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const tap = new RedisTap(server, `redis://127.0.0.1:${(server.address() as AddressInfo).port}`);
    server.on('connection', (near) => tap.join(near, connect(Number(target.port), target.hostname)));
    return tap;
  }

  /** The next command that looks like this is carried out, and the connection ends instead of a reply. */
  loseReplyTo(command: RegExp): Promise<void> {
    this.losing = command;
    return new Promise((resolve) => (this.lost = resolve));
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    this.server.close();
    await once(this.server, 'close');
  }

  private join(near: Socket, far: Socket): void {
    let isLost = false;
    near.on('data', (bytes) => {
      if (this.losing?.test(bytes.toString('latin1'))) {
        this.losing = null;
        isLost = true;
      }
      far.write(bytes);
    });
    far.on('data', (bytes) => {
      if (!isLost) return near.write(bytes);
      near.destroy();
      this.lost();
    });
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      this.sockets.add(socket);
      socket.on('error', () => other.destroy());
      socket.on('close', () => {
        this.sockets.delete(socket);
        other.destroy();
      });
    }
  }
}
