/**
 * `npm run test:cost [-- command …]`: runs a command, `npm test` unless told, and prints what it cost in CPU seconds, which
 * hardly depend on what else the machine does: by kind of process, and by spec file with the processes that it started.
 * Linux only. On a busy machine the first figure holds the work of others too.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const LISTED = Number(process.env.TEST_COST_ROWS ?? 40);

const command = process.argv.length > 2 ? process.argv.slice(2) : ['npm', 'test'];
const folder = mkdtempSync(join(tmpdir(), 'payonce-cost-'));
const { npm_lifecycle_event: _, ...environment } = process.env;
const began = { at: Date.now(), cpu: machineSeconds() };
const { status } = spawnSync(command[0], command.slice(1), {
  stdio: 'inherit',
  env: { ...environment, TEST_COST: folder },
});
const wall = (Date.now() - began.at) / 1_000;
const cpu = machineSeconds() - began.cpu;

const lines = readdirSync(folder).flatMap((name) =>
  readFileSync(join(folder, name), 'utf8').trimEnd().split('\n').map(JSON.parse),
);
rmSync(folder, { recursive: true });
const files = lines.filter(({ file }) => file);
const sum = (rows, name) => rows.reduce((total, row) => total + row[name], 0);
const figure = (value) => value.toFixed(1).padStart(8);

console.log(`\n${command.join(' ')}: ${wall.toFixed(0)} s, exit ${status}`);
console.log(`${figure(cpu)} CPU s of the machine meanwhile`);
for (const run of new Set(lines.map((line) => line.run))) {
  const rows = files.filter((line) => line.run === run);
  const servers = lines.filter((line) => line.server && line.run === run);
  console.log(
    `${figure(sum(rows, 'own'))} Jest's workers (${run}), ${sum(rows, 'children').toFixed(1)} processes of specs ` +
      `(${sum(rows, 'processes')}, of them ${sum(rows, 'services')} services), ` +
      `${sum(servers, 'cpu').toFixed(1)} shared Postgres`,
  );
}
console.log(`\n     own children    wall starts services  file`);
const dearest = files.toSorted((a, b) => b.own + b.children - a.own - a.children);
for (const { own, children, wall, processes, services, file } of dearest.slice(0, LISTED)) {
  console.log(
    `${figure(own)}${figure(children)}${figure(wall)}${String(processes).padStart(7)}${String(services).padStart(9)}  ${file}`,
  );
}
if (files.length > LISTED) console.log(`and ${files.length - LISTED} files (TEST_COST_ROWS=1000 shows more)`);
process.exitCode = status ?? 1;

/** CPU seconds that this machine has worked since it started. */
function machineSeconds() {
  const [, user, nice, system, , , interrupts, soft] = readFileSync('/proc/stat', 'utf8')
    .split('\n', 1)[0]
    .split(/\s+/);
  return [user, nice, system, interrupts, soft].reduce((total, ticks) => total + Number(ticks), 0) / 100;
}
