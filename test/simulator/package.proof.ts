import { join } from 'node:path';
import { spawnNode } from '../support/process.js';
import { Consumer, filesOf, root, type Tarball } from '../support/packed.js';

/** A payment at the simulated Stripe, from a process that has the package and what it depends on. */
const program = `
import { startSimulator } from '@payonce/simulator';
const simulator = await startSimulator();
const body = new URLSearchParams({ amount: '1000', currency: 'eur', payment_method: 'pm_card_visa', confirm: 'true', 'payment_method_types[0]': 'card' });
const headers = { authorization: 'Bearer ' + process.argv[1] };
const answer = await fetch(simulator.urls.stripe + '/v1/payment_intents', { method: 'POST', headers, body });
console.log((await answer.json()).status);
await simulator.close();
`;

const typed = `
import { startSimulator, type FaultRequest, type LedgerReading } from '@payonce/simulator';
const simulator = await startSimulator();
const control: string = simulator.urls.control;
const wrong: number = simulator.urls.control;
export type Read = [FaultRequest, LedgerReading, typeof control, typeof wrong];
`;

describe('@payonce/simulator', () => {
  let consumer: Consumer;
  let tarball: Tarball;
  beforeAll(async () => {
    consumer = Consumer.create();
    tarball = await consumer.pack({ workspace: '@payonce/simulator' });
    // What it depends on, from what is installed here: there is no registry.
    const needed = await Promise.all(
      ['currency-codes', 'first-match', 'nub', 'saxes', 'xmlchars'].map((name) =>
        consumer.pack({ folder: join(root, 'node_modules', name) }),
      ),
    );
    await consumer.install(tarball, ...needed);
  });
  afterAll(() => consumer.remove());

  it('is packed with what it needs, and small', () => {
    expect(tarball.files).toEqual(filesOf('simulator'));
    expect(tarball.bytes).toBeLessThan(125_000);
  });

  it('plays PSPs in the process of whom installed it', async () => {
    const { stdout, stderr } = await consumer.node(
      '--input-type=module',
      '--eval',
      program,
      'sk_test_simulator',
    );
    expect([stdout.trim(), stderr]).toEqual(['succeeded', '']);
    const command = join(consumer.folder, 'node_modules/.bin/payonce-simulator');
    const ports = 'stripe=0,adyen=0,keyless=0,control=0';
    const process = spawnNode(command, { cwd: consumer.folder, env: { SIMULATOR_PORTS: ports } });
    await process.waitForLine(/^\{"listening":/);
    process.kill('SIGTERM');
    expect(await process.exit).toEqual({ code: 0, signal: null });
    expect(await consumer.complaints({ 'typed.ts': typed })).toEqual(['typed.ts:5']);
  });
});
