import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** What a client said to Postgres after it was let in, one letter of the protocol each. */
export interface Said {
  readonly parse: number;
  readonly bind: number;
  readonly execute: number;
  readonly sync: number;
  /** The simple protocol: BEGIN, and whatever has no parameters. */
  readonly query: number;
  /** Wake-ups of the enqueuer: no test waits for one. They count as nothing else. */
  readonly wake: number;
}

const LETTERS: Readonly<Record<string, keyof Said>> = {
  P: 'parse',
  B: 'bind',
  E: 'execute',
  S: 'sync',
  Q: 'query',
};
const NOTHING: Said = { parse: 0, bind: 0, execute: 0, sync: 0, query: 0, wake: 0 };
/**
 * Each process asks twice a second for the time and which processes are there, every five seconds for locks whose process is gone,
 * once a second for breakers that are held open, and every three for PSP accounts that have changed, also without a payment;
 * where one answer is late, a new connection asks, which begins with a setting.
 */
const BACKGROUND = [
  'SELECT clock_timestamp() AS now',
  'FROM pg_locks l',
  'WITH holders AS',
  "set_config('synchronous_commit'",
  'FROM psp_breakers',
  'FROM psp_accounts',
];
const SSL_REQUEST = 80_877_103;
const GSS_REQUEST = 80_877_104;

/** Stands between a service and its Postgres and counts what the service says. */
export class PostgresTap {
  private counts: Record<keyof Said, number> = { ...NOTHING };
  private readonly sockets = new Set<Socket>();

  private constructor(
    private readonly server: Server,
    /** The database as it is reached through the tap. */
    readonly url: string,
  ) {}

  static async open(databaseUrl: string): Promise<PostgresTap> {
    const target = new URL(databaseUrl);
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const through = new URL(databaseUrl);
    through.hostname = '127.0.0.1';
    through.port = String((server.address() as AddressInfo).port);
    const tap = new PostgresTap(server, through.href);
    server.on('connection', (near) => tap.join(near, connect(Number(target.port), target.hostname)));
    return tap;
  }

  said(): Said {
    return { ...this.counts };
  }

  /** Starts counting at nothing. */
  reset(): void {
    this.counts = { ...NOTHING };
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    this.server.close();
    await once(this.server, 'close');
  }

  private join(near: Socket, far: Socket): void {
    let isWake = false;
    let isBackground = false;
    const listen = listener((letter, message) => {
      const name = LETTERS[letter];
      if (name === 'parse') isWake = message.includes('pg_notify');
      if (name === 'parse' || name === 'query')
        isBackground = BACKGROUND.some((text) => message.includes(text));
      if (isBackground) return;
      if (isWake && name === 'sync') {
        isWake = false;
        this.counts.wake += 1;
      } else if (name && !isWake) this.counts[name] += 1;
    });
    near.on('data', listen);
    near.pipe(far);
    far.pipe(near);
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      socket.setNoDelay(true);
      this.sockets.add(socket);
      socket.on('error', () => other.destroy());
      socket.on('close', () => {
        this.sockets.delete(socket);
        other.destroy();
      });
    }
  }
}

/** Cuts one connection's bytes into messages: the greeting has no letter, everything after it has. */
function listener(hear: (letter: string, message: Buffer) => void): (bytes: Buffer) => void {
  let held: Buffer = Buffer.alloc(0);
  let greeted = false;
  return (bytes) => {
    held = Buffer.concat([held, bytes]);
    for (;;) {
      const letterBytes = greeted ? 1 : 0;
      if (held.length < letterBytes + 4) return;
      const end = letterBytes + held.readInt32BE(letterBytes);
      if (held.length < end) return;
      if (greeted) {
        hear(String.fromCharCode(held[0]!), held.subarray(0, end));
      } else {
        const asked = held.readInt32BE(4);
        greeted = asked !== SSL_REQUEST && asked !== GSS_REQUEST;
      }
      held = held.subarray(end);
    }
  };
}
