import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** What goes wrong on the way, for connections that are open and for new ones. */
export type LinkFault =
  /** Each piece of data takes so long. */
  | { readonly do: 'delay'; readonly ms: number }
  /** A connection is reset when data passes, with this chance for each piece. */
  | { readonly do: 'reset'; readonly chance: number }
  /** The answer side ends after so many bytes, wherever that is in a message. */
  | { readonly do: 'cut'; readonly afterBytes: number }
  /** Nothing passes, and nobody is told; what was sent arrives when the fault ends. */
  | { readonly do: 'stall' }
  /** Connections are refused, and open ones are reset. */
  | { readonly do: 'refuse' };

/** Hears of what passes whole, and of connections that end. */
export interface LinkWatch {
  passed(connection: object, piece: Buffer, isAnswer: boolean): void;
  ended(connection: object): void;
}

interface Connection {
  readonly near: Socket;
  readonly far: Socket;
  /** Bytes of answers since the fault began. */
  answered: number;
}

/** A way from one part of the installation to another, on a port of loopback. */
export class Link {
  private readonly connections = new Set<Connection>();
  private fault: LinkFault | null = null;
  private flowing = Promise.resolve();
  private flow = () => {};

  private constructor(
    private readonly server: Server,
    readonly port: number,
    private readonly target: () => number,
    private readonly random: () => number,
    private readonly watch: LinkWatch | null,
  ) {
    server.on('connection', (near) => this.accept(near));
  }

  /** `target`: the port that leads on from here, asked for each connection. */
  static async open(
    target: () => number,
    random: () => number,
    watch: LinkWatch | null = null,
  ): Promise<Link> {
    const server = createServer({ noDelay: true }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new Link(server, (server.address() as AddressInfo).port, target, random, watch);
  }

  misbehave(fault: LinkFault): void {
    this.fault = fault;
    for (const connection of this.connections) connection.answered = 0;
    if (fault.do === 'stall') this.flowing = new Promise((resolve) => (this.flow = resolve));
    if (fault.do === 'refuse') this.breakAll();
  }

  behave(): void {
    this.fault = null;
    this.flow();
  }

  close(): void {
    this.behave();
    this.server.close();
    this.breakAll();
  }

  /** Resets every connection. */
  breakAll(): void {
    for (const connection of this.connections) breakOff(connection);
  }

  private accept(near: Socket): void {
    if (this.fault?.do === 'refuse') {
      near.on('error', () => {}).resetAndDestroy();
      return;
    }
    const far = connect({ port: this.target(), host: '127.0.0.1', noDelay: true });
    const connection: Connection = { near, far, answered: 0 };
    this.connections.add(connection);
    this.relay(connection, near, far, false);
    this.relay(connection, far, near, true);
  }

  private relay(connection: Connection, from: Socket, to: Socket, isAnswer: boolean): void {
    // Pieces stay in their order, however long each takes.
    let last: Promise<void> = Promise.resolve();
    const after = (work: () => void) => void (last = last.then(() => this.flowing).then(work));
    from.on('data', (piece: Buffer) => {
      const { fault } = this;
      if (fault?.do === 'reset' && this.random() < fault.chance) return breakOff(connection);
      const kept = fault?.do === 'cut' && isAnswer ? fault.afterBytes - connection.answered : Infinity;
      if (isAnswer) connection.answered += piece.length;
      if (fault?.do === 'delay') last = last.then(() => sleep(fault.ms, undefined, { ref: false }));
      after(() => {
        if (!to.destroyed) to.write(piece.length > kept ? piece.subarray(0, Math.max(0, kept)) : piece);
        if (piece.length > kept) to.destroySoon();
        else this.watch?.passed(connection, piece, isAnswer);
      });
    });
    from.on('error', () => breakOff(connection));
    from.once('end', () => after(() => to.end()));
    from.once('close', () => {
      this.connections.delete(connection);
      this.watch?.ended(connection);
      after(() => to.destroySoon());
    });
  }
}

function breakOff({ near, far }: Connection): void {
  for (const socket of [near, far]) if (!socket.destroyed) socket.resetAndDestroy();
}
