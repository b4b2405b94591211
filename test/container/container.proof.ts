import { eventually } from '../support/eventually.js';
import { describeUnless } from '../support/program.js';
import { missingForContainers } from './compose.js';
import { Installation } from './installation.js';

/**
 * `npm run container`: the files of docker/, built and run on a real engine. The base images are made of Debian's packages
 * (`images.sh`), since those that the files pin need a registry.
 */
const missing = missingForContainers();
const MINUTES = 60_000;

let installation: Installation;

describeUnless(missing, 'the containers', () => {
  beforeAll(async () => {
    installation = await Installation.start('payonce-proof', ['compose.yml'], { api: 2, worker: 2 });
  }, 30 * MINUTES);
  afterAll(() => installation?.close(), 5 * MINUTES);

  /** The notifications of a PSP that the workers have counted, each on its port within the network. */
  async function applied(psp: string): Promise<number> {
    const ask = "fetch('http://127.0.0.1:9090/metrics').then((a) => a.text()).then(console.log)";
    const pattern = new RegExp(
      `^payonce_webhook_decisions_total{psp="${psp}",state="applied",reason="none"} (\\d+)`,
      'm',
    );
    const texts = ['1', '2'].map((index) =>
      installation.compose.do('exec', '-T', '--index', index, 'worker', 'node', '-e', ask),
    );
    const numbers = (await Promise.all(texts)).map((text) => Number(pattern.exec(text)?.[1] ?? 0));
    return numbers.reduce((sum, number) => sum + number);
  }

  it('are all found healthy, by the checks of the files', async () => {
    for (const part of ['api', 'worker']) {
      await installation.isHealthy(part, 1);
      await installation.isHealthy(part, 2);
    }
    for (const part of ['simulator', 'postgres', 'redis']) await installation.isHealthy(part);
    const user = await installation.compose.inspect('api', '{{.Config.User}} {{.HostConfig.ReadonlyRootfs}}');
    expect(user).toBe('node true');
  });

  it.each([
    { at: 1, first: 'stripe' },
    { at: 2, first: 'adyen' },
  ] as const)('take a payment at API $at, and apply what $first notifies', async ({ at, first }) => {
    const answer = await installation.pay(`order-${first}`, { at, first });
    expect(await installation.pay(`order-${first}`, { at: 3 - at, first })).toBe(answer);
    expect(await installation.effects(answer, first)).toEqual(['charge']);
    await eventually(async () => (await applied(first)) > 0, `a notification of ${first} is applied`);
  });

  it.each(['api', 'worker', 'redis', 'postgres'])(
    'go on after %s was told to end, and was started again',
    async (part) => {
      const before = await installation.pay('order-before');
      await installation.compose.do('stop', part);
      // Redis and Postgres do as their own images say.
      const codes = part === 'api' || part === 'worker' ? ['0'] : ['0', '137', '143'];
      expect(codes).toContain(await installation.compose.inspect(part, '{{.State.ExitCode}}'));
      await installation.compose.do('start', part);
      expect(await installation.pay('order-before')).toBe(before);
      expect(await installation.effects(before)).toEqual(['charge']);
      const after = await installation.pay(`order-after-${part}`);
      expect(await installation.effects(after)).toEqual(['charge']);
      await installation.isHealthy(part);
    },
    5 * MINUTES,
  );

  it.each(['api', 'worker', 'simulator', 'redis', 'postgres'])(
    'are started again by the engine where %s dies',
    async (part) => {
      const pid = Number(await installation.compose.inspect(part, '{{.State.Pid}}'));
      process.kill(pid, 'SIGKILL');
      const isAnother = async () => {
        const state = await installation.compose.inspect(part, '{{.State.Pid}} {{.State.Running}}');
        return state.endsWith(' true') && state !== `${pid} true`;
      };
      await eventually(isAnother, `${part} runs again`);
      const after = await installation.pay(`order-after-the-death-of-${part}`);
      expect(await installation.effects(after)).toEqual(['charge']);
      await installation.isHealthy(part);
    },
    5 * MINUTES,
  );

  it(
    'are more where more are asked for, and fewer again',
    async () => {
      await installation.compose.up({ api: 3, worker: 1 });
      await installation.isHealthy('api', 3);
      const answer = await installation.pay('order-third', { at: 3 });
      await installation.compose.up({ api: 1, worker: 1 });
      expect(await installation.pay('order-third')).toBe(answer);
      expect((await installation.compose.do('ps', '--quiet', 'api')).split('\n')).toHaveLength(1);
    },
    5 * MINUTES,
  );
});

describeUnless(missing, 'the nodes of compose.ha.yml', () => {
  beforeAll(async () => {
    const files = ['compose.yml', 'compose.ha.yml'];
    installation = await Installation.start('payonce-nodes', files, { api: 1, worker: 1 });
  }, 30 * MINUTES);
  afterAll(() => installation?.close(), 5 * MINUTES);

  interface Member {
    readonly Member: string;
    readonly Role: string;
    readonly State: string;
  }
  async function members(at: string): Promise<readonly Member[]> {
    const list = ['patronictl', '-c', '/etc/payonce/patroni.yml', 'list', '--format', 'json'];
    return JSON.parse(await installation.compose.do('exec', '-T', at, ...list)) as Member[];
  }
  const hasSynchronous = (list: readonly Member[]) => list.some(({ Role }) => Role === 'Sync Standby');

  it('are one primary and its standbys, one of which has every commit', async () => {
    await eventually(async () => {
      const list = await members('node1');
      return list.length === 3 && hasSynchronous(list) && list;
    }, 'there is a synchronous standby');
  });

  it('take no orders without the password', async () => {
    const order = ['--request', 'POST', '--output', '/dev/null', '--write-out', '%{http_code}'];
    const url = 'http://127.0.0.1:8008/restart';
    const ask = installation.compose.do('exec', '-T', 'node1', 'curl', '--silent', ...order, url);
    expect(await ask).toBe('401');
  });

  it(
    'lose the primary, and payments go on at another one',
    async () => {
      const before = await installation.pay('order-before');
      const primary = (await members('node1')).find(({ Role }) => Role === 'Leader')!.Member;
      await installation.compose.do('kill', primary);
      const after = await installation.pay('order-after');
      expect(await installation.pay('order-before')).toBe(before);
      expect(await installation.effects(before)).toEqual(['charge']);
      expect(await installation.effects(after)).toEqual(['charge']);
      await installation.compose.do('start', primary);
      await eventually(async () => {
        const list = await members(primary);
        const isFollower = list.some(({ Member, Role }) => Member === primary && Role !== 'Leader');
        return list.length === 3 && isFollower && hasSynchronous(list);
      }, 'the node follows the other one');
    },
    5 * MINUTES,
  );
});
