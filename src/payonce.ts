import { run } from './commands/run.js';

// What a command is performed with takes longer to load than all that help needs.
process.exitCode = await run(
  process.argv.slice(2),
  {
    env: process.env,
    stdout: (text) => void process.stdout.write(text),
    stderr: (text) => void process.stderr.write(text),
  },
  () => import('./cli.js'),
);
