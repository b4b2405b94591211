import { Argument, type Command } from 'commander';
import { withExamples } from './command.js';

/** The description of a command for a shell. */
interface Completed {
  /** Its name and those above it, without `payonce`: `stuck list`. */
  readonly path: string;
  readonly description: string;
  readonly commands: readonly Completed[];
  readonly options: Command['options'];
  /** The values that its arguments may have, if that is a list. */
  readonly choices: readonly string[];
}

/**
 * A script for the shell, made from the commands as they are: nothing is started when a person presses Tab,
 * as the libraries do that start the program to ask it.
 */
export function addCompletion(payonce: Command): void {
  const completion = payonce
    .command('completion')
    .description('print a completion script for your shell (docs/cli.md)')
    .addArgument(new Argument('<shell>', 'which shell').choices(['bash', 'zsh', 'fish']))
    .action((shell: string, _options: unknown, called: Command) => {
      const all = allOf(completedOf(payonce, ''));
      called
        .configureOutput()
        .writeOut?.(shell === 'fish' ? fishScript(all) : bashScript(all, shell === 'zsh'));
    });
  withExamples(completion, 'bash', 'zsh', 'fish');
}

function completedOf(command: Command, path: string): Completed {
  return {
    path,
    description: command.description(),
    commands: command.commands.map((each) => completedOf(each, `${path} ${each.name()}`.trim())),
    options: command.options.filter(({ hidden }) => !hidden),
    choices: command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []),
  };
}

function allOf(completed: Completed): Completed[] {
  return [completed, ...completed.commands.flatMap(allOf)];
}

const nameOf = ({ path }: Completed) => path.split(' ').at(-1)!;

function bashScript(all: readonly Completed[], isZsh: boolean): string {
  const options = all.flatMap((each) => each.options).filter(({ long }) => long);
  const choices = new Map(
    options.flatMap(({ long, argChoices }) => (argChoices ? [[long!, argChoices] as const] : [])),
  );
  const takesValue = [...new Set(options.filter(({ required }) => required).map(({ long }) => long!))];
  const paths = all.filter(({ path }) => path !== '').map(({ path }) => `'${path}'`);
  const line = ({ path, commands, options: own, choices: values }: Completed) => {
    const words = [...commands.map(nameOf), ...values, ...own.map(({ long }) => long!), '--help'];
    return `    '${path}') words='${words.join(' ')}' ;;`;
  };
  return `# Completion of payonce for ${isZsh ? 'zsh' : 'bash'}.
${isZsh ? 'autoload -U +X compinit && compinit\nautoload -U +X bashcompinit && bashcompinit\n' : ''}_payonce() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" command='' words='' i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "\${command:+$command }\${COMP_WORDS[i]}" in
      ${paths.join(' | ')}) command="\${command:+$command }\${COMP_WORDS[i]}" ;;
    esac
  done
  case "$command" in
${all.map(line).join('\n')}
  esac
  case "$previous" in
${[...choices].map(([long, values]) => `    ${long}) words='${values.join(' ')}' ;;`).join('\n')}
    ${takesValue.filter((long) => !choices.has(long)).join(' | ')}) words='' ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -F _payonce payonce
`;
}

function fishScript(all: readonly Completed[]): string {
  const lines = all.flatMap((each) => {
    const names = each.path.split(' ').filter(Boolean);
    const below = each.commands.map(nameOf);
    const conditions = [
      ...names.map((name) => `__fish_seen_subcommand_from ${name}`),
      ...(below.length > 0 ? [`not __fish_seen_subcommand_from ${below.join(' ')}`] : []),
    ];
    const when = `complete -c payonce -n ${quoted(conditions.join('; and '))}`;
    return [
      ...each.choices.map((choice) => `${when} -a ${choice}`),
      ...each.commands.map((command) => `${when} -a ${nameOf(command)} -d ${quoted(command.description)}`),
      ...each.options.map(({ long, required, argChoices, description }) => {
        const value = argChoices ? ` -x -a ${quoted(argChoices.join(' '))}` : required ? ' -x' : '';
        return `${when} -l ${long!.slice(2)}${value} -d ${quoted(description)}`;
      }),
    ];
  });
  return ['# Completion of payonce for fish.', 'complete -c payonce -f', ...lines, ''].join('\n');
}

function quoted(text: string): string {
  return `'${text.replaceAll(/[\\']/g, '\\$&')}'`;
}
