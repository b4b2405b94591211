import { createSocket, type Socket } from 'node:dgram';
import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createResolve } from './address-resolver.js';
import { temporaryFolder } from '../../test/support/temporary-folder.js';

/** A DNS server on loopback that answers nothing, or every question about IPv4 with this address. */
async function dnsServer(
  address: string | null,
): Promise<{ server: string; questions: () => number; socket: Socket }> {
  const socket = createSocket('udp4');
  let asked = 0;
  socket.on('message', (question, from) => {
    asked++;
    if (address === null) return;
    const end = question.indexOf(0, 12) + 5;
    const isA = question.readUInt16BE(end - 4) === 1;
    const header = Buffer.from(question.subarray(0, 12));
    header.writeUInt16BE(0x8180, 2);
    header.writeUInt16BE(isA ? 1 : 0, 6);
    header.writeUInt16BE(0, 10);
    const answer = Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, ...address.split('.').map(Number)]);
    socket.send(
      Buffer.concat([header, question.subarray(12, end), ...(isA ? [answer] : [])]),
      from.port,
      from.address,
    );
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return { server: `127.0.0.1:${socket.address().port}`, questions: () => asked, socket };
}

const never = () => new AbortController().signal;

describe('the resolver of names that merchants give', () => {
  let sockets: Socket[] = [];
  const serving = async (address: string | null) => {
    const { socket, ...rest } = await dnsServer(address);
    sockets.push(socket);
    return rest;
  };
  afterEach(() => {
    for (const socket of sockets) socket.close();
    sockets = [];
  });

  it('asks its DNS servers', async () => {
    const { server } = await serving('192.0.2.7');
    const resolve = createResolve({ servers: [server] });
    expect(await resolve('shop.example', never())).toEqual([{ address: '192.0.2.7', family: 4 }]);
  });

  it('holds no thread that PSP calls need while names do not resolve', async () => {
    const { server, questions } = await serving(null);
    const resolve = createResolve({ servers: [server] });
    const stop = new AbortController();
    const slow = Array.from({ length: 40 }, (_, n) =>
      resolve(`slow-${n}.example`, stop.signal).catch(() => 'ended'),
    );
    while (questions() < 40) await new Promise((done) => setTimeout(done, 10));
    const from = performance.now();
    // What a connection to a PSP waits for.
    await Promise.all(Array.from({ length: 8 }, () => lookup('localhost')));
    expect(performance.now() - from).toBeLessThan(4_000);
    stop.abort();
    expect(await Promise.all(slow)).toEqual(Array(40).fill('ended'));
  });

  it('ends in time where no server answers', async () => {
    const { server } = await serving(null);
    const from = performance.now();
    await expect(
      createResolve({ servers: [server], timeoutMs: 200 })('slow.example', never()),
    ).rejects.toThrow();
    expect(performance.now() - from).toBeLessThan(5_000);
  });

  const hostsFile = join(temporaryFolder(), 'hosts');

  it('knows localhost and the hosts file without asking', async () => {
    const { server, questions } = await serving(null);
    await writeFile(
      hostsFile,
      '# none\n127.0.0.1 localhost\n10.0.0.5\treceiver  Receiver.Test # here\nfd00::5 receiver.test\n',
    );
    const resolve = createResolve({ servers: [server], hostsFile });
    expect(await resolve('localhost', never())).toEqual([{ address: '127.0.0.1', family: 4 }]);
    expect(await resolve('shop.localhost', never())).toEqual([
      { address: '127.0.0.1', family: 4 },
      { address: '::1', family: 6 },
    ]);
    expect(await resolve('RECEIVER.test.', never())).toEqual([
      { address: '10.0.0.5', family: 4 },
      { address: 'fd00::5', family: 6 },
    ]);
    expect(questions()).toBe(0);
  });
});
