/**
 * Loaded before the service (`node --import`): when the demo is gone, however it went, the pipe on
 * standard input ends, and the service stops as it does for anybody who asks it to.
 */
const stop = (): void => void process.kill(process.pid, 'SIGTERM');

process.stdin.once('end', stop).once('error', stop).resume();
