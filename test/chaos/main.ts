import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Campaign } from './campaign.js';
import { Cluster } from './cluster.js';
import { Installation, type InstallationOptions } from './installation.js';
import { reportOf, tableOf } from './report.js';
import { randomFrom } from '../support/random.js';

/**
 * Customers pay at a real service while everything that can break breaks; then the PSPs' ledgers judge.
 *
 *   npm run chaos -- --minutes 10 --seed 7
 *   npm run chaos -- --profile ci                  three minutes
 *   npm run chaos -- --profile redis               the queues are in Redis, which fails, too
 *   npm run chaos -- --profile cluster             Postgres is three nodes of Patroni
 *   npm run chaos -- --only "API frozen,crash"     kinds of faults whose names contain one of these
 *   npm run chaos -- --beside ../before            the built checkout of another version takes turns with this one
 *   npm run chaos -- --break "a call in doubt is taken for none"      the service breaks a rule (test/simulation/broken-rules.ts)
 *
 * Writes chaos-report.json. Ends with 1 where a rule was broken, and with 2 where the campaign could not be played.
 */
const { values } = parseArgs({
  options: {
    minutes: { type: 'string' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 1e6) + 1) },
    profile: { type: 'string', default: 'single' },
    only: { type: 'string', default: '' },
    rate: { type: 'string', default: '10' },
    report: { type: 'string', default: 'chaos-report.json' },
    logs: { type: 'string', default: '.cache/chaos' },
    beside: { type: 'string' },
    break: { type: 'string' },
  },
});

interface Profile extends Pick<InstallationOptions, 'withRedis' | 'standby'> {
  readonly minutes: number;
  /** Kinds that are played unless others are told. */
  readonly only?: readonly string[];
}

/** What befalls a cluster, by parts of its names. */
const CLUSTER = ['primary:', 'switchover', 'standby'];

const profiles: Readonly<Record<string, Profile>> = {
  single: { minutes: 10, withRedis: false },
  redis: { minutes: 10, withRedis: true },
  cluster: { minutes: 15, withRedis: false, standby: 'synchronous' },
  'cluster-async': {
    minutes: 10,
    withRedis: false,
    standby: 'asynchronous',
    only: CLUSTER,
  },
  ci: { minutes: 3, withRedis: false },
};

function wholeNumber(name: string, value: string, most: number): number {
  const number = Number(value);
  if (!(Number.isInteger(number) && number >= 1 && number <= most))
    throw new Error(`--${name} takes a whole number from 1 to ${most}`);
  return number;
}

function tell(line: string): void {
  process.stdout.write(`${line}\n`);
}

const startedAt = performance.now();
const tellWhen = (line: string) =>
  tell(`${String(Math.round((performance.now() - startedAt) / 1_000)).padStart(5)} s  ${line}`);

async function main(): Promise<number> {
  const profile = profiles[values.profile];
  if (!profile) throw new Error(`--profile is one of ${Object.keys(profiles).join(', ')}`);
  const missing = profile.standby ? Cluster.missing() : [];
  if (missing.length > 0)
    throw new Error(`--profile ${values.profile} needs these Debian packages: ${missing.join(', ')}`);
  const seed = wholeNumber('seed', values.seed, 1e9);
  const minutes = values.minutes ? wholeNumber('minutes', values.minutes, 600) : profile.minutes;
  const logs = join(values.logs, String(seed));
  mkdirSync(logs, { recursive: true });
  tell(`chaos: profile ${values.profile}, seed ${seed}, ${minutes} min; logs in ${logs}`);
  const installation = await Installation.open({
    random: randomFrom(seed),
    broken: values.break ?? null,
    withRedis: profile.withRedis,
    standby: profile.standby,
    beside: values.beside,
    logs,
  });
  // A person who interrupts the campaign is left with no database and no process of it.
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => void installation.close().then(() => process.exit(130)));
  try {
    for (const what of installation.missing) tell(`missing: ${what}`);
    const given = values.only.split(',').filter((part) => part !== '');
    const only = given.length > 0 ? given : (profile.only ?? []);
    const rate = wholeNumber('rate', values.rate, 200);
    const campaign = new Campaign(installation, await installation.apiKey(), {
      seed,
      minutes,
      rate,
      only,
      tell: tellWhen,
    });
    const outcome = await campaign.play();
    const report = reportOf({ profile: values.profile, seed, minutes }, outcome);
    writeFileSync(values.report, `${JSON.stringify(report, null, 1)}\n`);
    tell(tableOf(report));
    return outcome.violations.length === 0 ? 0 : 1;
  } finally {
    await installation.close();
  }
}

const code = await main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  return 2;
});
// A socket that was reset while it was being written to keeps Node (20.20) from ending by itself.
process.exit(code);
