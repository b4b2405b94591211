/**
 * Loaded before the service (`node --import`): sends it a signal at the n-th visit of a checkpoint.
 * Where, is read from CHECKPOINT_FILE at the start, if it is there by then, and at every SIGUSR2,
 * which is answered by a line with the `id` of what was read. Visits count from then on.
 *
 *   { "id": "1", "place": "psp:before:execute", "visit": 1, "signal": "SIGKILL" }
 *
 * SIGSTOP freezes the process there until SIGCONT.
 */
import { existsSync, readFileSync } from 'node:fs';

const file = process.env.CHECKPOINT_FILE;
const read = () => JSON.parse(readFileSync(file, 'utf8'));
let aim = existsSync(file) ? read() : null;
let visits = 0;

process.on('SIGUSR2', () => {
  aim = read();
  visits = 0;
  process.stdout.write(`checkpoint ${aim.id} armed\n`);
});

globalThis[Symbol.for('payonce.checkpoint')] = (place) => {
  if (place !== aim?.place) return;
  visits += 1;
  if (visits === aim.visit) process.kill(process.pid, aim.signal);
};
