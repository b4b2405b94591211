import { CommanderError } from 'commander';
import { type Installation, type Outcome, type RunCommand } from './command.js';
import { type Migrate } from './migrate.command.js';
import { programOf } from './program.js';
import { folded } from './text.js';

/** The terminal of a command. */
interface Terminal {
  readonly env: NodeJS.ProcessEnv;
  readonly stdout: (text: string) => void;
  readonly stderr: (text: string) => void;
}

/** Help fits already, and its columns must stay; what is wrong may be as long as what was typed. */
function fitted(text: string): string {
  return text.replaceAll(/^.{81,}$/gm, (line) => folded('', line));
}

/** Lists to look at where a command failed, by its group. */
const LISTS: Readonly<Record<string, string>> = {
  merchants: 'merchants list',
  'api-keys': 'merchants list',
  'payout-limits': 'merchants list',
  psps: 'psps list',
  operators: 'operators list',
  stuck: 'stuck list',
  orphans: 'orphans list',
  breaks: 'breaks list',
  dlq: 'dlq list',
  reconcile: 'reconcile list',
  tasks: 'tasks list',
};

/**
 * `payonce …`: administration. With --json a command prints one JSON value on stdout and nothing
 * else; an error is one JSON value on stderr. Resolves to the exit code: 0 done, 1 failed, 2 not understood.
 */
export async function run(
  args: readonly string[],
  { env, stdout, stderr }: Terminal,
  installation: () => Promise<Installation>,
): Promise<number> {
  const asJson = args.includes('--json');
  let usage = '';
  const print = ({ json, text }: Outcome) => stdout(`${asJson ? JSON.stringify(json) : text}\n`);
  // Before the work, so that a person sees where it fails too. Programs get one JSON value and nothing else.
  const announce = (place: string) => {
    if (!asJson) stderr(`${folded('payonce: ', `this is ${place}`)}\n`);
  };
  const perform: RunCommand = async (work) =>
    print(await (await installation()).withInstallation(env, announce, work));
  const migrate: Migrate = async (options, tell) =>
    print(tell(await (await installation()).migrations(env, options, announce)));
  const fail = (code: string, message: string, text: string) =>
    stderr(asJson ? `${JSON.stringify({ error: { code, message } })}\n` : text);
  const payonce = programOf(perform, migrate, { writeOut: stdout, writeErr: (text) => void (usage += text) });
  try {
    await payonce.parseAsync([...args], { from: 'user' });
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) {
      if (error.exitCode === 0) return 0; // --help
      const isBare = error.code === 'commander.help';
      fail('usage', isBare ? 'a command is missing' : error.message.replace(/^error: /, ''), fitted(usage));
      return 2;
    }
    const { code, message } = (await installation()).explain(error);
    const list = code === 'not_found' || code === 'invalid_state' ? LISTS[args[0] ?? ''] : undefined;
    const next = list === undefined ? '' : ` See: npx payonce ${list}`;
    fail(code, message, `${folded('payonce: ', `${message}${next}`)}\n`);
    return 1;
  }
}
