import { Gauge, type Registry } from 'prom-client';

export interface Figure {
  readonly value: number;
  readonly labels?: Readonly<Record<string, string>>;
}

export interface LookedUpGauge {
  readonly name: string;
  readonly help: string;
  readonly labels?: readonly string[];
  /** Called when the metrics are read. Whatever is not among its figures is not shown. */
  readonly look: () => Promise<Iterable<Figure>>;
}

/**
 * A gauge whose figures are looked up whenever metrics are read. A figure that cannot be had is left
 * out: never shown as it was, and never at the cost of all the others, which are most wanted just then.
 */
export function registerLookedUp(metrics: Registry, { name, help, labels = [], look }: LookedUpGauge): void {
  metrics.registerMetric(
    new Gauge({
      name,
      help,
      labelNames: [...labels],
      registers: [],
      async collect() {
        const figures = await look().catch(() => []);
        this.reset();
        // A gauge without labels is 0 after that.
        if (labels.length === 0) this.remove();
        for (const { value, labels: told = {} } of figures) this.set(told, value);
      },
    }),
  );
}
