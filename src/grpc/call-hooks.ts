import {
  type Metadata,
  type ServerInterceptingCallInterface,
  ServerInterceptingCall,
  type ServerInterceptor,
  status as codes,
} from '@grpc/grpc-js';
import { type Logger } from 'pino';
import { Histogram, type Registry } from 'prom-client';
import { type Clock, SystemClock } from '../core/clock.js';
import { type Ids } from '../core/ids.js';
import { Problem } from '../core/problem.js';
import { type OpenSpan, tracer } from '../core/tracing.js';
import { type Access } from '../http/access.js';
import { type Admission } from '../http/admission.js';
import { requireScope } from '../http/authentication.js';
import { idempotencyKeyOf, waitSecondsOf } from '../http/headers.js';
import { problemOf } from '../http/problem.filter.js';
import { Call, rememberCall } from './call.js';
import { type ClientCertificates } from './client-certificates.js';
import { type CallStatus, statusOf } from './error-status.js';

interface CallTools {
  readonly admission: Admission;
  readonly certificates: ClientCertificates;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
  readonly metrics: Registry;
  /** For the message to arrive, after the metadata. */
  readonly requestTimeoutMs: number;
  /** The access rule of each method, by its path. Methods without it are open: health, reflection. */
  readonly access: ReadonlyMap<string, Access>;
}

/**
 * The hooks of every call, before and after its handler: credentials, scope and idempotency-key are checked
 * before a byte of the message is read; at last come one line in the log and one sample in the metrics.
 */
export function callHooks(tools: CallTools): ServerInterceptor {
  const durations = durationsIn(tools.metrics);
  return ({ path, responseStream }, next) => {
    const { clock, ids } = tools;
    const startedMs = clock.monotonicMs();
    const ended = new AbortController();
    const call = new Call(ids.uuid(), remainingTime(next, clock), ended.signal);
    const access = tools.access.get(path);

    const end = (code: codes): void => {
      if (ended.signal.aborted) return;
      ended.abort();
      // A handler that has begun gives the place back itself, when it ends.
      if (!call.isHandled) call.release?.();
      call.span?.set({ 'rpc.response.status_code': codes[code] });
      call.span?.end(code === codes.INTERNAL || code === codes.UNAVAILABLE);
      const ms = clock.monotonicMs() - startedMs;
      if (access === undefined) return;
      durations.observe({ method: path.slice(1), code: codes[code] }, ms / 1_000);
      const line = {
        request_id: call.requestId,
        rpc: path.slice(1),
        status: codes[code],
        code: call.problem?.code ?? null,
        ms: Math.round(ms * 100) / 100,
        merchant_id: call.authenticated?.merchantId ?? null,
        api_key_id: call.authenticated?.apiKeyId ?? null,
        source_address: next.getConnectionInfo().remoteAddress,
      };
      tools.logger.info(line, 'request');
    };
    const finalStatus = (status: CallStatus): CallStatus => {
      const described = call.problem === null ? status : statusOf(call.problem, call.requestId);
      if (described.metadata) mark(described.metadata, call);
      return described;
    };
    const refuse = (error: unknown): void => {
      if (ended.signal.aborted) return;
      call.problem = problemOf(error);
      const status = finalStatus({ code: codes.UNKNOWN, details: '' });
      end(status.code);
      next.sendStatus(status);
    };
    // A client that says who it is and then nothing more would keep its place in flight.
    const refuseSlowMessage = async (): Promise<void> => {
      await clock.sleep(tools.requestTimeoutMs, ended.signal).catch(() => undefined);
      if (!call.isHandled) refuse(new Problem('request_timeout', 'The message did not arrive in time.'));
    };

    return new ServerInterceptingCall(next, {
      start: (listen) =>
        listen({
          onReceiveMetadata: (metadata, proceed) => {
            rememberCall(metadata, call);
            if (access !== undefined) call.span = spanOf(path, metadata, call);
            if (access === undefined) return proceed(metadata);
            admit(tools, call, access, { metadata, next, isStream: responseStream }).then(() => {
              proceed(metadata);
              return refuseSlowMessage();
            }, refuse);
          },
          onCancel: () => end(call.remainingMs() <= 0 ? codes.DEADLINE_EXCEEDED : codes.CANCELLED),
        }),
      sendMetadata: (metadata, send) => {
        mark(metadata, call);
        send(metadata);
      },
      sendStatus: (status, send) => {
        const sent = finalStatus(status);
        end(sent.code);
        send(sent);
      },
    });
  };
}

/** The id of the trace that the client sent. */
function spanOf(path: string, metadata: Metadata, { requestId }: Call): OpenSpan | null {
  const from = valueOf(metadata, 'traceparent');
  return (
    tracer()?.start({
      name: path.slice(1),
      kind: 'server',
      attributes: { 'rpc.system.name': 'grpc', 'rpc.method': path.slice(1), 'payonce.request_id': requestId },
      ...(from === undefined ? {} : { parent: from }),
    }) ?? null
  );
}

function mark(metadata: Metadata, { requestId, replayed }: Call): void {
  metadata.set('request-id', requestId);
  if (replayed) metadata.set('idempotent-replayed', 'true');
}

async function admit(
  { admission, certificates }: CallTools,
  call: Call,
  { scopes, movesMoney }: Access,
  {
    metadata,
    next,
    isStream,
  }: { metadata: Metadata; next: ServerInterceptingCallInterface; isStream: boolean },
): Promise<void> {
  // A stream waits more than it works, and has a bound of its own.
  const certificate = certificates.shown(next.getAuthContext().sslPeerCertificate);
  const caller = await admission.admit(
    valueOf(metadata, 'authorization'),
    isStream ? null : call,
    certificate,
  );
  const sourceAddress = next.getConnectionInfo().remoteAddress;
  call.authenticated = { ...caller, ...(sourceAddress === undefined ? {} : { sourceAddress }) };
  requireScope(caller, scopes);
  if (!movesMoney) return;
  const keys = metadata.get('idempotency-key');
  call.key = idempotencyKeyOf(valueOf(metadata, 'idempotency-key'), keys.length);
  call.waitS = waitSecondsOf(valueOf(metadata, 'prefer'));
}

function valueOf(metadata: Metadata, name: string): string | undefined {
  const values = metadata.get(name);
  return values.length === 0 ? undefined : values.join(', ');
}

/** grpc-js makes a time of the machine's clock of each deadline; from here on only the difference counts. */
const machine = new SystemClock();

function remainingTime(call: ServerInterceptingCallInterface, clock: Clock): () => number {
  const untilMs = clock.monotonicMs() + Number(call.getDeadline()) - machine.wallMs();
  return () => untilMs - clock.monotonicMs();
}

function durationsIn(metrics: Registry): Histogram {
  return new Histogram({
    name: 'payonce_grpc_request_seconds',
    help: 'From the metadata of a call to its status, by method and code.',
    labelNames: ['method', 'code'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
    registers: [metrics],
  });
}
