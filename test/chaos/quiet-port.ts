import { createServer } from 'node:net';
import { eventually } from '../support/eventually.js';

/** Outside of the ports that the system gives to outgoing connections: what comes back finds its port free. */
const PORTS = { from: 20_000, count: 12_000 };

/** A port of loopback for something that is killed and comes back. */
export async function quietPort(random: () => number): Promise<number> {
  return eventually(async () => {
    const port = PORTS.from + Math.floor(random() * PORTS.count);
    const server = createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => resolve(true));
    });
    if (isFree) await new Promise((closed) => server.close(closed));
    return isFree ? port : null;
  }, 'a port is free');
}
