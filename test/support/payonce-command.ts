import { builtService } from './built-service.js';

export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * `payonce <line>` in this process, which spares the start of one for each line: as bin/payonce.mjs runs it,
 * but for the process. A line is split at its spaces.
 */
export async function payonceCommand(
  line: string | readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<Ran> {
  const args = typeof line === 'string' ? line.split(' ').filter(Boolean) : line;
  let [stdout, stderr] = ['', ''];
  const terminal = {
    env: { ...env },
    stdout: (text: string) => void (stdout += text),
    stderr: (text: string) => void (stderr += text),
  };
  const { runCommand, installation } = builtService();
  return { code: await runCommand(args, terminal, () => Promise.resolve(installation)), stdout, stderr };
}
