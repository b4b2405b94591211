import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** The simulator as a child process: it plays the PSPs where none are configured. */
export interface BundledSimulator {
  readonly urls: { readonly stripe: string; readonly adyen: string; readonly control: string };
  stop(): Promise<void>;
}

/** Where it listens when nobody else does; see simulator/README.md. */
const USUAL_PORTS = 'stripe=8420,adyen=8430,keyless=8440,control=8450';
const ANY_PORTS = 'stripe=0,adyen=0,keyless=0,control=0';
const START_TIMEOUT_MS = 10_000;
const STOP_TIMEOUT_MS = 2_000;

/** Starts it on its usual ports, or on any free ones where those are taken. */
export async function startBundledSimulator(): Promise<BundledSimulator> {
  return (await start(USUAL_PORTS)) ?? (await start(ANY_PORTS)) ?? fail();
}

function fail(): never {
  throw new Error('the simulator does not start; PAYONCE_SIMULATOR=off goes without it');
}

/** null when it ended before it listened. */
async function start(ports: string): Promise<BundledSimulator | null> {
  const entry = fileURLToPath(new URL('../simulator/main.js', import.meta.url));
  const child = spawn(process.execPath, [entry], {
    env: { ...process.env, SIMULATOR_PORTS: ports, SIMULATOR_EXIT_WITH_PARENT: '1' },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const ended = once(child, 'exit').then(() => null);
  const lines = createInterface({ input: child.stdout });
  const listening = once(lines, 'line', { signal: AbortSignal.timeout(START_TIMEOUT_MS) }).then(
    ([line]) => (JSON.parse(line as string) as { listening: Record<string, { url: string }> }).listening,
  );
  const told = await Promise.race([listening, ended]);
  listening.catch(() => {});
  if (!told) return null;
  return {
    urls: { stripe: told['stripe']!.url, adyen: told['adyen']!.url, control: told['control']!.url },
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
