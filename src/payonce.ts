import { run } from './commands/run.js';

// The code of a command takes longer to load than the help.
process.exitCode = await run(
  process.argv.slice(2),
  {
    env: process.env,
    stdout: (text) => void process.stdout.write(text),
    stderr: (text) => void process.stderr.write(text),
  },
  () => import('./cli.js'),
);
