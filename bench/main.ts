import { writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { type Contender } from './contenders.js';
import { benchJobs } from './jobs.js';
import { type Sample } from './measure.js';
import { type Options, optionsOf, usage, UsageError } from './options.js';
import { ratioLines, ratiosOf, type Series, seriesLines } from './report.js';
import { Stage } from './stage.js';

/**
 * `npm run bench`: what Payonce adds to the two statements that a charge is. Everybody shares this
 * machine with everything else on it, so the contenders take turns, and only ratios mean anything.
 */
const RESULTS = 'bench/results.json';
/** Before anything counts: code is compiled, statements are prepared, connections are open. */
const WARM_UP = { warmMs: 500, windowMs: 1_500 };
const WARM_UP_IN_FLIGHT = 64;
const RUN_UP_MS = 500;

async function main(options: Options): Promise<boolean> {
  const stage = new Stage();
  process.once('SIGINT', () => void stage.close().finally(() => process.exit(130)));
  process.once('SIGTERM', () => void stage.close().finally(() => process.exit(143)));
  try {
    await stage.open(options);
    say(`${stage.contenders.map(({ name }) => name).join(', ')}: taking turns, ${options.rounds} rounds`);
    for (const contender of stage.contenders) await contender.run(WARM_UP_IN_FLIGHT, WARM_UP);
    const series = await play(stage.contenders, options);
    return await told(stage, series, options);
  } finally {
    await stage.close();
  }
}

async function play(contenders: readonly Contender[], options: Options): Promise<Series[]> {
  const { rounds, inFlight, seconds } = options;
  const window = { warmMs: RUN_UP_MS, windowMs: seconds * 1_000 };
  const samples = new Map<string, Sample[]>();
  for (let round = 0; round < rounds; round++) {
    for (const load of inFlight) {
      // The contender that begins a round is the last of the next.
      const turns = contenders.map((_, n) => contenders[(n + round) % contenders.length]!);
      for (const contender of turns) {
        const sample = await contender.run(load, window);
        const id = `${contender.name} ${load}`;
        samples.set(id, [...(samples.get(id) ?? []), sample]);
      }
    }
    say(`round ${round + 1} of ${rounds}`);
  }
  return contenders.flatMap(({ name }) =>
    inFlight.map((load) => ({
      contender: name,
      inFlight: load,
      samples: samples.get(`${name} ${load}`) ?? [],
    })),
  );
}

/** False where payments, answers and effects do not agree. */
async function told(stage: Stage, series: readonly Series[], options: Options): Promise<boolean> {
  const ratios = ratiosOf(series);
  const { database, contenders, missing } = stage;
  const rows = await database.rows();
  const books = [];
  for (const { name, made, merchantId } of contenders) {
    books.push({ name, answered: made, captured: await database.capturedPayments(merchantId) });
  }
  const { effects, references } = await stage.effects();
  const asked = contenders.filter(({ asksPsp }) => asksPsp).reduce((sum, { made }) => sum + made, 0);
  const agree =
    books.every(({ answered, captured }) => answered === captured) &&
    effects === asked &&
    references === asked;

  say(
    '',
    'Ratios of payments per second, round by round, and of the CPU time of one payment:',
    ...ratioLines(ratios),
  );
  say('', 'Medians of the rounds; CPU time is that of one payment:', ...seriesLines(series));
  say('', `The tables hold ${named(rows)} rows; nobody has analysed them but autovacuum.`);
  say(`Postgres: ${named(database.settings)}. ${availableParallelism()} cores for everything.`);
  say(...missing, ...(database.postmaster === null ? ['No CPU times of Postgres: it runs elsewhere.'] : []));
  const counts = books.map(
    ({ name, answered, captured }) => `${name} ${answered} answered, ${captured} captured`,
  );
  say(`${counts.join('; ')}; effects at the PSP: ${effects} of ${asked} payments.`);
  say(agree ? 'Payments, answers and effects agree.' : 'Payments, answers and effects DO NOT AGREE.');
  const at = new Date().toISOString();
  const results = { at, options, ratios, series, rows, settings: database.settings, books, effects, agree };
  writeFileSync(RESULTS, `${JSON.stringify(results, null, 2)}\n`);
  say(`Written to ${RESULTS}.`);
  return agree;
}

function named(values: Readonly<Record<string, string | number>>): string {
  return Object.entries(values)
    .map(([name, value]) => `${name} ${value}`)
    .join(', ');
}

function say(...lines: readonly string[]): void {
  for (const line of lines) process.stdout.write(`${line}\n`);
}

try {
  const args = process.argv.slice(2);
  const agreed = args.includes('--jobs') ? await benchJobs(say) : await main(optionsOf(args));
  process.exitCode = agreed ? 0 : 1;
} catch (error) {
  const isUsage = error instanceof UsageError;
  process.stderr.write(isUsage ? `${error.message}\n\n${usage}` : `${String((error as Error).stack)}\n`);
  process.exitCode = 1;
}
