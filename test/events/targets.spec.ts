import { type LookupAddress } from 'node:dns';
import { Problem } from '../../src/core/problem.js';
import { OutgoingEnvironment } from './events-environment.js';
import { Receiver } from './receiver.js';

/** Requests that merchants cause never reach what only this network can reach. */
const PUBLIC: LookupAddress = { address: '93.184.215.14', family: 4 };
const LOOPBACK: LookupAddress = { address: '127.0.0.1', family: 4 };

let receiver: Receiver;
let environment: OutgoingEnvironment;
let asked: string[];
/** What the resolver says, one after the other; the last one from then on. */
let answers: (readonly LookupAddress[])[];

const resolve = (name: string): Promise<readonly LookupAddress[]> => {
  asked.push(name);
  return Promise.resolve(answers.length > 1 ? answers.shift()! : answers[0]!);
};

beforeEach(async () => {
  [asked, answers] = [[], [[PUBLIC]]];
  receiver = await Receiver.open();
});
afterEach(async () => {
  await Promise.all([receiver.close(), environment.close()]);
});

async function faultOf(url: string): Promise<unknown> {
  const error: unknown = await environment.endpoint(url).catch((thrown: unknown) => thrown);
  if (!(error instanceof Problem)) return error;
  return [error.code, error.more.errors];
}

describe('targets: public', () => {
  beforeEach(async () => {
    environment = await OutgoingEnvironment.open({ targets: 'public', resolve });
  });

  it('refuses a name that leads to a private address, also beside a public one', async () => {
    const message = 'must lead to public addresses only';
    const refused = ['webhook_target_refused', [{ pointer: '/url', message }]];
    answers = [
      [LOOPBACK],
      [PUBLIC, { address: '10.0.0.1', family: 4 }],
      [PUBLIC, { address: '::1', family: 6 }],
    ];
    for (let n = 0; n < 3; n++) expect(await faultOf('https://hooks.example/')).toEqual(refused);
    for (const host of ['127.0.0.1', '0x7f.1', '[::1]', '[::ffff:a00:1]', '169.254.169.254']) {
      expect(await faultOf(`https://${host}/`)).toEqual(refused);
    }
    expect(asked).toHaveLength(3);
    expect(await environment.out.endpoints.list(environment.merchant, 10, null)).toMatchObject({ data: [] });
  });

  it('looks up four names of a merchant at once and makes others wait for nothing', async () => {
    let answer: (addresses: readonly LookupAddress[]) => void = () => {};
    const answered = new Promise<readonly LookupAddress[]>((done) => (answer = done));
    await environment.close();
    environment = await OutgoingEnvironment.open({
      targets: 'public',
      resolve: (name) => (name.startsWith('slow') ? answered : resolve(name)),
    });
    const slow = Array.from({ length: 12 }, (_, n) => faultOf(`https://slow-${n}.example/`));
    const limited = await Promise.all(slow.slice(4));
    expect(limited).toEqual(Array.from({ length: 8 }, () => ['rate_limited', undefined]));
    const other = await environment.newMerchant();
    await environment.out.endpoints.create(other, {
      url: 'https://hooks.example/',
      events: null,
      description: null,
    });
    answer([PUBLIC]);
    expect(await Promise.all(slow.slice(0, 4))).toEqual(
      Array(4).fill(expect.objectContaining({ status: 'enabled' })),
    );
    expect(await faultOf('https://hooks.example/')).toMatchObject({ status: 'enabled' });
  });

  it('refuses a name that does not resolve', async () => {
    answers = [[]];
    expect(await faultOf('https://hooks.example/')).toEqual([
      'webhook_target_refused',
      [{ pointer: '/url', message: 'must have a name that resolves' }],
    ]);
  });

  it('looks again at every delivery: a name that was public may lead home by then', async () => {
    answers = [[PUBLIC], [LOOPBACK]];
    const { id } = await environment.endpoint(`https://hooks.example:${receiver.port}/`);
    const eventId = await environment.event();
    await environment.deliver();
    expect(await environment.tries(eventId)).toEqual([[null, 'address_refused']]);
    expect(asked).toEqual(['hooks.example', 'hooks.example']);
    expect(receiver.connections).toBe(0);
    expect(await environment.out.endpoints.get(environment.merchant, id)).toMatchObject({
      status: 'enabled',
    });
  });

  it('looks again when an endpoint is enabled', async () => {
    answers = [[PUBLIC], [LOOPBACK]];
    const { id } = await environment.endpoint('https://hooks.example/');
    await environment.out.endpoints.disable(environment.merchant, id);
    await expect(environment.out.endpoints.enable(environment.merchant, id)).rejects.toThrow(
      'webhook_target_refused',
    );
  });
});

describe('targets: any', () => {
  beforeEach(async () => {
    environment = await OutgoingEnvironment.open({ targets: 'any', resolve });
  });

  it('connects to the address that was checked and asks no resolver twice; the host stays that of the URL', async () => {
    answers = [[LOOPBACK], [LOOPBACK], [PUBLIC]];
    const host = `hooks.example:${receiver.port}`;
    await environment.endpoint(`http://${host}/in?a=b`);
    const eventId = await environment.event();
    await environment.deliver();
    expect(await environment.tries(eventId)).toEqual([[200, null]]);
    // Once when it was made, once for the delivery, and not again by the connection.
    expect(asked).toHaveLength(2);
    expect(receiver.received).toMatchObject([{ path: '/in?a=b', headers: { host } }]);
  });

  it('takes no proxy from the environment', async () => {
    answers = [[LOOPBACK]];
    const proxy = await Receiver.open();
    const before = { ...process.env };
    Object.assign(process.env, { http_proxy: proxy.url, HTTP_PROXY: proxy.url, NODE_USE_ENV_PROXY: '1' });
    try {
      await environment.endpoint(`http://hooks.example:${receiver.port}/`);
      await environment.event();
      await environment.deliver();
    } finally {
      for (const name of ['http_proxy', 'HTTP_PROXY', 'NODE_USE_ENV_PROXY']) {
        if (before[name] === undefined) delete process.env[name];
        else process.env[name] = before[name];
      }
      await proxy.close();
    }
    expect([receiver.connections, proxy.connections]).toEqual([1, 0]);
  });
});
