import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { PLANNER } from '../src/database/commit/lane.js';
import { type ChargeStatement, type Parameter, type Varying } from './charge-statements.js';
import { type Counted, percentile, type Window } from './measure.js';

/** On the PATH, or where Debian keeps it, the newest first. null: not installed. */
export function findPgbench(): string | null {
  const root = '/usr/lib/postgresql';
  const versions = existsSync(root) ? readdirSync(root).toSorted((a, b) => Number(b) - Number(a)) : [];
  const directories = [
    ...(process.env['PATH'] ?? '').split(delimiter),
    ...versions.map((version) => join(root, version, 'bin')),
  ];
  return directories.map((directory) => join(directory, 'pgbench')).find((path) => existsSync(path)) ?? null;
}

/** Past the window, so that nothing ends inside it. */
const MARGIN_MS = 400;

/** One transaction of it is one payment. It may use `:run`, `:n` and its own variables. */
export interface PgbenchScript {
  readonly name: string;
  readonly text: string;
  /** `name=value` each. */
  readonly variables: readonly string[];
}

/** A script that pgbench runs, many times. */
export class Pgbench {
  private readonly file: string;
  private readonly variables: readonly string[];
  private runs = 0;
  private made = 0;

  constructor(
    private readonly program: string,
    private readonly databaseUrl: string,
    private readonly directory: string,
    { name, text, variables }: PgbenchScript,
  ) {
    this.file = join(directory, `${name}.pgbench`);
    this.variables = variables;
    // Numbers rise as time does, so that new rows stand at the end of each index, as UUIDv7 has it.
    writeFileSync(this.file, `\\set seq :seq + 1\n\\set n :seq * 1000 + :client_id\n${text}`);
  }

  /** Payments of all runs so far, whether or not they fell into a window. */
  get payments(): number {
    return this.made;
  }

  async run(inFlight: number, { warmMs, windowMs }: Window): Promise<Counted> {
    const logs = mkdtempSync(join(this.directory, 'pgbench-'));
    const run = `0190${String(++this.runs).padStart(4, '0')}`;
    const begunMs = Date.now();
    const seconds = Math.ceil((warmMs + windowMs + MARGIN_MS) / 1_000);
    const threads = Math.min(2, inFlight);
    const settings = ['seq=0', `run=${run}`, ...this.variables].flatMap((variable) => ['-D', variable]);
    const load = `-n -M prepared -c ${inFlight} -j ${threads} -T ${seconds} -l`.split(' ');
    const files = ['-f', this.file, `--log-prefix=${join(logs, 'log')}`];
    await this.spawned([...load, ...files, ...settings, this.databaseUrl]);
    const inWindow: number[] = [];
    for (const name of readdirSync(logs)) {
      for (const line of readFileSync(join(logs, name), 'latin1').split('\n')) {
        // client, transaction, latency in µs, script, time in s and µs
        const [, , latencyUs, , epochS, epochUs] = line.split(' ').map(Number);
        if (latencyUs === undefined) continue;
        this.made += 1;
        const endedMs = epochS! * 1_000 + epochUs! / 1_000 - begunMs;
        if (endedMs >= warmMs && endedMs < warmMs + windowMs) inWindow.push(latencyUs / 1_000);
      }
    }
    rmSync(logs, { recursive: true });
    return {
      payments: inWindow.length,
      p50Ms: percentile(inWindow, 0.5),
      p99Ms: percentile(inWindow, 0.99),
    };
  }

  private spawned(args: readonly string[]): Promise<void> {
    const env = { ...process.env, PGOPTIONS: PLANNER.map((setting) => `-c ${setting}`).join(' ') };
    const child = spawn(this.program, args, { env, stdio: ['ignore', 'ignore', 'pipe'] });
    let said = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (said = (said + text).slice(-2_000)));
    return new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (code) => {
        if (code === 0) resolve();
        else reject(new Error(`pgbench ended with ${code}: ${said}`));
      });
    });
  }
}

/** The service's own statements for a charge. */
export function chargeScript(statements: readonly ChargeStatement[]): PgbenchScript {
  const variables: string[] = [];
  const texts = statements.map(({ text, parameters }, index) => {
    const expressions = parameters.map((parameter, n) =>
      expressionFor(parameter, `c${index}_${n}`, variables),
    );
    return `${text.replace(/\$(\d+)/g, (_, n: string) => expressions[Number(n) - 1]!)};\n`;
  });
  return { name: 'charge', text: texts.join(''), variables };
}

/**
 * What never varies becomes a variable, which pgbench sends as a parameter (it would look for
 * variables inside a quoted text as well); what does is built of one number.
 */
function expressionFor(parameter: Parameter, name: string, variables: string[]): string {
  if (parameter === null) return 'NULL';
  const pieces = parameter.map((piece, n) => {
    if (typeof piece !== 'string') return variation[piece.varies];
    variables.push(`${name}_${n}=${piece}`);
    return parameter.length === 1 ? `:${name}_${n}` : `:${name}_${n}::text`;
  });
  return pieces.length === 1 ? pieces[0]! : `(${pieces.join(' || ')})`;
}

const number = (digits: number) => `lpad(:n::text, ${digits}, '0')`;
const uuid = (kind: number) => `(:run::text || '-000${kind}-7000-8000-' || ${number(12)})`;

/** As long as the service's own, and unique. */
const variation: Readonly<Record<Varying, string>> = {
  payment: uuid(1),
  token: uuid(2),
  event: uuid(4),
  key: `(:run::text || ${number(14)})`,
  fingerprint: `(:run::text || ${number(56)})`,
  pspKey: `(:run::text || ${number(35)})`,
  pspReference: `('pi_' || :run::text || ${number(14)})`,
};
