/**
 * The folders of src/, from the ground up: a folder may import itself and those that are named for it, all of which
 * stand above it in this list, so that no folders form a circle. Files directly under src/ put the application
 * together and may import all of them. test/boundaries.proof.ts breaks each rule once to see it fire, and sees that
 * no folder is missing here.
 */
const below = {
  core: [],
  config: ['core'],
  database: ['config', 'core'],
  psp: ['config', 'core'],
  // Accounts that are stored, and read by every process.
  'psp-accounts': ['psp', 'database', 'config', 'core'],
  merchants: ['database', 'config', 'core'],
  jobs: ['database', 'config', 'core'],
  idempotency: ['jobs', 'database', 'config', 'core'],
  // What all controllers share. It knows no operation: each folder brings its own controllers to it.
  http: ['merchants', 'database', 'config', 'core'],
  // What the controllers of gRPC share.
  grpc: ['http', 'merchants', 'database', 'config', 'core'],
  docs: ['http', 'core'],
  'request-storage': ['psp', 'idempotency', 'jobs', 'database', 'config', 'core'],
  monitoring: ['http', 'request-storage', 'database', 'config', 'core'],
  ledger: ['http', 'jobs', 'database', 'core'],
  reconciliation: ['http', 'request-storage', 'psp', 'jobs', 'database', 'config', 'core'],
  payments: ['request-storage', 'psp', 'grpc', 'http', 'idempotency', 'jobs', 'database', 'config', 'core'],
  refunds: ['payments', 'request-storage', 'grpc', 'http', 'idempotency', 'database', 'core'],
  // Reads what payments make.
  orders: ['payments', 'request-storage', 'grpc', 'http', 'database', 'core'],
  payouts: ['request-storage', 'psp', 'grpc', 'http', 'merchants', 'idempotency', 'database', 'core'],
  // From PSPs in, and to merchants out.
  notifications: ['reconciliation', 'request-storage', 'psp', 'http', 'jobs', 'database', 'core'],
  events: ['grpc', 'http', 'jobs', 'database', 'config', 'core'],
  'bank-files': ['notifications', 'reconciliation', 'psp', 'jobs', 'database', 'config', 'core'],
  operators: ['http', 'database', 'config', 'core'],
  audit: ['operators', 'http', 'database', 'config', 'core'],
  approvals: [
    'operators',
    'refunds',
    'payments',
    'request-storage',
    'idempotency',
    'psp-accounts',
    'psp',
    'merchants',
    'ledger',
    'http',
    'database',
    'core',
  ],
  // The routes that operators use with their token and in the console alike.
  ops: ['operators', 'reconciliation', 'ledger', 'jobs', 'http', 'core'],
  // The pages at /ops and what they read.
  console: [
    'ops',
    'approvals',
    'audit',
    'operators',
    'events',
    'orders',
    'refunds',
    'payments',
    'payouts',
    'request-storage',
    'idempotency',
    'psp-accounts',
    'psp',
    'merchants',
    'reconciliation',
    'ledger',
    'jobs',
    'http',
    'database',
    'config',
    'core',
  ],
  commands: [
    'console',
    'audit',
    'operators',
    'reconciliation',
    'ledger',
    'orders',
    'payments',
    'request-storage',
    'psp-accounts',
    'merchants',
    'jobs',
    'database',
    'core',
  ],
};

/** What lies beside src/. */
const beside = { database: ['migrations'] };

const folders = Object.keys(below);
for (const [n, folder] of folders.entries()) {
  const upward = below[folder].filter((name) => !folders.slice(0, n).includes(name));
  if (upward.length > 0) throw new Error(`${folder} may not import upward: ${upward.join(', ')}`);
}

const direction = folders.map((folder) => ({
  name: `direction-${folder}`,
  comment: `${folder} may import only: ${below[folder].join(', ') || 'nothing of ours'}`,
  severity: 'error',
  from: { path: `^src/${folder}/` },
  to: {
    path: '^(src|packages|test|bench|demo|migrations)/',
    pathNot: [
      `^src/(${[folder, ...below[folder]].join('|')})/`,
      ...(beside[folder] ?? []).map((name) => `^${name}/`),
    ],
  },
}));

const packages = {
  client: 'the client is given to others: it imports its own files and nothing else of ours',
  idempotency: 'the factory is given to others: it imports its own files and nothing else of ours',
  simulator: 'the simulator plays the outside world: it shares no code with the service',
  conformance: 'the kit tries whatever takes payments: it knows the simulator, and nothing of the service',
};

/** Packages that a package may import besides itself. */
const mayImport = { conformance: 'simulator' };

const alone = Object.entries(packages).map(([name, comment]) => ({
  name: `${name}-stands-alone`,
  comment,
  severity: 'error',
  from: { path: `^packages/${name}/` },
  to: {
    path: '^(src|packages|test|bench|demo|migrations)/',
    pathNot: `^packages/(${name}|${mayImport[name] ?? name})/`,
  },
}));

module.exports = {
  forbidden: [
    ...direction,
    ...alone,
    {
      name: 'pure-core',
      comment: 'money, time and decisions are plain functions: nothing of Nest, TypeORM or pg',
      severity: 'error',
      // Metrics are prom-client's in every folder.
      from: {
        path: '^src/(core|request-storage/decisions)/',
        pathNot: '^src/core/looked-up-gauge\\.ts$',
      },
      to: {
        path: 'node_modules/(@nestjs|typeorm|pg|pino|prom-client|fastify|bullmq)/',
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'psp-behind-the-contract',
      comment:
        "a PSP's folder is entered by the registry alone; a bank's also by those who send, receive and reconcile its files",
      severity: 'error',
      from: {
        path: '^src/psp/([^/]+)/|^src/',
        pathNot: '^src/psp/registry\\.ts$',
      },
      to: { path: '^src/psp/[^/]+/', pathNot: '^src/psp/(?:$1|bank-sepa)/' },
    },
    {
      name: 'client-needs-fetch-alone',
      comment:
        'the client runs in browsers too and has no runtime dependency: no package, nothing of Node; but for its entry for gRPC',
      severity: 'error',
      from: { path: '^packages/client/', pathNot: '^packages/client/src/grpc(-status|-messages)?\\.ts$' },
      to: { dependencyTypes: ['core', 'npm', 'npm-dev', 'npm-optional', 'npm-peer', 'npm-no-pkg'] },
    },
    {
      name: 'service-without-packages',
      comment:
        'the service never imports the simulator, a process of its own, its own client, or the factory (ADR 0042)',
      severity: 'error',
      from: { path: '^src/[^/]+$' },
      to: { path: '^(packages|test|bench|demo)/' },
    },
    {
      name: 'console-stands-alone',
      comment:
        'the pages of the console talk to the service over HTTP; they share the types of its answers alone',
      severity: 'error',
      from: { path: '^console/' },
      to: {
        path: '^(src|packages|test|bench|demo|migrations)/',
        pathNot: '^src/[a-z-]+/[a-z-]+[.-]views?\\.ts$|^packages/client/src/api-types\\.ts$',
      },
    },
    {
      name: 'fields-declare-requests',
      comment:
        'a request is declared by the decorators of http/fields.ts, whose rules the request pipe asks before class-validator',
      severity: 'error',
      from: {
        path: '^src/',
        // Environment variables are declared apart; an IBAN is a value.
        pathNot: '^src/(http/(fields|request\\.pipe)|config/[a-z-]+|psp/bank-sepa/bank-account)\\.ts$',
      },
      to: { path: 'node_modules/class-validator/' },
    },
    {
      name: 'migrations-stand-alone',
      comment: 'a migration that has run is history: code that changes later must not change it',
      severity: 'error',
      from: { path: '^migrations/' },
      to: { path: '^(src|packages|test|bench|demo)/' },
    },
    {
      name: 'one-clock',
      comment: 'only core/clock.ts may import the timers of Node',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/core/clock\\.ts$' },
      to: { path: '^(node:)?timers' },
    },
    {
      name: 'runtime-packages',
      comment: 'what runs in production is installed without devDependencies',
      severity: 'error',
      // The targets of the scoreboard run on packages of their own.
      from: { path: '^(src|packages|migrations)/', pathNot: '^packages/conformance/others/' },
      to: {
        dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'],
        dependencyTypesNot: ['type-only', 'npm-peer'],
      },
    },
    {
      name: 'resolvable',
      comment: 'an import that cannot be followed would slip past every rule above',
      severity: 'error',
      from: { path: '^(src|packages|migrations)/', pathNot: '^packages/conformance/others/' },
      to: { couldNotResolve: true },
    },
    {
      name: 'no-circular',
      comment: 'two files that need each other are one',
      severity: 'error',
      from: { path: '^(src|packages|console|bench|demo)/' },
      to: { circular: true },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '\\.spec\\.ts$|^packages/[^/]+/dist/' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
    },
  },
};
