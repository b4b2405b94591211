import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { type PspConfig } from './psp/psp-entry.js';

/** The simulator as a child process: it plays the PSPs where none are configured. */
export interface BundledSimulator {
  readonly urls: {
    readonly stripe: string;
    readonly adyen: string;
    readonly keyless: string;
    readonly control: string;
  };
  /**
   * Has it notify a service, as a webhook that is entered at a PSP does: for each account that is
   * played by it and has a secret to sign with. Returns their names.
   * @throws Error when it does not take one of them, as when the service does not listen on this machine
   */
  notify(serviceUrl: string, accounts: readonly PspConfig[]): Promise<string[]>;
  stop(): Promise<void>;
}

/** The ports of the simulator if no other process listens there; see packages/simulator/README.md. */
const USUAL_PORTS = 'stripe=8420,adyen=8430,keyless=8440,control=8450';
const ANY_PORTS = 'stripe=0,adyen=0,keyless=0,control=0';
const START_TIMEOUT_MS = 10_000;
const STOP_TIMEOUT_MS = 2_000;
const NOTIFY_TIMEOUT_MS = 5_000;

/** Starts it on its usual ports, or on any free ones where those are taken. */
export async function startBundledSimulator(): Promise<BundledSimulator> {
  return (await start(USUAL_PORTS)) ?? (await start(ANY_PORTS)) ?? fail();
}

function fail(): never {
  throw new Error('the simulator does not start; PAYONCE_SIMULATOR=off goes without it');
}

/** null when it ended before it listened. */
async function start(ports: string): Promise<BundledSimulator | null> {
  const entry = fileURLToPath(new URL('../../packages/simulator/dist/main.js', import.meta.url));
  const child = spawn(process.execPath, [entry], {
    // Nothing of this process's environment, which holds secrets, but for where programs are.
    env: { PATH: process.env['PATH'], SIMULATOR_PORTS: ports, SIMULATOR_EXIT_WITH_PARENT: '1' },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const ended = once(child, 'exit').then(() => null);
  const lines = createInterface({ input: child.stdout });
  const listening = once(lines, 'line', { signal: AbortSignal.timeout(START_TIMEOUT_MS) }).then(
    ([line]) => (JSON.parse(line as string) as { listening: Record<string, { url: string }> }).listening,
  );
  const endpoints = await Promise.race([listening, ended]);
  listening.catch(() => {});
  if (!endpoints) return null;
  const urlOf = (name: string) => endpoints[name]!.url;
  const urls = {
    stripe: urlOf('stripe'),
    adyen: urlOf('adyen'),
    keyless: urlOf('keyless'),
    control: urlOf('control'),
  };
  return {
    urls,
    notify: (serviceUrl, accounts) => notify(urls, serviceUrl, accounts),
    stop: async () => {
      child.kill('SIGTERM');
      const late = setTimeoutUnref(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
      await ended;
      clearTimeout(late);
    },
  };
}

function setTimeoutUnref(work: () => void, ms: number): NodeJS.Timeout {
  return setTimeout(work, ms).unref();
}

async function notify(
  { control, ...played }: BundledSimulator['urls'],
  serviceUrl: string,
  accounts: readonly PspConfig[],
): Promise<string[]> {
  const names: string[] = [];
  for (const { name, baseUrl, credentials } of accounts) {
    const origin = baseUrl === undefined ? null : new URL(baseUrl).origin;
    const psp = Object.entries(played).find(([, url]) => new URL(url).origin === origin)?.[0];
    const secret = credentials['webhookSecret'] ?? credentials['hmacKey'];
    if (psp === undefined || secret === undefined) continue;
    const answer = await fetch(`${control}/${psp}/_webhooks`, {
      method: 'POST',
      body: JSON.stringify({ url: new URL(`/v1/webhooks/${name}`, nearUrl(serviceUrl)).href, secret }),
      signal: AbortSignal.timeout(NOTIFY_TIMEOUT_MS),
    });
    if (!answer.ok) throw new Error(`the simulator does not tell ${name} (${answer.status})`);
    names.push(name);
  }
  return names;
}

/** Who listens on every address is reached on this one. */
function nearUrl(url: string): string {
  const near = new URL(url);
  if (near.hostname === '0.0.0.0' || near.hostname === '[::]') near.hostname = '127.0.0.1';
  return near.href;
}
