import {
  type Context,
  context,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node';
import { ATTR_SERVICE_NAME, ATTR_SERVICE_VERSION } from '@opentelemetry/semantic-conventions';
import { type OpenSpan, type SpanOptions, type Tracing } from '../core/tracing.js';
import { VERSION } from '../core/version.js';

/** Traces by OpenTelemetry, sent by OTLP over HTTP. Loaded only where a collector is configured. */

const kinds = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  consumer: SpanKind.CONSUMER,
  internal: SpanKind.INTERNAL,
};

/** The start of the trace of a payment or payout, for later work on it and for other processes. */
interface TraceStore {
  find(subject: string): Promise<string | null>;
}

export class OpenTelemetry implements Tracing {
  private readonly provider: NodeTracerProvider;
  private readonly tracer;
  private store: TraceStore | null = null;

  constructor(endpoint: string) {
    const exporter = new OTLPTraceExporter({ url: `${endpoint.replace(/\/$/, '')}/v1/traces` });
    this.provider = new NodeTracerProvider({
      resource: resourceFromAttributes({ [ATTR_SERVICE_NAME]: 'payonce', [ATTR_SERVICE_VERSION]: VERSION }),
      spanProcessors: [new BatchSpanProcessor(exporter, { scheduledDelayMillis: 1_000 })],
    });
    this.provider.register();
    this.tracer = trace.getTracer('payonce', VERSION);
  }

  keepIn(store: TraceStore): void {
    this.store = store;
  }

  /** Sends what is left. */
  async close(): Promise<void> {
    await this.provider.shutdown().catch(() => {});
    for (const api of [trace, context, propagation]) api.disable();
  }

  start({ name, kind, attributes = {}, parent }: SpanOptions): OpenSpan {
    const active = trace.getSpanContext(context.active());
    const from = typeof parent === 'string' ? contextOf(parent) : context.active();
    const comesFrom = typeof parent === 'string' && active ? [{ context: active }] : [];
    const span = this.tracer.startSpan(name, { kind: kinds[kind], attributes, links: comesFrom }, from);
    return new Open(span, trace.setSpan(from, span));
  }

  find(subject: string): Promise<string | null> {
    return this.store?.find(subject) ?? Promise.resolve(null);
  }

  traceparent(): string | null {
    const carrier: { traceparent?: string } = {};
    propagation.inject(context.active(), carrier);
    return carrier.traceparent ?? null;
  }
}

class Open implements OpenSpan {
  constructor(
    private readonly span: Span,
    private readonly below: Context,
  ) {}

  run<T>(work: () => T): T {
    return context.with(this.below, work);
  }

  set(attributes: Readonly<Record<string, string | number>>): void {
    this.span.setAttributes(attributes);
  }

  end(isFailed = false): void {
    if (isFailed) this.span.setStatus({ code: SpanStatusCode.ERROR });
    this.span.end();
  }
}

/** A header that is no traceparent begins a new trace. */
function contextOf(traceparent: string): Context {
  return propagation.extract(ROOT_CONTEXT, { traceparent });
}
