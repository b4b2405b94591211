import { readFileSync } from 'node:fs';
import { spawnNode } from '../support/process.js';
import { broken, brokenRules } from './broken-rules.js';

// The proofs break some of these in turn, and guards only in the long run: what was rewritten meanwhile is told here.
describe('what is broken on purpose still stands in the code', () => {
  it.each(brokenRules)('a rule that the simulation notices: $rule', (rule) => {
    const code = readFileSync(`dist/${rule.file}`, 'utf8');
    expect(broken(rule, code)).not.toBe(code);
  });

  it('guards that specs notice', async () => {
    const listed = spawnNode('test/mutants.mjs', { args: ['--list'] });
    expect(await listed.exit).toMatchObject({ code: 0 });
    expect(listed.output()).toContain('refunds never exceed what was captured, in the database');
  });
});
