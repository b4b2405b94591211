/**
 * Loaded before the service (`node --import`): sends it a signal at the n-th visit of a checkpoint.
 *
 * CHECKPOINT_PLACE   `commit:after:finished`, `psp:before:execute` and the like
 * CHECKPOINT_VISIT   which visit, from 1 (the default)
 * CHECKPOINT_SIGNAL  SIGKILL (the default) dies there; SIGSTOP freezes there until SIGCONT
 * CHECKPOINT_ARMED   `by-signal`: visits count from the first SIGUSR2 on, which is answered by a line;
 *                    otherwise from the start
 */
const { CHECKPOINT_PLACE, CHECKPOINT_VISIT = '1', CHECKPOINT_SIGNAL = 'SIGKILL' } = process.env;
let armed = process.env.CHECKPOINT_ARMED !== 'by-signal';
let left = Number(CHECKPOINT_VISIT);

process.on('SIGUSR2', () => {
  armed = true;
  process.stdout.write('checkpoint armed\n');
});

globalThis[Symbol.for('payonce.checkpoint')] = (place) => {
  if (!armed || place !== CHECKPOINT_PLACE) return;
  left -= 1;
  if (left === 0) process.kill(process.pid, CHECKPOINT_SIGNAL);
};
