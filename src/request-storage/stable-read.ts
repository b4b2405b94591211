import { type Clock } from '../core/clock.js';
import { decideAgain, REFUSED } from '../core/decide-again.js';
import { type Ids } from '../core/ids.js';

/**
 * Reads a row and its dependent rows as of one moment: a payment read before its charge was decided, with a route
 * read after, would contradict each other. Every commit that opens or decides an operation raises the version of
 * its row. null if there is no such row.
 */
export function asOfOneMoment<Row extends { readonly version: number }, Whole>(
  tools: { readonly clock: Clock; readonly ids: Ids },
  readRow: () => Promise<Row | null>,
  readRest: (row: Row) => Promise<Whole>,
): Promise<Whole | null> {
  return decideAgain<Whole | null>(tools, async () => {
    const row = await readRow();
    if (!row) return null;
    const whole = await readRest(row);
    return (await readRow())?.version === row.version ? whole : REFUSED;
  });
}
