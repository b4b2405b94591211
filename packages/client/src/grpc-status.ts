import { type ServiceError, status as codes } from '@grpc/grpc-js';
import protobuf from 'protobufjs';

/** The details of google.rpc that the service sends, with the numbers that they have there. */
const { root } = protobuf.parse(
  `syntax = "proto3";
   message Any { string type_url = 1; bytes value = 2; }
   message Status { int32 code = 1; string message = 2; repeated Any details = 3; }
   message ErrorInfo { string reason = 1; string domain = 2; map<string, string> metadata = 3; }
   message FieldViolation { string field = 1; string description = 2; }
   message BadRequest { repeated FieldViolation field_violations = 1; }
   message RequestInfo { string request_id = 1; }`,
  { keepCase: true },
);

const httpStatuses: Readonly<Partial<Record<codes, number>>> = {
  [codes.INVALID_ARGUMENT]: 422,
  [codes.ALREADY_EXISTS]: 422,
  [codes.UNAUTHENTICATED]: 401,
  [codes.PERMISSION_DENIED]: 403,
  [codes.NOT_FOUND]: 404,
  [codes.ABORTED]: 409,
  [codes.FAILED_PRECONDITION]: 409,
  [codes.RESOURCE_EXHAUSTED]: 429,
  [codes.UNAVAILABLE]: 503,
};

interface Details {
  readonly ErrorInfo?: { readonly reason: string; readonly metadata?: Readonly<Record<string, string>> };
  readonly BadRequest?: {
    readonly field_violations?: readonly { readonly field?: string; readonly description?: string }[];
  };
  readonly RequestInfo?: { readonly request_id: string };
}

/** The problem document that REST would have answered. */
export function problemOfError({ code, details: detail, metadata }: ServiceError): {
  readonly status: number;
  readonly problem: object;
} {
  const status = httpStatuses[code] ?? 500;
  const {
    ErrorInfo: info,
    BadRequest: bad,
    RequestInfo: request,
  } = detailsIn(metadata.get('grpc-status-details-bin')[0]);
  const errors = bad?.field_violations?.map(({ field = '', description = '' }) => ({
    pointer: field === '' ? '' : `/${field.replaceAll('.', '/')}`,
    message: description,
  }));
  const problem = {
    title: '',
    status,
    detail,
    code: info?.reason,
    ...info?.metadata,
    ...(errors ? { errors } : {}),
    request_id: request?.request_id,
  };
  return { status, problem };
}

function detailsIn(bytes: string | Buffer | undefined): Details {
  if (bytes === undefined || typeof bytes === 'string') return {};
  const { details = [] } = decoded('Status', bytes) as {
    details?: readonly { readonly type_url: string; readonly value: Uint8Array }[];
  };
  const known = ['ErrorInfo', 'BadRequest', 'RequestInfo'];
  return Object.fromEntries(
    details.flatMap(({ type_url: url, value }) => {
      const type = url.replace('type.googleapis.com/google.rpc.', '');
      return known.includes(type) ? [[type, decoded(type, value)]] : [];
    }),
  );
}

function decoded(type: string, bytes: Uint8Array): object {
  const known = root.lookupType(type);
  return known.toObject(known.decode(bytes));
}
