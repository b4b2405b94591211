import { type Command } from 'commander';
import { programOf } from './program.js';

/** Help as a newcomer sees it, without an installation. */
const perform = () => Promise.resolve();
const payonce = programOf(perform, perform);
const all = (command: Command): Command[] => [command, ...command.commands.flatMap(all)];
const pathOf = (command: Command): string =>
  command.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name();
const helpOf = (command: Command) => {
  let text = '';
  command.configureOutput({ writeOut: (more) => (text += more) }).outputHelp();
  return text;
};
const commands = all(payonce).map((command) => [pathOf(command), command] as const);

/** As a shell splits it. */
const wordsOf = (line: string) => (line.match(/"[^"]*"|\S+/g) ?? []).map((word) => word.replaceAll('"', ''));

it('loads one package to be shown: the others take longer than all the rest', () => {
  const packages = Object.keys(require.cache).flatMap(
    (file) => /\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1] ?? [],
  );
  expect([...new Set(packages)]).toEqual(['commander']);
});

const understood = (words: readonly string[]) =>
  programOf(perform, perform, { writeOut: () => {} }).parseAsync([...words], { from: 'user' });

describe.each(commands)('%s --help', (path, command) => {
  const help = helpOf(command);

  it('fits 80 columns', () => {
    expect(help.split('\n').filter((line) => line.length > 80)).toEqual([]);
  });

  it('shows examples, which are understood', async () => {
    const [, shown = ''] = help.split('\nExamples:\n');
    const examples = shown
      .replaceAll(/\\\n +/g, '')
      .trim()
      .split('\n');
    for (const example of examples) {
      const [npx, ...words] = wordsOf(example.trim());
      expect([npx, words.join(' ')]).toEqual(['npx', expect.stringMatching(new RegExp(`^${path}( |$)`))]);
      if (words.includes('--help')) continue;
      await expect(understood(words.slice(1))).resolves.toBeDefined();
    }
  });
});
