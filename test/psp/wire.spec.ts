import http from 'node:http';
import https from 'node:https';
import net, { type AddressInfo, type Server, type Socket } from 'node:net';
import { provedUnsent } from '../../src/psp/network-error.js';
import { Wire } from '../../src/psp/wire.js';

/** A TCP server that does `each` with every connection. */
async function listening(each: (socket: Socket) => void): Promise<{ server: Server; port: number }> {
  const server = net.createServer((socket) => {
    socket.on('error', () => undefined);
    each(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, port: (server.address() as AddressInfo).port };
}

/** The error of one POST, or the status it was answered with. */
function post(wire: Wire, url: string): Promise<unknown> {
  return new Promise((resolve) => {
    const secure = url.startsWith('https:');
    const agent = secure ? wire.https : wire.http;
    const request = (secure ? https : http).request(url, { method: 'POST', agent }, (response) => {
      response.resume().once('end', () => resolve(response.statusCode));
      response.once('error', resolve);
    });
    request.on('error', resolve);
    request.end('charge');
  });
}

describe('Wire', () => {
  const open: { close(): unknown }[] = [];
  const wireOf = (timeoutMs = 1_000) => {
    const wire = new Wire(timeoutMs);
    open.push(wire);
    return wire;
  };
  const serverOf = async (each: (socket: Socket) => void) => {
    const { server, port } = await listening(each);
    open.push(server);
    return port;
  };
  afterEach(() => {
    for (const each of open.splice(0)) each.close();
  });

  it('proves that nothing was sent to a port where nobody listens', async () => {
    const { server, port } = await listening(() => undefined);
    await new Promise((resolve) => server.close(resolve));
    expect(provedUnsent(await post(wireOf(), `http://127.0.0.1:${port}/`))).toBe(true);
    expect(provedUnsent(await post(wireOf(), `https://127.0.0.1:${port}/`))).toBe(true);
  });

  it('takes a connection that stood in time, although this process was late to notice', async () => {
    const port = await serverOf((socket) =>
      socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n')),
    );
    const answered = post(wireOf(100), `http://127.0.0.1:${port}/`);
    // Longer than it may take to connect, which is half of the time for a call.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
    expect(await answered).toBe(200);
  });

  it('proves it for a name that has no address', async () => {
    expect(provedUnsent(await post(wireOf(), 'http://payonce.invalid/'))).toBe(true);
  });

  it.each<[string, (socket: Socket) => void]>([
    ['resets', (socket) => socket.once('data', () => socket.resetAndDestroy())],
    ['hangs up', (socket) => socket.once('data', () => socket.end())],
    ['speaks no TLS', (socket) => socket.once('data', () => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'))],
    ['says nothing', () => undefined],
  ])('proves it where TLS fails because the other side %s', async (_, each) => {
    const port = await serverOf(each);
    expect(provedUnsent(await post(wireOf(200), `https://127.0.0.1:${port}/`))).toBe(true);
  });

  it.each<[string, (socket: Socket) => void]>([
    ['resets', (socket) => socket.once('data', () => socket.resetAndDestroy())],
    ['hangs up', (socket) => socket.once('data', () => socket.end())],
    [
      'stops in the middle of its answer',
      (socket) => socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf')),
    ],
  ])('does not claim it where the other side has read the request and %s', async (_, each) => {
    const port = await serverOf(each);
    const error = await post(wireOf(), `http://127.0.0.1:${port}/`);
    expect(error).toHaveProperty('code', 'ECONNRESET');
    expect(provedUnsent(error)).toBe(false);
  });

  it('does not claim it for a connection that was kept and is reset under a second request', async () => {
    let requests = 0;
    const port = await serverOf((socket) =>
      socket.on('data', () => {
        requests += 1;
        if (requests === 1) socket.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n');
        else socket.resetAndDestroy();
      }),
    );
    const wire = wireOf();
    expect(await post(wire, `http://127.0.0.1:${port}/`)).toBe(200);
    await new Promise(setImmediate);
    expect(provedUnsent(await post(wire, `http://127.0.0.1:${port}/`))).toBe(false);
    expect(requests).toBe(2);
  });
});
