import { Gauge, type Registry } from 'prom-client';
import { type Clock, SystemClock } from './clock.js';
import { withTimeout } from './time-limit.js';

/** A server that says nothing must not hold up the other figures. */
const MAX_LOOK_MS = 5_000;
/** However often metrics are read, by however many: a figure is looked up no sooner than this after the last time. */
const LOOKS_APART_MS = 3_000;

export interface Figure {
  readonly value: number;
  readonly labels?: Readonly<Record<string, string>>;
}

interface LookedUpGauge {
  readonly name: string;
  readonly help: string;
  readonly labels?: readonly string[];
  /** Called when the metrics are read, if its figures are old. The gauge shows only the returned figures. */
  readonly look: () => Promise<Iterable<Figure>>;
}

/**
 * A gauge whose figures are looked up when metrics are read, once for all who read them within 3 s. A figure
 * that cannot be had is left out: never shown as it was before, and never at the cost of all the others, which
 * are most wanted just then.
 */
export function registerLookedUp(
  metrics: Registry,
  { name, help, labels = [], look }: LookedUpGauge,
  clock: Clock = new SystemClock(),
): void {
  const figuresOf = atMostEvery(LOOKS_APART_MS, clock, () =>
    withTimeout(clock, MAX_LOOK_MS, name, look()).catch(() => []),
  );
  metrics.registerMetric(
    new Gauge({
      name,
      help,
      labelNames: [...labels],
      registers: [],
      async collect() {
        const figures = await figuresOf();
        this.reset();
        // A gauge without labels is 0 after that.
        if (labels.length === 0) this.remove();
        for (const { value, labels: told = {} } of figures) this.set(told, value);
      },
    }),
  );
}

/** The last result while it is young enough, else a new one, which all who ask meanwhile wait for. */
function atMostEvery<T>(apartMs: number, clock: Clock, look: () => Promise<T>): () => Promise<T> {
  let last: { readonly result: Promise<T>; until: number } | null = null;
  return () => {
    if (last && clock.monotonicMs() < last.until) return last.result;
    const current = { result: look(), until: Number.POSITIVE_INFINITY };
    const age = () => (current.until = clock.monotonicMs() + apartMs);
    current.result.then(age, age);
    last = current;
    return current.result;
  };
}
