/** Loaded before the service (`node --import`): at each SIGUSR2 it collects garbage and prints what is left, in bytes. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');
let looks = 0;

process.on('SIGUSR2', () => {
  collect();
  const { heapUsed, external } = process.memoryUsage();
  process.stdout.write(`heap ${(looks += 1)} ${heapUsed + external}\n`);
});
