/** Spans of OpenTelemetry, where tracing is on. Nothing of it is loaded until tracing is switched on, and then outside core. */

export interface SpanOptions {
  readonly name: string;
  readonly kind: 'server' | 'client' | 'consumer' | 'internal';
  /** Names and numbers of ours alone: no body, no token, nothing of a customer. */
  readonly attributes?: Readonly<Record<string, string | number>>;
  /** A W3C traceparent to go on from. Absent: the span that is under way. */
  readonly parent?: string | null;
  /** The payment or payout, in whose trace it goes on where no span is under way. */
  readonly subject?: string | null;
  /** It goes on in the trace of the subject also where another one is under way, which it names. */
  readonly rejoins?: boolean;
  /** It is traced only where a span is under way. */
  readonly onlyWithin?: boolean;
}

export interface OpenSpan {
  /** Spans that `work` starts are children of this one. */
  run<T>(work: () => T): T;
  set(attributes: Readonly<Record<string, string | number>>): void;
  end(isFailed?: boolean): void;
}

export interface Tracing {
  start(options: SpanOptions): OpenSpan;
  /** The traceparent of a subject, found before a span of it is started. */
  find(subject: string): Promise<string | null>;
  /** The span under way; null: none. */
  traceparent(): string | null;
}

let tracing: Tracing | null = null;

/** Null: none, which is so from the start. */
export function traceWith(wanted: Tracing | null): void {
  tracing = wanted;
}

/** Null where tracing is off. */
export function tracer(): Tracing | null {
  return tracing;
}

/** The span under way, for what goes to others; null: none. */
export function traceparent(): string | null {
  return tracing?.traceparent() ?? null;
}

/** `work` in a span of its own; `describe` says what came of it. */
export function inSpan<T>(options: SpanOptions, work: () => Promise<T>, describe?: Describe<T>): Promise<T> {
  return tracing === null ? work() : traced(tracing, options, work, describe);
}

type Describe<T> = (result: T) => Readonly<Record<string, string | number>>;

async function traced<T>(
  tracing: Tracing,
  options: SpanOptions,
  work: () => Promise<T>,
  describe: Describe<T> | undefined,
): Promise<T> {
  const { subject, rejoins = false, onlyWithin = false } = options;
  if (onlyWithin && tracing.traceparent() === null) return work();
  const isNeeded = typeof subject === 'string' && (rejoins || tracing.traceparent() === null);
  const found = isNeeded ? await tracing.find(subject) : null;
  const span = tracing.start(found === null ? options : { ...options, parent: found });
  try {
    const result = await span.run(work);
    if (describe) span.set(describe(result));
    span.end();
    return result;
  } catch (error) {
    span.end(true);
    throw error;
  }
}
