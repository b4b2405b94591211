import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brokenRules } from '../simulation/broken-rules.js';
import { spawnNode } from '../support/process.js';
import { inTurn } from '../support/turns.js';
import { Cluster } from './cluster.js';
import { type Report } from './report.js';
import { buildVersionBefore, whyNotBeside } from './version-before.js';

/** `npm run chaos` from the command line, with other seeds at every commit; docs/chaos.md says what it plays. */
const SEED = process.env['CHAOS_SEED'] ?? '11';

/** A machine without the packages of a cluster plays the other one alone; `.ci/run` installs them. */
const profiles = [
  { profile: 'ci', minutes: '3', only: '' },
  ...(Cluster.missing().length === 0
    ? [{ profile: 'cluster', minutes: '2', only: 'primary:,switchover,standby' }]
    : []),
];

async function play(
  ...args: readonly string[]
): Promise<{ code: number | null; report: Report; output: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'payonce-campaign-'));
  try {
    const report = join(folder, 'report.json');
    const child = spawnNode('dist/test/chaos/main.js', {
      args: ['--seed', SEED, '--report', report, '--logs', join(folder, 'logs'), ...args],
    });
    const { code } = await child.exit;
    const output = child.output();
    if (code === 2 || code === null) throw new Error(`the campaign was not played:\n${output}`);
    return { code, report: JSON.parse(readFileSync(report, 'utf8')) as Report, output };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

describe('a campaign of chaos', () => {
  it.each(inTurn(profiles))(
    'breaks no rule: profile $profile',
    async ({ profile, minutes, only }) => {
      const { code, report, output } = await play('--profile', profile, '--minutes', minutes, '--only', only);
      process.stdout.write(`${output.slice(output.indexOf('\nfault'))}\n`);
      expect(report.violations).toEqual([]);
      expect(code).toBe(0);
      expect(report.payments).toBeGreaterThan(300);
    },
    15 * 60_000,
  );

  // A version that refuses the newer schema, as it must (ADR 0202), cannot take turns; the title says which migration it is.
  const reasons = whyNotBeside();
  const itBeside = reasons.length === 0 ? it : it.skip;
  itBeside(
    `breaks no rule while the version before takes turns with this one${reasons.map((why) => ` (skipped: ${why})`).join('')}`,
    async () => {
      const before = buildVersionBefore();
      try {
        const only = 'killed,PSP loses answers';
        const { code, report } = await play('--minutes', '1', '--beside', before.folder, '--only', only);
        expect(report.violations).toEqual([]);
        expect(code).toBe(0);
      } finally {
        before.drop();
      }
    },
    15 * 60_000,
  );

  const found = brokenRules.flatMap(({ rule, chaos }) => (chaos === undefined ? [] : [{ rule, chaos }]));
  it.each(inTurn(found))(
    'finds that the service breaks a rule: $rule',
    async ({ rule, chaos }) => {
      const { code, report } = await play('--minutes', '1', '--only', chaos, '--break', rule);
      expect(code).toBe(1);
      expect(report.violations.length).toBeGreaterThan(0);
    },
    15 * 60_000,
  );
});
