import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Paper } from './paper.js';
import { scenes } from './scenes.js';
import { Stage } from './stage.js';
import { seconds, tell } from './story.js';

/**
 * `npm run demo`: the story of charging once, played on everything real except the PSPs. With `--stay` the service stays
 * up afterwards for a look at the console.
 */

const MAX_MS = 120_000;
const CLOSE_TIMEOUT_MS = 15_000;
const STAY_MS = 300_000;
/** npm passes a Ctrl-C on that the terminal has delivered already. */
const SAME_KEYSTROKE_MS = 500;

class Interrupted extends Error {
  constructor(readonly exitCode: number) {
    super('interrupted');
  }
}

async function main(): Promise<number> {
  const startedMs = performance.now();
  const paper = new Paper(process.stdout, process.env);
  const environment = new Stage();
  const interruption = interrupted(environment);
  try {
    paper.line('Payonce charges once, whatever fails.', 'bold');
    paper.line('Starting Postgres, Payonce, and a simulator of PSPs that keeps their ledgers …');
    const well = await Promise.race([play(environment, paper, startedMs), interruption, tooLate()]);
    const took = seconds(performance.now() - startedMs);
    paper.line(well ? `The demo took ${took}.` : `The demo FAILED, for the reasons above. It took ${took}.`);
    await shown(environment, paper, interruption);
    await closed(environment);
    return well ? 0 : 1;
  } catch (error) {
    await closed(environment).catch(() => environment.kill());
    if (error instanceof Interrupted) {
      paper.line('\nInterrupted; everything that was started has been stopped.');
      return error.exitCode;
    }
    paper.line(
      `\nThe demo could not go on: ${error instanceof Error ? error.message : String(error)}`,
      'red',
    );
    return 1;
  }
}

async function play(environment: Stage, paper: Paper, startedMs: number): Promise<boolean> {
  await environment.open();
  paper.line(`Ready after ${seconds(performance.now() - startedMs)}, on ${environment.databaseIs}.`);
  paper.line();
  paper.line(
    'USD goes to stripe first, then adyen; EUR to adyen first, then stripe. Each PSP that gets an ' +
      'operation is a route; the next one opens only on proof that the last one did nothing. What the ' +
      "customer paid is read from the PSPs' own ledgers.",
  );
  return tell(environment, paper, scenes);
}

/** Shows the console until the reader has seen enough. */
async function shown(environment: Stage, paper: Paper, interruption: Promise<never>): Promise<void> {
  if (!process.argv.includes('--stay')) {
    paper.line('To see all of this in the console: npm run demo -- --stay');
    return;
  }
  paper.line(
    `\nAll of this in the console, for ${STAY_MS / 60_000} minutes; Enter or Ctrl-C ends it. The link signs in once:`,
  );
  paper.line(await environment.consoleLink(), 'bold');
  await Promise.race([once(process.stdin, 'data'), sleep(STAY_MS), interruption]).catch((error: unknown) => {
    if (!(error instanceof Interrupted)) throw error;
  });
  process.stdin.pause();
}

function tooLate(): Promise<never> {
  const late = new Error(`it is not done after ${MAX_MS / 1_000} s, and takes 15 s otherwise`);
  return new Promise((_, reject) => {
    setTimeout(() => reject(late), MAX_MS).unref();
  });
}

/** Rejects when the user ends the demo. */
function interrupted(environment: Stage): Promise<never> {
  let firstMs: number | undefined;
  const rejection = new Promise<never>((_, reject) => {
    const stop = (exitCode: number) => () => {
      firstMs ??= performance.now();
      if (performance.now() - firstMs > SAME_KEYSTROKE_MS) {
        environment.kill();
        process.exit(exitCode);
      }
      reject(new Interrupted(exitCode));
    };
    process.on('SIGINT', stop(130));
    process.on('SIGTERM', stop(143));
    process.on('SIGHUP', stop(129));
    process.stdout.on('error', stop(1)); // the reader is gone
  });
  rejection.catch(() => {});
  return rejection;
}

/** Ends what was started; what does not end in time is killed. */
async function closed(environment: Stage): Promise<void> {
  const patience = new AbortController();
  const late = sleep(CLOSE_TIMEOUT_MS, undefined, { signal: patience.signal }).then(() => environment.kill());
  await Promise.race([environment.close(), late.catch(() => {})]);
  patience.abort();
}

const exitCode = await main();
process.stdout.write('', () => process.exit(exitCode));
