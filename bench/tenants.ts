import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { Loader } from './contenders.js';
import { cpuMsOf } from './cpu.js';
import { type LoadReport } from './load.js';
import { median } from './measure.js';
import { type Options } from './options.js';
import { type Stage } from './stage.js';

/**
 * `npm run bench -- --tenants`: a merchant who pays steadily, alone, beside another one at its limit, and beside one
 * who sends ten times as much. The three take turns at one service; each merchant has a generator of its own.
 */
const LIMIT_PER_SECOND = 50;
const STEADY_PER_SECOND = 20;
const BESIDE: Readonly<Record<string, number>> = {
  nobody: 0,
  'one at its limit': LIMIT_PER_SECOND,
  'one at ten times its limit': 10 * LIMIT_PER_SECOND,
};
const STEADY_CONNECTIONS = 8;
const GREEDY_CONNECTIONS = 32;
const WARM_MS = 1_000;
const WARM_UP_MS = 4_000;

interface Turn {
  readonly beside: string;
  readonly steady: LoadReport;
  readonly refused: number;
  readonly cpuMs: number;
}

export async function benchTenants(
  stage: Stage,
  { rounds, seconds }: Options,
  say: (...lines: readonly string[]) => void,
): Promise<void> {
  const [steady, greedy] = [new Loader(load()), new Loader(load())];
  const service = await stage.serve('service', {
    PAYONCE_MERCHANT_RATE: String(LIMIT_PER_SECOND),
    // A refusal is a line of the log in life.
    PAYONCE_LOG_LEVEL: 'info',
  });
  const turns: Turn[] = [];
  const turn = async (beside: string, windowMs: number): Promise<Turn> => {
    const before = cpuMsOf(service.pid) ?? NaN;
    const name = `tenants-${beside.replaceAll(' ', '-')}-${performance.now()}`;
    const perSecond = BESIDE[beside]!;
    const order = { url: service.url, warmMs: WARM_MS, windowMs };
    const [report, noise] = await Promise.all([
      steady.load({
        ...order,
        apiKey: service.apiKey,
        name,
        inFlight: STEADY_CONNECTIONS,
        perSecond: STEADY_PER_SECOND,
      }),
      perSecond === 0
        ? null
        : greedy.load({
            ...order,
            apiKey: stage.greedy.apiKey,
            name: `${name}-a`,
            inFlight: GREEDY_CONNECTIONS,
            perSecond,
          }),
    ]);
    const cpuMs = (cpuMsOf(service.pid) ?? NaN) - before;
    return { beside, steady: report, refused: noise?.answers['429'] ?? 0, cpuMs };
  };
  try {
    await turn('one at ten times its limit', WARM_UP_MS);
    for (let round = 1; round <= rounds; round++) {
      for (const beside of Object.keys(BESIDE)) turns.push(await turn(beside, seconds * 1_000));
      say(`round ${round} of ${rounds}`);
    }
  } finally {
    for (const loader of [steady, greedy]) loader.stop();
    await service.stop();
  }
  for (const beside of Object.keys(BESIDE)) say(lineOf(turns, beside));
  const cpuMs = (beside: string) =>
    median(turns.filter((one) => one.beside === beside).map((one) => one.cpuMs));
  const refused = median(turns.filter((one) => one.refused > 0).map((one) => one.refused));
  const us = ((cpuMs('one at ten times its limit') - cpuMs('one at its limit')) / refused) * 1_000;
  say(`a refused request costs ${us.toFixed(0)} us of CPU`);
}

function load() {
  return fork(fileURLToPath(new URL('load.js', import.meta.url)));
}

function lineOf(turns: readonly Turn[], beside: string): string {
  const own = turns.filter((one) => one.beside === beside);
  const of = (figure: (one: Turn) => number) => median(own.map(figure));
  return [
    `beside ${beside}: p50 ${of(({ steady }) => steady.p50Ms).toFixed(1)} ms, p99 ${of(({ steady }) => steady.p99Ms).toFixed(1)} ms`,
    `${of(({ refused }) => refused).toFixed(0)} refused`,
    `${own.reduce((sum, { steady }) => sum + steady.payments, 0)} payments`,
    `CPU of the service ${of(({ cpuMs }) => cpuMs).toFixed(0)} ms`,
  ].join('; ');
}
