import { writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { benchBackground } from './background.js';
import { benchGrowth } from './growth.js';
import { benchJobs } from './jobs.js';
import { type Sample } from './measure.js';
import { type Written } from './own-database.js';
import { type Load, type Options, optionsOf, usage, UsageError } from './options.js';
import { plotOf } from './plot.js';
import { benchProcesses } from './processes.js';
import { ratioLines, ratiosOf, type Series, seriesLines } from './report.js';
import { benchReports } from './reports.js';
import { Stage } from './stage.js';
import { benchTenants } from './tenants.js';

/**
 * `npm run bench`: what Payonce costs beside the two plain statements that store a payment, and beside a bare service
 * of them. All of it shares this machine, so the contenders take turns, and only ratios mean anything.
 */
const RESULTS = 'bench/results.json';
const GROWTH = 'bench/growth.json';
const PLOT = 'bench/results.svg';
/** Before anything counts: code is compiled, statements are prepared, connections are open. */
const WARM_UP = { warmMs: 500, windowMs: 1_500 };
const WARM_UP_IN_FLIGHT = 64;
const RUN_UP_MS = 500;
const SUSTAINED: Load = { inFlight: 64, pspMs: 0 };
/** Long enough for the work in the background that belongs to the payments. */
const COUNTED = { warmMs: 500, windowMs: 3_000 };

async function main(options: Options): Promise<boolean> {
  const stage = new Stage();
  process.once('SIGINT', () => void stage.close().finally(() => process.exit(130)));
  process.once('SIGTERM', () => void stage.close().finally(() => process.exit(143)));
  try {
    await stage.open(options);
    const apart = options.processes
      ? benchProcesses
      : options.tenants
        ? benchTenants
        : options.background
          ? benchBackground
          : null;
    if (apart) {
      await apart(stage, options, say);
      return true;
    }
    say(`${stage.contenders.map(({ name }) => name).join(', ')}: taking turns, ${options.rounds} rounds`);
    for (const contender of stage.contenders) await contender.run(WARM_UP_IN_FLIGHT, WARM_UP);
    if (options.growth.length > 0) {
      const grown = await benchGrowth(stage, options, say);
      writeFileSync(GROWTH, `${JSON.stringify(grown, null, 2)}\n`);
      return true;
    }
    const series = await play(stage, options);
    const sustained =
      options.sustainedS > 0
        ? await play(stage, { ...options, rounds: 1, loads: [SUSTAINED], seconds: options.sustainedS })
        : [];
    return await report(stage, series, sustained, await countWrites(stage), options);
  } finally {
    await stage.close();
  }
}

async function play(stage: Stage, { rounds, loads, seconds }: Options): Promise<Series[]> {
  const window = { warmMs: RUN_UP_MS, windowMs: seconds * 1_000 };
  const { contenders } = stage;
  const series = contenders.flatMap((contender) =>
    loads
      .filter((load) => contender.takes(load))
      .map((load) => ({ contender, load, samples: [] as Sample[] })),
  );
  for (let round = 0; round < rounds; round++) {
    for (const load of loads) {
      const turns = series.filter((one) => one.load === load);
      // The contender that begins a round is the last of the next.
      for (const n of turns.keys()) {
        const { contender, samples } = turns[(n + round) % turns.length]!;
        await stage.slowPsp(load.pspMs);
        samples.push(await contender.run(load.inFlight, window));
        await stage.emptySimulator();
      }
    }
    say(`round ${round + 1} of ${rounds}`);
  }
  await stage.slowPsp(0);
  return series.map((one) => ({ ...one, contender: one.contender.name }));
}

/** What one payment of the service writes, with the work in the background that belongs to it. */
async function countWrites({ contenders, database }: Stage): Promise<Record<keyof Written, number>> {
  const service = contenders.find(({ name }) => name === 'service')!;
  const [before, made] = [await database.written(), service.made];
  await service.run(WARM_UP_IN_FLIGHT, COUNTED);
  const after = await database.written();
  const each = Object.entries(after).map(([name, count]) => {
    const share = (count - before[name as keyof Written]) / (service.made - made);
    return [name, Math.round(share * 10) / 10];
  });
  return Object.fromEntries(each) as Record<keyof Written, number>;
}

/** False where payments, answers and effects do not agree. */
async function report(
  stage: Stage,
  series: readonly Series[],
  sustained: readonly Series[],
  writes: Record<keyof Written, number>,
  options: Options,
): Promise<boolean> {
  const ratios = ratiosOf(series);
  const { database, contenders, missing } = stage;
  const rows = await database.rows();
  const books = [];
  for (const { name, made, merchantId, table, database: own } of contenders) {
    books.push({ name, answered: made, captured: await own.capturedPayments(merchantId, table) });
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
  say('', 'Medians of the rounds, with the CPU ms and the WAL of one payment:', ...seriesLines(series));
  if (sustained.length > 0) {
    say('', `Sustained for ${options.sustainedS} s:`, ...ratioLines(ratiosOf(sustained)));
    say('', ...seriesLines(sustained));
  }
  const { inserts, updates, hotUpdates, deletes, indexEntries } = writes;
  say(
    '',
    `A payment writes ${inserts} rows, updates ${updates} (${hotUpdates} of them without an index entry), deletes ` +
      `${deletes}, and makes at most ${indexEntries} index entries; its commits have ${stage.parameters} parameters.`,
  );
  say('', `The tables hold ${named(rows)} rows; only autovacuum has analysed them.`);
  say(`Postgres: ${named(database.settings)}. ${availableParallelism()} cores for everything.`);
  say(...missing, ...(database.postmaster === null ? ['No CPU times of Postgres: it runs elsewhere.'] : []));
  const counts = books.map(
    ({ name, answered, captured }) => `${name} ${answered} answered, ${captured} captured`,
  );
  say(`${counts.join('; ')}; effects at the PSP: ${effects} of ${asked} payments.`);
  say(agree ? 'Payments, answers and effects agree.' : 'Payments, answers and effects DO NOT AGREE.');
  const at = new Date().toISOString();
  const results = {
    at,
    options,
    ratios,
    series,
    sustained,
    writes,
    rows,
    settings: database.settings,
    books,
    effects,
    agree,
  };
  writeFileSync(RESULTS, `${JSON.stringify(results, null, 2)}\n`);
  writeFileSync(PLOT, plotOf(series));
  say(`Written to ${RESULTS} and ${PLOT}.`);
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
  const valueOf = (name: string) => Number(args[args.indexOf(name) + 1]);
  const agreed = args.includes('--jobs')
    ? await benchJobs(say)
    : args.includes('--reports')
      ? await benchReports(valueOf('--reports'), valueOf('--attempts'), say)
      : await main(optionsOf(args));
  process.exitCode = agreed ? 0 : 1;
} catch (error) {
  const isUsage = error instanceof UsageError;
  process.stderr.write(isUsage ? `${error.message}\n\n${usage}` : `${String((error as Error).stack)}\n`);
  process.exitCode = 1;
}
