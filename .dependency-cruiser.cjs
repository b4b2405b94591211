/**
 * The direction of the rooms. A room may import only rooms below it, and only through their
 * index.ts. test/boundaries.spec.ts breaks each rule once to see it fire.
 */
const below = {
  kernel: [],
  idempotency: ['kernel'],
  merchants: ['kernel'],
  psp: ['kernel'],
  'request-storage': ['psp', 'idempotency', 'kernel'],
  payments: ['request-storage', 'psp', 'merchants', 'idempotency', 'kernel'],
  api: ['payments', 'request-storage', 'psp', 'merchants', 'idempotency', 'kernel'],
};

const rooms = Object.keys(below);

/** Direction: anything in another room that is not below is refused. */
const direction = rooms.map((room) => ({
  name: `direction-${room}`,
  comment: `${room} may import only: ${below[room].join(', ') || 'nothing of ours'}`,
  severity: 'error',
  from: { path: `^src/${room}/` },
  to: {
    path: '^(src|simulator|test|bench|demo|migrations)/',
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
      to: { path: '^(src|test|bench|demo|migrations)/' },
    },
    {
      name: 'service-without-simulator',
      comment: 'the service never imports the simulator; it is spawned as a process of its own',
      severity: 'error',
      from: { path: '^src/' },
      to: { path: '^(simulator|test|bench|demo)/' },
    },
    {
      name: 'one-clock',
      comment: 'only kernel/clock.ts may use timers of Node directly',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/kernel/clock\\.ts$' },
      to: { path: '^(node:)?timers' },
    },
    { name: 'no-circular', severity: 'error', from: { path: '^(src|simulator)/' }, to: { circular: true } },
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
