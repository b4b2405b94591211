import { type PortName, pspNames, startSimulator } from './index.js';

/** The simulator as a process of its own; README.md says what it takes. */
const PORTS: Readonly<Record<PortName, number>> = { stripe: 8420, adyen: 8430, keyless: 8440, control: 8450 };
const names: readonly PortName[] = [...pspNames, 'control'];

function portsFrom(text: string | undefined): Partial<Record<PortName, number>> {
  if (text === undefined || text === '') return PORTS;
  return Object.fromEntries(
    text.split(',').map((pair) => {
      const [name, value = ''] = pair.trim().split('=');
      const port = Number(value);
      const known = names.find((one) => one === name);
      if (known === undefined || value === '' || !Number.isInteger(port) || port < 0 || port > 65_535) {
        throw new Error(
          `SIMULATOR_PORTS: ${names.map((one) => `${one}=<port>`).join(',')}; 0 is any free port`,
        );
      }
      return [known, port];
    }),
  );
}

async function main(): Promise<void> {
  const simulator = await startSimulator({
    host: process.env['SIMULATOR_HOST'] || '127.0.0.1',
    ports: portsFrom(process.env['SIMULATOR_PORTS']),
  });
  const stop = (): void => void simulator.close().finally(() => process.exit(0));
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
  if (process.env['SIMULATOR_EXIT_WITH_PARENT'] === '1') {
    process.stdin.once('end', stop).once('close', stop).once('error', stop).resume();
  }
  const listening = Object.fromEntries(names.map((name) => [name, { url: simulator.urls[name] }]));
  process.stdout.write(`${JSON.stringify({ listening })}\n`);
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
