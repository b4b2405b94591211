/**
 * Node's environment of Jest, and two things more. Specs load the built service by Node's own `require`, see
 * built-service.ts. Where TEST_COST names a folder, each spec file adds a line of JSON with its CPU time to it, for
 * `npm run test:cost` (Linux only: /proc).
 */
const { subscribe } = require('node:diagnostics_channel');
const { appendFileSync, readFileSync } = require('node:fs');
const path = require('node:path');
const { TestEnvironment } = require('jest-environment-node');

const folder = process.env['TEST_COST'];
const root = path.resolve(__dirname, '../..');

let children = [];
let before = { own: 0, children: 0, at: Date.now() };
if (folder) subscribe('child_process', ({ process: child }) => children.push(child));

module.exports = class PayonceEnvironment extends TestEnvironment {
  constructor(config, context) {
    super(config, context);
    this.file = path.relative(root, context.testPath);
    this.global.requireOutsideJest = (file) => require(path.resolve(root, file));
  }

  async teardown() {
    await super.teardown();
    if (folder) writeCost(this.file);
  }
};

/** All that this worker and its children used since the file before: a worker belongs to one file at a time. */
function writeCost(file) {
  const now = { ...usedSeconds(), at: Date.now() };
  const line = {
    file,
    run: process.env['npm_lifecycle_event'] ?? 'jest',
    own: now.own - before.own,
    children: now.children - before.children,
    wall: (now.at - before.at) / 1_000,
    processes: children.length,
    services: children.filter(({ spawnargs }) => spawnargs?.some((arg) => arg.endsWith('/main.cjs'))).length,
  };
  appendFileSync(path.join(folder, `${process.pid}.jsonl`), `${JSON.stringify(line)}\n`);
  [before, children] = [now, []];
}

/** CPU seconds of this process, and of those of its children that it has waited for. Both count in hundredths. */
function usedSeconds() {
  const fields = readFileSync('/proc/self/stat', 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ')
    .map(Number);
  const [user, system, childrenUser, childrenSystem] = fields.slice(11, 15);
  return { own: (user + system) / 100, children: (childrenUser + childrenSystem) / 100 };
}
