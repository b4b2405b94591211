import { broken, type Outcome } from './run.js';

const WIDTH = { trial: 42, told: 8, effects: 9, calls: 5, took: 7 } as const;

/** The outcomes as a table of 80 columns, one line each. */
export function tableOf(outcomes: readonly Outcome[]): string {
  const lines: string[] = [];
  for (const operation of ['charge', 'capture', 'refund'] as const) {
    const own = outcomes.filter((outcome) => outcome.operation === operation);
    if (own.length === 0) continue;
    lines.push('', lineOf(operation, 'told', 'effects', 'calls', 'took', 'verdict'));
    for (const { trial, told, effects, givenBack, calls, tookMs, verdict } of own) {
      const done = givenBack > 0 ? `${effects} (-${givenBack})` : String(effects);
      const said = broken.has(verdict) ? verdict.toUpperCase() : verdict;
      lines.push(lineOf(`  ${trial}`, told, done, String(calls), `${(tookMs / 1_000).toFixed(1)} s`, said));
    }
  }
  return lines.join('\n');
}

function lineOf(...[trial, told, effects, calls, took, verdict]: readonly string[]): string {
  return [
    trial!.padEnd(WIDTH.trial),
    told!.padEnd(WIDTH.told),
    effects!.padEnd(WIDTH.effects),
    calls!.padStart(WIDTH.calls - 1).padEnd(WIDTH.calls),
    took!.padStart(WIDTH.took - 2).padEnd(WIDTH.took),
    verdict!,
  ].join('');
}

/** One line: the effects of each operation, and what went wrong. */
export function sumOf(outcomes: readonly Outcome[]): string {
  const tried = outcomes.filter(({ verdict }) => verdict !== 'untried' && verdict !== 'unmet');
  const counted = (['twice', 'lost', 'hidden', 'unsettled'] as const).map(
    (verdict) => `${tried.filter((outcome) => outcome.verdict === verdict).length} ${verdict}`,
  );
  const settled = tried.filter(({ verdict }) => verdict !== 'unsettled');
  const done = settled.filter(({ verdict }) => verdict !== 'none');
  const net = done.reduce((sum, { effects, givenBack }) => sum + effects - givenBack, 0);
  const each = done.length === 0 ? '0' : (net / done.length).toFixed(2);
  return `${tried.length} trials: ${each} effects for each operation that was done; ${counted.join(', ')}`;
}
