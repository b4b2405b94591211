import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** Stands between a service and its Postgres, and can be cut and mended. */
export class SeverableLink {
  private readonly sockets = new Set<Socket>();
  private isCut = false;

  private constructor(
    private readonly server: Server,
    /** The database as it is reached over the link. */
    readonly url: string,
  ) {}

  static async open(databaseUrl: string): Promise<SeverableLink> {
    const target = new URL(databaseUrl);
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const through = new URL(databaseUrl);
    through.hostname = '127.0.0.1';
    through.port = String((server.address() as AddressInfo).port);
    const link = new SeverableLink(server, through.href);
    server.on('connection', (near) => {
      if (link.isCut) near.destroy();
      else link.join(near, connect(Number(target.port), target.hostname));
    });
    return link;
  }

  cut(): void {
    this.isCut = true;
    for (const socket of this.sockets) socket.destroy();
  }

  mend(): void {
    this.isCut = false;
  }

  async close(): Promise<void> {
    this.cut();
    this.server.close();
    await once(this.server, 'close');
  }

  private join(near: Socket, far: Socket): void {
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      this.sockets.add(socket);
      socket.pipe(other);
      // What breaks on one side breaks on the other.
      socket.on('error', () => other.destroy());
      socket.on('close', () => {
        this.sockets.delete(socket);
        other.destroy();
      });
    }
  }
}
