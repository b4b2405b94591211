import { writeFileSync } from 'node:fs';
import { Session } from 'node:inspector';
import '../demo/exit-with-parent.js';

/** Loaded before the service: takes a CPU profile of its whole life and writes it to BENCH_PROFILE. */
const session = new Session();
session.connect();
session.post('Profiler.enable');
session.post('Profiler.setSamplingInterval', { interval: 500 });
session.post('Profiler.start');

process.once('exit', () => {
  session.post('Profiler.stop', (error, taken) => {
    const file = process.env['BENCH_PROFILE'];
    if (!error && file) writeFileSync(file, JSON.stringify(taken.profile));
  });
});
