import { type ChannelCredentials, Client, credentials, Metadata, type ServiceError } from '@grpc/grpc-js';
import protobuf from 'protobufjs';
import { messageOf, NotInTheProtos, restOf } from './grpc-messages.js';
import { protos } from './grpc-protos.js';
import { problemOfError } from './grpc-status.js';
import { type Fetch, type FetchInit, type FetchResponse } from './options.js';

export interface GrpcOptions {
  /** Host and port where the service serves gRPC: `payonce.internal:50051`. */
  readonly address: string;
  /** TLS, with a client certificate where the service asks for one. In clear by default. */
  readonly credentials?: ChannelCredentials;
}

/** The `fetch` of a client that calls by gRPC. */
export interface GrpcFetch extends Fetch {
  /** Ends the connection. */
  close(): void;
}

const types = protobuf.Root.fromJSON(protos as object);
types.resolveAll();

/** What each request of REST is called; a named group is a field of the message. */
const methods: readonly (readonly [request: RegExp, service: string, rpc: string])[] = [
  [/^POST .*\/v1\/payments$/, 'Payments', 'Create'],
  [/^GET .*\/v1\/payments$/, 'Payments', 'List'],
  [/^GET .*\/v1\/payments\/(?<id>[^/]+)$/, 'Payments', 'Get'],
  [/^GET .*\/v1\/payments\/(?<id>[^/]+)\/attempts$/, 'Payments', 'ListAttempts'],
  [/^GET .*\/v1\/payments\/(?<id>[^/]+)\/captures$/, 'Payments', 'ListCaptures'],
  [/^POST .*\/v1\/payments\/(?<id>[^/]+)\/capture$/, 'Payments', 'Capture'],
  [/^POST .*\/v1\/payments\/(?<id>[^/]+)\/complete$/, 'Payments', 'Complete'],
  [/^POST .*\/v1\/payments\/(?<id>[^/]+)\/cancel$/, 'Payments', 'Cancel'],
  [/^POST .*\/v1\/payments\/(?<payment_id>[^/]+)\/refunds$/, 'Refunds', 'Create'],
  [/^GET .*\/v1\/payments\/(?<payment_id>[^/]+)\/refunds$/, 'Refunds', 'List'],
  [/^GET .*\/v1\/disputes$/, 'Payments', 'ListDisputes'],
  [/^GET .*\/v1\/refunds$/, 'Refunds', 'ListAll'],
  [/^GET .*\/v1\/refunds\/(?<id>[^/]+)$/, 'Refunds', 'Get'],
  [/^GET .*\/v1\/orders$/, 'Orders', 'List'],
  [/^GET .*\/v1\/orders\/(?<reference>[^/]+)$/, 'Orders', 'Get'],
  [/^POST .*\/v1\/payouts$/, 'Payouts', 'Create'],
  [/^GET .*\/v1\/payouts$/, 'Payouts', 'List'],
  [/^GET .*\/v1\/payouts\/(?<id>[^/]+)$/, 'Payouts', 'Get'],
  [/^GET .*\/v1\/events$/, 'Events', 'List'],
  [/^GET .*\/v1\/events\/(?<id>[^/]+)$/, 'Events', 'Get'],
  [/^GET .*\/v1\/events\/(?<id>[^/]+)\/deliveries$/, 'Events', 'ListDeliveries'],
  [/^POST .*\/v1\/events\/(?<id>[^/]+)\/replay$/, 'Events', 'Replay'],
  [/^POST .*\/v1\/recipients$/, 'Recipients', 'Register'],
  [/^GET .*\/v1\/recipients$/, 'Recipients', 'List'],
  [/^GET .*\/v1\/recipients\/(?<id>[^/]+)$/, 'Recipients', 'Get'],
  [/^POST .*\/v1\/recipients\/(?<id>[^/]+)\/remove$/, 'Recipients', 'Remove'],
  [/^POST .*\/v1\/webhook_endpoints$/, 'WebhookEndpoints', 'Create'],
  [/^GET .*\/v1\/webhook_endpoints$/, 'WebhookEndpoints', 'List'],
  [/^GET .*\/v1\/webhook_endpoints\/(?<id>[^/]+)$/, 'WebhookEndpoints', 'Get'],
  [/^POST .*\/v1\/webhook_endpoints\/(?<id>[^/]+)\/rotate_secret$/, 'WebhookEndpoints', 'RotateSecret'],
  [/^POST .*\/v1\/webhook_endpoints\/(?<id>[^/]+)\/enable$/, 'WebhookEndpoints', 'Enable'],
  [/^POST .*\/v1\/webhook_endpoints\/(?<id>[^/]+)\/disable$/, 'WebhookEndpoints', 'Disable'],
  [/^POST .*\/v1\/webhook_endpoints\/(?<id>[^/]+)\/ping$/, 'WebhookEndpoints', 'Ping'],
  [/^POST .*\/v1\/webhook_endpoints\/(?<id>[^/]+)\/replay$/, 'WebhookEndpoints', 'Replay'],
];

/** Headers that a call carries as metadata. */
const carried = ['authorization', 'idempotency-key', 'prefer'];
const underWay: ReadonlySet<unknown> = new Set(['processing', 'requires_action', 'pending']);

/**
 * Calls by gRPC instead of REST. Give it to a `PayonceClient` as `fetch`: keys, tries, types and errors are what
 * they are by REST, and `baseUrl` is of no importance.
 */
export function grpcFetch({
  address,
  credentials: channel = credentials.createInsecure(),
}: GrpcOptions): GrpcFetch {
  const client = new Client(address, channel);
  const fetch = async (url: string, init: FetchInit): Promise<FetchResponse> => {
    const [service, rpc, fields] = rpcOf(url, init);
    const [requestType, responseType] = [`${service}${rpc}Request`, `${service}${rpc}Response`].map((name) =>
      types.lookupType(`payonce.v1.${name}`),
    ) as [protobuf.Type, protobuf.Type];
    let message: protobuf.Message;
    try {
      message = requestType.fromObject(messageOf(requestType, fields));
    } catch (error) {
      if (!(error instanceof NotInTheProtos)) throw error;
      return responseOf(422, error.problem(), new Metadata());
    }
    const came = await unary(client, `/payonce.v1.${service}/${rpc}`, init, {
      message: requestType.encode(message).finish(),
      decode: (bytes) => restOf(responseType, responseType.decode(bytes)),
    });
    if (came.error) {
      const { status: httpStatus, problem } = problemOfError(came.error);
      return responseOf(httpStatus, problem, came.error.metadata);
    }
    return answerOf(init.method, rpc, came.response, came.metadata);
  };
  return Object.assign(fetch, { close: () => client.close() });
}

function rpcOf(url: string, { method, body }: FetchInit): [string, string, Record<string, unknown>] {
  const { pathname, searchParams } = new URL(url);
  for (const [request, service, rpc] of methods) {
    const found = request.exec(`${method} ${pathname}`);
    if (!found) continue;
    const ids = Object.entries(found.groups ?? {}).map(([name, id]) => [name, decodeURIComponent(id)]);
    const sent = body === undefined ? {} : (JSON.parse(body) as object);
    return [service, rpc, { ...sent, ...queryOf(searchParams), ...Object.fromEntries(ids) }];
  }
  throw new TypeError(`gRPC has nothing for ${method} ${pathname}`);
}

/** Bounds are `created_gte` here and `created[gte]` there, and pairs of metadata a map. */
function queryOf(parameters: URLSearchParams): Record<string, unknown> {
  const metadata: [string, string][] = [];
  const query = [...parameters].flatMap(([name, value]) => {
    const [, pair] = /^metadata\[(.*)\]$/s.exec(name) ?? [];
    if (pair !== undefined) {
      metadata.push([pair, value]);
      return [];
    }
    const field = name.replace(/^(\w+)\[(gte|lte)\]$/, '$1_$2');
    return [[field, /^(limit|amount_)/.test(field) ? Number(value) : value]];
  });
  return {
    ...Object.fromEntries(query),
    ...(metadata.length > 0 ? { metadata: Object.fromEntries(metadata) } : {}),
  };
}

interface Sent {
  readonly message: Uint8Array;
  readonly decode: (bytes: Uint8Array) => Record<string, unknown>;
}

type Came =
  | { readonly error: ServiceError }
  | { readonly error: null; readonly response: Record<string, unknown>; readonly metadata: Metadata };

/** Rejects where there is no answer of the service, as a fetch does. */
function unary(
  client: Client,
  path: string,
  { headers, signal }: FetchInit,
  { message, decode }: Sent,
): Promise<Came> {
  const metadata = new Metadata();
  for (const [name, value] of Object.entries(headers)) {
    if (carried.includes(name.toLowerCase())) metadata.set(name, value);
  }
  return new Promise((resolve, reject) => {
    let received = new Metadata();
    const call = client.makeUnaryRequest(
      path,
      (bytes: Uint8Array) => bytes as Buffer,
      decode,
      message,
      metadata,
      {},
      (error, response) => {
        signal.removeEventListener('abort', cancel);
        if (!error) resolve({ error, response: response!, metadata: received });
        else if (error.metadata.get('grpc-status-details-bin').length > 0) resolve({ error });
        else reject(error);
      },
    );
    const cancel = () => call.cancel();
    signal.addEventListener('abort', cancel, { once: true });
    call.on('metadata', (metadata: Metadata) => (received = metadata));
  });
}

/** A message has one object in it, or is a page. */
function answerOf(
  method: string,
  rpc: string,
  response: Record<string, unknown>,
  metadata: Metadata,
): FetchResponse {
  if ('data' in response)
    return responseOf(200, { has_more: false, next_cursor: null, ...response }, metadata);
  if (rpc === 'Replay') return responseOf(202, { object: 'replay', ...response }, metadata);
  const [object] = Object.values(response) as [{ readonly status?: unknown }];
  const isUnderWay = method === 'POST' && underWay.has(object.status);
  return responseOf(isUnderWay ? 202 : rpc === 'Create' ? 201 : 200, object, metadata);
}

function responseOf(httpStatus: number, body: object, metadata: Metadata): FetchResponse {
  return {
    status: httpStatus,
    headers: { get: (name) => metadata.get(name)[0]?.toString() ?? null },
    text: () => Promise.resolve(JSON.stringify(body)),
  };
}
