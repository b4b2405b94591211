#!/usr/bin/env node
import {
  defaultPorts,
  type PortName,
  type PspName,
  pspNames,
  startSimulator,
  type WebhookRequest,
} from './index.js';

/** The simulator as a process of its own; README.md says what it takes. */
const names: readonly PortName[] = [...pspNames, 'control'];

function portsFrom(text: string | undefined): Partial<Record<PortName, number>> {
  if (text === undefined || text === '') return defaultPorts;
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

/** `{"stripe": {"url", "secret"}, …}`, as `POST /_webhooks` takes them. */
function webhooksFrom(text: string | undefined): Partial<Record<PspName, WebhookRequest>> {
  if (text === undefined || text === '') return {};
  const wrong = new Error(`SIMULATOR_WEBHOOKS: JSON like {"stripe":{"url":"http://…","secret":"whsec_…"}}`);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw wrong;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw wrong;
  if (Object.keys(value).some((name) => !pspNames.includes(name as PspName))) throw wrong;
  return value;
}

async function main(): Promise<void> {
  const simulator = await startSimulator({
    host: process.env['SIMULATOR_HOST'] || '127.0.0.1',
    ports: portsFrom(process.env['SIMULATOR_PORTS']),
    webhooks: webhooksFrom(process.env['SIMULATOR_WEBHOOKS']),
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
