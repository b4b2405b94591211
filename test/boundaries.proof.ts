import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';

/**
 * The rules about what may import what, what may read the time and what may throw dice. Each
 * is broken once, in a tree of its own, to see that it fires; then the real tree is seen clean.
 */
const root = resolve(__dirname, '..');
const folders = [
  'core',
  'config',
  'database',
  'psp',
  'psp-accounts',
  'merchants',
  'jobs',
  'idempotency',
  'http',
  'grpc',
  'docs',
  'request-storage',
  'monitoring',
  'ledger',
  'reconciliation',
  'payments',
  'refunds',
  'orders',
  'payouts',
  'notifications',
  'events',
  'bank-files',
  'operators',
  'audit',
  'approvals',
  'alerts',
  'ops',
  'console',
  'commands',
];
const packages = ['client', 'conformance', 'idempotency', 'simulator'];

interface Cruise {
  readonly modules: readonly { readonly source: string }[];
  readonly summary: {
    readonly violations: readonly { readonly from: string; readonly rule: { readonly name: string } }[];
    readonly ruleSetUsed: { readonly forbidden: readonly { readonly name: string }[] };
  };
}

/** Runs dependency-cruiser with these rules over a tree that is laid out like it. */
async function cruise(tree: string, folders: readonly string[]): Promise<Cruise> {
  const command = join(root, 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs');
  const config = join(root, '.dependency-cruiser.cjs');
  const args = [command, '--config', config, '--output-type', 'json', ...folders];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: tree, maxBuffer: 64_000_000 });
  return JSON.parse(stdout) as Cruise;
}

/** Which rules each file breaks, and how often. */
function brokenIn({ summary }: Cruise): Record<string, string[]> {
  const broken: Record<string, string[]> = {};
  for (const { from, rule } of summary.violations) (broken[from] ??= []).push(rule.name);
  return broken;
}

/** A file for every rule that breaks it, once, and breaks no other. */
const offenders: Readonly<Record<string, readonly [file: string, imports: string]>> = {
  // Up and sideways, and to the files that put the application together.
  'direction-core': ['src/core/offender.ts', '../psp/inner.js'],
  'direction-config': ['src/config/offender.ts', '../database/inner.js'],
  'direction-monitoring': ['src/monitoring/offender.ts', '../jobs/inner.js'],
  'direction-database': ['src/database/offender.ts', '../jobs/inner.js'],
  'direction-jobs': ['src/jobs/offender.ts', '../events/inner.js'],
  'direction-idempotency': ['src/idempotency/offender.ts', '../payments/inner.js'],
  'direction-merchants': ['src/merchants/offender.ts', '../idempotency/inner.js'],
  'direction-psp-accounts': ['src/psp-accounts/offender.ts', '../request-storage/inner.js'],
  'direction-psp': ['src/psp/offender.ts', '../request-storage/inner.js'],
  'direction-request-storage': ['src/request-storage/offender.ts', '../payments/inner.js'],
  'direction-refunds': ['src/refunds/offender.ts', '../payouts/inner.js'],
  'direction-reconciliation': ['src/reconciliation/offender.ts', '../payments/inner.js'],
  'direction-bank-files': ['src/bank-files/offender.ts', '../payments/inner.js'],
  'direction-ledger': ['src/ledger/offender.ts', '../payments/inner.js'],
  'direction-payments': ['src/payments/offender.ts', '../refunds/inner.js'],
  'direction-orders': ['src/orders/offender.ts', '../payouts/inner.js'],
  'direction-payouts': ['src/payouts/offender.ts', '../payments/inner.js'],
  'direction-notifications': ['src/notifications/offender.ts', '../events/inner.js'],
  'direction-events': ['src/events/offender.ts', '../request-storage/inner.js'],
  'direction-commands': ['src/commands/offender.ts', '../docs/inner.js'],
  'direction-operators': ['src/operators/offender.ts', '../merchants/inner.js'],
  'direction-audit': ['src/audit/offender.ts', '../ops/inner.js'],
  'direction-approvals': ['src/approvals/offender.ts', '../payouts/inner.js'],
  'direction-ops': ['src/ops/offender.ts', '../payments/inner.js'],
  'direction-console': ['src/console/offender.ts', '../grpc/inner.js'],
  'direction-http': ['src/http/offender.ts', '../payments/inner.js'],
  'direction-grpc': ['src/grpc/offender.ts', '../payments/inner.js'],
  'direction-docs': ['src/docs/offender.ts', '../payments/inner.js'],
  'pure-core': ['src/core/of-typeorm.ts', 'typeorm'],
  'psp-behind-the-contract': ['src/psp/of-adyen.ts', './adyen/inner.js'],
  'simulator-stands-alone': ['packages/simulator/src/offender.ts', '../../../src/core/inner.js'],
  'client-stands-alone': ['packages/client/src/offender.ts', '../../../src/core/inner.js'],
  'conformance-stands-alone': ['packages/conformance/src/offender.ts', '../../client/src/inner.js'],
  'idempotency-stands-alone': ['packages/idempotency/src/offender.ts', '../../client/src/inner.js'],
  'client-needs-fetch-alone': ['packages/client/src/of-node.ts', 'node:crypto'],
  'service-without-packages': ['src/offender.ts', '@payonce/simulator'],
  'console-stands-alone': ['console/src/offender.ts', '../../src/core/inner.js'],
  'fields-declare-requests': ['src/core/of-class-validator.ts', 'class-validator'],
  'migrations-stand-alone': ['migrations/offender.ts', '../src/core/inner.js'],
  'one-clock': ['src/psp/timers.ts', 'node:timers/promises'],
  'runtime-packages': ['src/psp/dev-package.ts', 'only-for-development'],
  resolvable: ['src/psp/nowhere.ts', './nothing-here.js'],
  'no-circular': ['src/core/round.ts', './trip.js'],
};

/** What the direction allows, one import a line: none of it may fire anything. */
const allowed: Readonly<Record<string, readonly string[]>> = {
  'src/database/allowed.ts': ['../core/inner.js', '../../migrations/inner.js', 'typeorm'],
  'src/psp/allowed.ts': ['../core/inner.js'],
  'src/psp/registry.ts': ['./adyen/inner.js'],
  'src/psp/adyen/allowed.ts': ['./inner.js', '../inner.js'],
  'src/request-storage/allowed.ts': ['../psp/inner.js', '../idempotency/inner.js', './inner.js'],
  'src/grpc/allowed.ts': ['../http/inner.js', '../database/inner.js', '../core/inner.js'],
  'src/payments/allowed.ts': [
    '../grpc/inner.js',
    '../http/inner.js',
    '../request-storage/inner.js',
    '../core/inner.js',
  ],
  'src/refunds/allowed.ts': ['../payments/inner.js', '../request-storage/inner.js', '../core/inner.js'],
  'src/payouts/allowed.ts': ['../request-storage/inner.js', '../merchants/inner.js', '../core/inner.js'],
  'src/notifications/allowed.ts': ['../reconciliation/inner.js', '../jobs/inner.js', '../core/inner.js'],
  'src/events/allowed.ts': ['../grpc/inner.js', '../jobs/inner.js', '../core/inner.js'],
  'src/http/allowed.ts': ['../merchants/inner.js', '../core/inner.js'],
  'src/ops/allowed.ts': ['../ledger/inner.js', '../http/inner.js', '../core/inner.js'],
  'src/console/allowed.ts': ['../payments/inner.js', '../http/inner.js', '../ops/inner.js'],
  'src/commands/allowed.ts': ['../console/inner.js', '../request-storage/inner.js', '../jobs/inner.js'],
  'console/src/allowed.ts': ['../../src/console/console-views.js', 'for-production'],
  'src/app.module.ts': [
    ...folders.map((folder) => `./${folder}/inner.js`),
    '../migrations/inner.js',
    'for-production',
  ],
  'src/core/clock.ts': ['node:timers/promises'],
  'packages/client/src/allowed.ts': ['./inner.js'],
  'packages/conformance/src/allowed.ts': ['./inner.js', '../../simulator/src/inner.js'],
  'packages/idempotency/src/allowed.ts': ['./inner.js', 'for-production'],
  'packages/simulator/src/allowed.ts': ['./inner.js', 'for-production'],
};

function plant(tree: string): void {
  const write = (file: string, text: string) => {
    mkdirSync(dirname(join(tree, file)), { recursive: true });
    writeFileSync(join(tree, file), text);
  };
  const importing = (names: readonly string[]) =>
    names.map((name, n) => `import * as from${n} from '${name}';\nexport { from${n} };\n`).join('');
  cpSync(join(root, 'tsconfig.json'), join(tree, 'tsconfig.json'));
  const dependencies = { 'for-production': '1.0.0', typeorm: '1.0.0', 'class-validator': '1.0.0' };
  const devDependencies = { 'only-for-development': '1.0.0' };
  write('package.json', JSON.stringify({ name: 'planted', type: 'module', dependencies, devDependencies }));
  for (const name of [...Object.keys(dependencies), ...Object.keys(devDependencies)]) {
    write(`node_modules/${name}/package.json`, JSON.stringify({ name, version: '1.0.0', main: 'index.js' }));
    write(`node_modules/${name}/index.js`, 'module.exports = 1;\n');
  }
  for (const folder of [
    ...folders.map((name) => `src/${name}`),
    'src/psp/adyen',
    ...packages.map((name) => `packages/${name}/src`),
    'migrations',
  ]) {
    write(`${folder}/inner.ts`, 'export const inner = 1;\n');
  }
  write('packages/simulator/src/index.ts', 'export {};\n');
  write('src/console/console-views.ts', 'export const views = 1;\n');
  for (const [file, names] of Object.entries(allowed)) write(file, importing(names));
  for (const [file, name] of Object.values(offenders)) write(file, importing([name]));
  write('src/core/trip.ts', importing(['./round.js']));
}

describe('what may import what', () => {
  let tree: string;
  let planted: Cruise;
  let real: Cruise;
  beforeAll(async () => {
    tree = mkdtempSync(join(tmpdir(), 'payonce-boundaries-'));
    plant(tree);
    [planted, real] = await Promise.all([
      cruise(tree, ['src', 'packages', 'migrations', 'console/src']),
      cruise(root, ['src', 'packages', 'migrations', 'console/src', 'bench', 'demo']),
    ]);
  });
  afterAll(() => rmSync(tree, { recursive: true, force: true }));

  it.each(Object.entries(offenders))('%s fires for %j, and nothing else does', (rule, [file]) => {
    expect(brokenIn(planted)[file]).toEqual([rule]);
  });

  it('lets through what the direction allows', () => {
    const culprits = new Set([...Object.values(offenders).map(([file]) => file), 'src/core/trip.ts']);
    expect(Object.keys(brokenIn(planted)).filter((file) => !culprits.has(file))).toEqual([]);
  });

  it('has no rule that was not seen to fire', () => {
    const names = planted.summary.ruleSetUsed.forbidden.map(({ name }) => name);
    expect(names.toSorted()).toEqual(Object.keys(offenders).toSorted());
  });

  it('stops at a folder that may import one above it', async () => {
    const circle = join(tree, 'circle.cjs');
    const rules = readFileSync(join(root, '.dependency-cruiser.cjs'), 'utf8');
    writeFileSync(circle, rules.replace('core: []', "core: ['ops']"));
    await expect(import(circle)).rejects.toThrow('core may not import upward: ops');
  });

  it('knows every folder of src', () => {
    const entries = readdirSync(join(root, 'src'), { withFileTypes: true });
    const present = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
    expect(present.toSorted()).toEqual(folders.toSorted());
  });

  it('is kept by the real tree', () => {
    expect(brokenIn(real)).toEqual({});
    // …which was really looked at.
    const seen = new Set(real.modules.map(({ source }) => source));
    for (const { file } of sources(root)) expect(seen).toContain(file);
  });
});

/** What may be had in one place alone: time, chance, the rows of all merchants. Who may use it after all, and why. */
interface Ban {
  readonly name: string;
  readonly pattern: RegExp;
  /** A file, or folders that end in /. */
  readonly home: string | readonly string[];
  readonly exceptions: Readonly<Record<string, string>>;
  /** A line that must be found. */
  readonly planted: string;
}

const CLOCK = 'src/core/clock.ts';

const bans: readonly Ban[] = [
  {
    name: 'Date.now',
    pattern: /\bDate\s*\.\s*now\b/,
    home: CLOCK,
    exceptions: {},
    planted: 'const at = Date.now();',
  },
  {
    name: 'new Date()',
    pattern: /\bnew\s+Date\s*(\(\s*\)|(?![\s\w(]))|(?<![\w.]|new\s+)Date\s*\(\s*\)/,
    home: CLOCK,
    exceptions: {},
    planted: 'const at = new Date( );',
  },
  {
    name: 'performance',
    pattern: /\bperformance\s*[.[]|perf_hooks|\bhrtime\b/,
    home: CLOCK,
    exceptions: {
      'src/http/load-shedding.ts': 'asks Node how late the event loop is; the time of anything is not read',
    },
    planted: 'const ms = performance.now();',
  },
  {
    name: 'timers',
    pattern: /\bset(Timeout|Interval)\b/,
    home: CLOCK,
    exceptions: {
      'src/main.ts': 'the last resort when stopping hangs: it must not depend on anything that may hang',
      'src/bundled-simulator.ts': 'SIGKILL for a child process that ignores SIGTERM; decides nothing',
      'src/http/ops-listener.ts': 'a setting of a server of Node: how long a connection may be silent',
    },
    planted: 'setTimeout(() => retry(), 100);',
  },
  {
    name: 'AbortSignal.timeout',
    pattern: /\bAbortSignal\s*\.\s*timeout\b/,
    home: CLOCK,
    exceptions: {
      'src/bundled-simulator.ts': 'how long a child process may take to say where it listens',
      'src/psp/wire.ts': 'a socket that does not connect is given up; real sockets know no other clock',
      'src/events/post.ts': 'the same, for a request to the endpoint of a merchant',
      'src/psp/paypal/paypal-certificates.ts': 'the same, for a certificate that a notification names',
      'src/events/webhook-endpoints.service.ts':
        'how long a real name may take to resolve while a client waits',
    },
    planted: 'fetch(url, { signal: AbortSignal.timeout(5_000) });',
  },
  {
    name: 'Math.random',
    pattern: /\bMath\s*\.\s*random\b/,
    home: 'src/core/ids.ts',
    exceptions: {},
    planted: 'const jitter = Math.random() * 100;',
  },
  {
    name: 'randomUUID',
    pattern: /\brandomUUID\b/,
    home: 'src/core/ids.ts',
    exceptions: {},
    planted: 'const id = randomUUID();',
  },
  {
    // Requests of merchants read through TenantDatabase and PostgresStore, whose connections see nothing by themselves.
    name: 'a connection that sees all merchants',
    pattern:
      /@Inject(?:Repository|DataSource)\(|@Inject\((?:Pool|DataSource)\)|[:<] *(?:pg\.)?(?:Pool|DataSource)\b/,
    home: [
      'alerts',
      'bank-files',
      'commands',
      'database',
      'jobs',
      'ledger',
      'monitoring',
      'approvals',
      'audit',
      'console',
      'operators',
      'psp-accounts',
      'reconciliation',
    ].map((folder) => `src/${folder}/`),
    exceptions: {
      'src/merchants/callers.service.ts': 'finds out whose a key is',
      'src/merchants/issued-keys.ts': 'whether a key may be one of ours',
      'src/merchants/merchants.service.ts': 'for administrators',
      'src/merchants/api-keys.service.ts': 'for administrators',
      'src/merchants/payout-limits.ts': 'for administrators',
      'src/http/leased-buckets.ts': 'rates of all keys, which name no merchant',
      'src/payments/payment.reader.ts': 'the payment of a report line, for workers',
      'src/payments/payment-tasks.ts': 'periodic tasks',
      'src/payments/orphan-compensator.ts': 'a periodic task',
      'src/payouts/recipients.ts': 'whether the operator who approves is the person who made the key',
      'src/payouts/payout.reader.ts': 'the payout of a report line, for workers',
      'src/idempotency/idempotency.module.ts': 'hands it to periodic tasks',
      'src/idempotency/reaper.ts': 'a periodic task',
      'src/request-storage/due-keys.ts': 'a periodic task',
      'src/request-storage/stuck-list.ts': 'figures of monitoring',
      'src/request-storage/request-storage.module.ts': 'hands it to figures of monitoring',
      'src/request-storage/psp-returns.ts': 'accounts of PSPs, of no merchant',
      'src/request-storage/shared-breakers.ts': 'accounts of PSPs, of no merchant',
      'src/notifications/inbox.ts': 'notifications of PSPs, of no merchant until they are applied',
      'src/events/delivery-records.ts': 'deliveries of all merchants, by workers',
      'src/events/event-retention.ts': 'a periodic task',
    },
    planted: 'constructor(@InjectRepository(Payment) private readonly payments: Repository<Payment>) {}',
  },
];

interface Source {
  readonly file: string;
  readonly text: string;
}

/** The service's own code, specs apart. */
function sources(tree: string): Source[] {
  return readdirSync(join(tree, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.spec.ts'))
    .map((name) => `src/${name}`)
    .map((file) => ({ file, text: readFileSync(join(tree, file), 'utf8') }));
}

function isHome(file: string, home: Ban['home']): boolean {
  return typeof home === 'string' ? file === home : home.some((folder) => file.startsWith(folder));
}

/** Lines of code that use what is banned. Lines that are all comment are passed over. */
function uses({ pattern, home }: Ban, among: readonly Source[]): string[] {
  const found: string[] = [];
  for (const { file, text } of among) {
    if (isHome(file, home)) continue;
    for (const [n, line] of text.split('\n').entries()) {
      if (!/^\s*(\/\/|\/?\*)/.test(line) && pattern.test(line)) found.push(`${file}:${n + 1}`);
    }
  }
  return found;
}

describe('what may be had in one place alone', () => {
  const real = sources(root);

  it.each(bans)('$name is seen where it is planted', (ban) => {
    const text = `// ${ban.planted}\n${ban.planted}\n`;
    expect(uses(ban, [{ file: 'src/payments/offender.ts', text }])).toEqual(['src/payments/offender.ts:2']);
    const home = typeof ban.home === 'string' ? ban.home : `${ban.home[0]}offender.ts`;
    expect(uses(ban, [{ file: home, text }])).toEqual([]);
  });

  it('dates that are made of something are no reading of the clock', () => {
    const ban = bans.find(({ name }) => name === 'new Date()')!;
    const text = 'new Date(ms);\nnew Date(Date.UTC(2026, 0, 1));\nfunction at(): Date | null {}\n';
    expect(uses(ban, [{ file: 'src/payments/fine.ts', text }])).toEqual([]);
  });

  it.each(bans)('$name is used nowhere else but by the exceptions', (ban) => {
    const files = new Set(uses(ban, real).map((place) => place.replace(/:\d+$/, '')));
    expect([...files].toSorted()).toEqual(Object.keys(ban.exceptions).toSorted());
  });
});
