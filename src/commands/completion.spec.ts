import { execFileSync } from 'node:child_process';
import { programOf } from './program.js';

function scriptFor(shell: string): string {
  let script = '';
  const nothing = () => Promise.resolve();
  programOf(nothing, nothing, { writeOut: (text) => (script += text) }).parse(['completion', shell], {
    from: 'user',
  });
  return script;
}

/** What Tab offers after these words, the last of which is being written. */
function offered(words: readonly string[]): string[] {
  const line = words.map((word) => `'${word}'`).join(' ');
  const asked = `COMP_WORDS=(${line}); COMP_CWORD=${words.length - 1}; _payonce; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const written = execFileSync('bash', ['-c', `${scriptFor('bash')}\n${asked}`], { encoding: 'utf8' });
  return written.split('\n').filter(Boolean);
}

describe('completion for bash', () => {
  it.each([
    [['st'], ['status', 'stuck']],
    [
      ['stuck', ''],
      ['list', 'retry', 'resolve', '--help'],
    ],
    [['stuck', 'li'], ['list']],
    [['orphans', 'approve', '--rou'], ['--route']],
    [['orphans', 'approve', '--route', '1', '--ps'], ['--psp-reference']],
    [
      ['stuck', 'resolve', 'x', '--as', ''],
      ['done', 'not-done'],
    ],
    [['merchants', 'create', '--name', ''], []],
    [
      ['completion', ''],
      ['bash', 'zsh', 'fish', '--help'],
    ],
  ])('offers after %j', (words, expected) => {
    expect(offered(['payonce', ...words])).toEqual(expected);
  });
});

it('is the same for zsh, by way of its completion for bash', () => {
  const [head, script] = scriptFor('zsh').split('_payonce() {');
  expect(head).toContain('bashcompinit');
  expect(script).toBe(scriptFor('bash').split('_payonce() {')[1]);
});

it('names every command and option for fish', () => {
  const script = scriptFor('fish');
  expect(script).toContain(
    "-n '__fish_seen_subcommand_from stuck; and not __fish_seen_subcommand_from list retry resolve' -a retry -d",
  );
  expect(script).toMatch(
    /seen_subcommand_from stuck; and __fish_seen_subcommand_from resolve' -l as -x -a 'done not-done'/,
  );
  expect(script).toContain("the PSP\\'s id");
});
