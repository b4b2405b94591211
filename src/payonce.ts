import { run } from './commands/run.js';

// A reader that has seen enough, as `head` has, ends the writer.
process.stdout.on('error', () => process.exit());

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
