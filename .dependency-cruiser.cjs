/**
 * The direction of the rooms. A room may import only rooms below it, and only through their
 * index.ts. Files directly under src/ put the rooms together and may import any room's index.
 * test/boundaries.spec.ts breaks each rule once to see it fire, and sees that no room is missing here.
 */
const below = {
  kernel: [],
  jobs: ['kernel'],
  idempotency: ['kernel'],
  merchants: ['kernel'],
  psp: ['kernel'],
  'request-storage': ['psp', 'idempotency', 'kernel'],
  refunds: ['kernel'],
  payments: ['refunds', 'request-storage', 'psp', 'merchants', 'idempotency', 'kernel'],
  payouts: ['request-storage', 'psp', 'merchants', 'idempotency', 'kernel'],
  webhooks: ['payments', 'refunds', 'payouts', 'request-storage', 'psp', 'merchants', 'jobs', 'kernel'],
  api: [
    'webhooks',
    'payments',
    'refunds',
    'payouts',
    'request-storage',
    'psp',
    'merchants',
    'jobs',
    'idempotency',
    'kernel',
  ],
  commands: ['webhooks', 'request-storage', 'merchants', 'jobs', 'kernel'],
};

const rooms = Object.keys(below);

/** Direction: whatever of ours is neither this room nor one below it is refused. */
const direction = rooms.map((room) => ({
  name: `direction-${room}`,
  comment: `${room} may import only: ${below[room].join(', ') || 'nothing of ours'}`,
  severity: 'error',
  from: { path: `^src/${room}/` },
  to: {
    path: '^(src|simulator|client|test|bench|demo|migrations)/',
    pathNot: `^src/(${[room, ...below[room]].join('|')})/`,
  },
}));

/** Faces: another room is entered through its index.ts alone. */
const faces = rooms.map((room) => ({
  name: `face-${room}`,
  comment: `other rooms enter ${room} through its index.ts`,
  severity: 'error',
  from: { path: '^src/', pathNot: `^src/${room}/` },
  to: { path: `^src/${room}/`, pathNot: `^src/${room}/index\\.ts$` },
}));

module.exports = {
  forbidden: [
    ...direction,
    ...faces,
    {
      name: 'simulator-stands-alone',
      comment: 'the simulator plays the outside world: it shares no code with the service',
      severity: 'error',
      from: { path: '^simulator/' },
      to: { path: '^(src|client|test|bench|demo|migrations)/' },
    },
    {
      name: 'client-stands-alone',
      comment: 'the client is given to others: it imports its own files and nothing else of ours',
      severity: 'error',
      from: { path: '^client/' },
      to: { path: '^(src|simulator|test|bench|demo|migrations)/' },
    },
    {
      name: 'client-needs-fetch-alone',
      comment: 'the client runs in browsers too and has no runtime dependency: no package, nothing of Node',
      severity: 'error',
      from: { path: '^client/' },
      to: { dependencyTypes: ['core', 'npm', 'npm-dev', 'npm-optional', 'npm-peer', 'npm-no-pkg'] },
    },
    {
      name: 'service-without-simulator',
      comment: 'the service never imports the simulator, a process of its own, nor its own client',
      severity: 'error',
      from: { path: '^src/[^/]+$' },
      to: { path: '^(simulator|client|test|bench|demo)/' },
    },
    {
      name: 'migrations-stand-alone',
      comment: 'a migration that has run is history: code that changes later must not change it',
      severity: 'error',
      from: { path: '^migrations/' },
      to: { path: '^(src|simulator|client|test|bench|demo)/' },
    },
    {
      name: 'one-clock',
      comment: 'only kernel/clock.ts may import the timers of Node',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/kernel/clock\\.ts$' },
      to: { path: '^(node:)?timers' },
    },
    {
      name: 'runtime-packages',
      comment: 'what runs in production is installed without devDependencies',
      severity: 'error',
      from: { path: '^(src|simulator|migrations)/' },
      to: {
        dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'],
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'resolvable',
      comment: 'an import that cannot be followed would slip past every rule above',
      severity: 'error',
      from: { path: '^(src|simulator|client|migrations)/' },
      to: { couldNotResolve: true },
    },
    {
      name: 'no-circular',
      comment: 'two files that need each other are one',
      severity: 'error',
      from: { path: '^(src|simulator|client)/' },
      to: { circular: true },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '\\.spec\\.ts$' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
    },
  },
};
