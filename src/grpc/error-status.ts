import { Metadata, type ServerInterceptingCallInterface, status as codes } from '@grpc/grpc-js';
import protobuf from 'protobufjs';
import { type Problem, type ProblemCode } from '../core/problem.js';

/** A problem as the status of a call, with the details of google.rpc that clients of gRPC know how to read. */

/** The error with which a call is ended. */
export type CallStatus = Parameters<ServerInterceptingCallInterface['sendStatus']>[0];

const DOMAIN = 'payonce';

/** Codes that share their HTTP status with codes of another meaning. */
const byCode: Partial<Record<ProblemCode, codes>> = {
  idempotency_key_reused: codes.ALREADY_EXISTS,
  request_in_progress: codes.ABORTED,
};

const byHttpStatus: Readonly<Record<number, codes>> = {
  400: codes.INVALID_ARGUMENT,
  401: codes.UNAUTHENTICATED,
  403: codes.PERMISSION_DENIED,
  404: codes.NOT_FOUND,
  408: codes.DEADLINE_EXCEEDED,
  409: codes.FAILED_PRECONDITION,
  413: codes.RESOURCE_EXHAUSTED,
  422: codes.INVALID_ARGUMENT,
  429: codes.RESOURCE_EXHAUSTED,
  503: codes.UNAVAILABLE,
};

const textMap = (id: number): protobuf.IMapField => ({ keyType: 'string', type: 'string', id });

/** The messages of google.rpc that are sent, with the numbers that they have there. */
const rpc = protobuf.Root.fromJSON({
  nested: {
    Any: { fields: { type_url: { type: 'string', id: 1 }, value: { type: 'bytes', id: 2 } } },
    Status: {
      fields: {
        code: { type: 'int32', id: 1 },
        message: { type: 'string', id: 2 },
        details: { rule: 'repeated', type: 'Any', id: 3 },
      },
    },
    ErrorInfo: {
      fields: {
        reason: { type: 'string', id: 1 },
        domain: { type: 'string', id: 2 },
        metadata: textMap(3),
      },
    },
    BadRequest: {
      fields: { field_violations: { rule: 'repeated', type: 'FieldViolation', id: 1 } },
      nested: {
        FieldViolation: {
          fields: { field: { type: 'string', id: 1 }, description: { type: 'string', id: 2 } },
        },
      },
    },
    RetryInfo: { fields: { retry_delay: { type: 'Duration', id: 1 } } },
    Duration: { fields: { seconds: { type: 'int64', id: 1 }, nanos: { type: 'int32', id: 2 } } },
    RequestInfo: { fields: { request_id: { type: 'string', id: 1 } } },
  },
});

function encode(type: string, message: object): Uint8Array {
  const { [type]: known } = rpc.nested as Record<string, protobuf.Type>;
  return known!.encode(known!.fromObject(message)).finish();
}

function detail(type: string, message: object): object {
  return { type_url: `type.googleapis.com/google.rpc.${type}`, value: encode(type, message) };
}

export function statusOf(problem: Problem, requestId: string): CallStatus {
  const { code: reason, detail: message, more } = problem;
  const code = byCode[reason] ?? byHttpStatus[problem.status] ?? codes.INTERNAL;
  const retryAfterS = more.retryAfterS === undefined ? null : Math.max(1, Math.ceil(more.retryAfterS));
  const members = Object.entries(more.members ?? {}).flatMap(([name, member]) =>
    member === null ? [] : [[name, String(member)] as const],
  );
  const details = [
    detail('ErrorInfo', { reason, domain: DOMAIN, metadata: Object.fromEntries(members) }),
    ...(more.errors ? [detail('BadRequest', { field_violations: more.errors.map(violationOf) })] : []),
    ...(retryAfterS === null ? [] : [detail('RetryInfo', { retry_delay: { seconds: retryAfterS } })]),
    detail('RequestInfo', { request_id: requestId }),
  ];
  const metadata = new Metadata();
  const status = encode('Status', { code, message, details });
  metadata.set('grpc-status-details-bin', Buffer.from(status));
  if (retryAfterS !== null) metadata.set('retry-after', String(retryAfterS));
  return { code, details: message, metadata };
}

/** A JSON pointer as a path of field names: `/recipient/tokens/stripe` is `recipient.tokens.stripe`. */
function violationOf({ pointer, message }: { pointer: string; message: string }): object {
  const steps = pointer
    .split('/')
    .slice(pointer.startsWith('/') ? 1 : 0)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
  return { field: steps.join('.').replace(/^created\[(gte|lte)\]$/, 'created_$1'), description: message };
}
