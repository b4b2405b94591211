import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { pspNames, startSimulator, type WebhooksReading } from '@payonce/simulator';
import { spawnNode } from '../support/process.js';
import { failure, StripeClient } from './support.js';

describe('starting and stopping the simulator', () => {
  it('closes at once, whatever hangs', async () => {
    const simulator = await startSimulator();
    const stripe = new StripeClient(simulator.urls.stripe);
    simulator.faults('stripe', { fault: 'hang_before', next: 1 });
    simulator.faults('stripe', { fault: 'delay_before', next: 1, delay_ms: 600_000 });
    const waiting = [failure(stripe.charge()), failure(stripe.charge({ entityKey: 'payment-2-charge' }))];
    while (simulator.calls('stripe').length < 2) await new Promise((resolve) => setImmediate(resolve));
    await simulator.close();
    expect(await Promise.all(waiting)).not.toContain('answered');
    expect(await failure(stripe.charge())).toBe('ECONNREFUSED');
  });

  it('closes while it refuses, and lets go of its ports when one is taken', async () => {
    const first = await startSimulator();
    first.faults('adyen', { fault: 'refuse' });
    const taken = Number(new URL(first.urls.control).port);
    await expect(startSimulator({ ports: { control: taken } })).rejects.toThrow(/EADDRINUSE/);
    await first.close();
    const second = await startSimulator({ ports: { control: taken } });
    expect(second.urls.control).toBe(first.urls.control);
    await second.close();
  });

  const main = 'packages/simulator/dist/main.js';
  const env = { SIMULATOR_PORTS: 'stripe=0,adyen=0' };

  it('runs as a process, says where it listens, and stops when told', async () => {
    const child = spawnNode(main, { env });
    const [line] = await child.waitForLine(/^\{"listening":.*\}$/);
    const { listening } = JSON.parse(line) as { listening: Record<string, { url: string }> };
    expect(Object.keys(listening)).toEqual([...pspNames, 'control']);
    expect((await new StripeClient(listening['stripe']?.url ?? '').charge()).status).toBe(200);
    child.kill('SIGTERM');
    expect(await child.exit).toEqual({ code: 0, signal: null });
    expect(child.output().trim()).toBe(line);
  });

  it('names what is wrong with its ports', async () => {
    const child = spawnNode(main, { env: { SIMULATOR_PORTS: 'nobody=1' } });
    expect((await child.exit).code).toBe(1);
    expect(child.output()).toContain('SIMULATOR_PORTS');
  });

  it.each([
    '{',
    '[]',
    '{"nobody":{"url":"http://api:3000"}}',
    '{"stripe":{"url":"https://api"}}',
    '{"stripe":null}',
  ])('names what is wrong with its webhooks: %s', async (webhooks) => {
    const child = spawnNode(main, { env: { ...env, SIMULATOR_WEBHOOKS: webhooks } });
    expect((await child.exit).code).toBe(1);
    expect(child.output()).toMatch(
      /^(SIMULATOR_WEBHOOKS: JSON like|url: http:\/\/|a webhook is a JSON object)/,
    );
  });

  it('tells whom it was started with, at any host, and again after a reset', async () => {
    const webhooks = JSON.stringify({ adyen: { url: 'http://api:3000/x', secret: '00' } });
    const child = spawnNode(main, { env: { ...env, SIMULATOR_WEBHOOKS: webhooks } });
    const [line] = await child.waitForLine(/^\{"listening":.*\}$/);
    const { control } = (JSON.parse(line) as { listening: { control: { url: string } } }).listening;
    const told = async () => {
      const answer = await fetch(`${control.url}/adyen/_webhooks`);
      return ((await answer.json()) as WebhooksReading).webhooks.map(({ url }) => url);
    };
    expect(await told()).toEqual(['http://api:3000/x']);
    await fetch(`${control.url}/adyen/_webhooks`, { method: 'DELETE' });
    expect(await told()).toEqual([]);
    await fetch(`${control.url}/_reset`, { method: 'POST' });
    expect(await told()).toEqual(['http://api:3000/x']);
    // Nobody but who started it may name such a host.
    const asked = { method: 'POST', body: JSON.stringify({ url: 'http://api:3000/x' }) };
    expect((await fetch(`${control.url}/adyen/_webhooks`, asked)).status).toBe(400);
    child.kill('SIGTERM');
    await child.exit;
  });

  it('goes when its parent goes', async () => {
    const child = spawn(process.execPath, [resolve(__dirname, '../..', main)], {
      env: { ...process.env, ...env, SIMULATOR_EXIT_WITH_PARENT: '1' },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const exited = once(child, 'exit');
    await once(child.stdout, 'data');
    child.stdin.end();
    expect(await exited).toEqual([0, null]);
  });
});
