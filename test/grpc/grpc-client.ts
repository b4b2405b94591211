import {
  type ChannelCredentials,
  Client,
  credentials,
  type Deadline,
  loadPackageDefinition,
  Metadata,
  type ServiceError,
  status as codes,
} from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import protobuf from 'protobufjs';
import { readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** A client that is made from the protos alone: it has no code of the project. */

const folder = resolve(__dirname, '../../proto');
const files = readdirSync(join(folder, 'payonce/v1')).map((name) => join('payonce/v1', name));
const definition = loadSync(files, {
  keepCase: true,
  longs: Number,
  enums: String,
  oneofs: false,
  includeDirs: [folder],
});
const { payonce } = loadPackageDefinition(definition) as unknown as {
  payonce: { v1: Readonly<Record<string, new (address: string, credentials: ChannelCredentials) => Client>> };
};

export type Message = Readonly<Record<string, unknown>>;

export interface Ended {
  readonly code: string;
  /** Empty where the call failed. */
  readonly response: Message;
  readonly error: ServiceError | null;
  readonly headers: Metadata;
  readonly trailers: Metadata;
}

export interface CallOptions {
  readonly key?: string;
  readonly metadata?: Readonly<Record<string, string>>;
  readonly deadlineMs?: number;
}

export class GrpcClient {
  private readonly clients = new Map<string, Client>();

  constructor(
    private readonly address: string,
    private readonly apiKey: string | null,
    private readonly channel: ChannelCredentials = credentials.createInsecure(),
  ) {}

  /** Never rejects. */
  call(method: string, request: Message, options: CallOptions = {}): Promise<Ended> {
    const [service, name] = method.split('.') as [string, string];
    return new Promise((done) => {
      let headers = new Metadata();
      let trailers = new Metadata();
      let ended: Pick<Ended, 'response' | 'error'> | null = null;
      let status: codes | null = null;
      const finish = () => {
        if (ended && status !== null) done({ ...ended, code: codes[status], headers, trailers });
      };
      const unary = this.methodOf(service, name) as UnaryMethod;
      unary(request, this.metadata(options), deadlineOf(options), (error, response) => {
        ended = { error, response: response ?? {} };
        finish();
      })
        .on('metadata', (metadata: Metadata) => (headers = metadata))
        .on('status', (told: { code: codes; metadata: Metadata }) => {
          ({ code: status, metadata: trailers } = told);
          finish();
        });
    });
  }

  /** All that a stream says, and how it ended. */
  async watch(method: string, request: Message, options: CallOptions = {}) {
    const [service, name] = method.split('.') as [string, string];
    const stream = this.methodOf(service, name) as StreamMethod;
    const messages: Message[] = [];
    const call = stream(request, this.metadata(options), deadlineOf(options));
    const ended = new Promise<string>((done) => {
      call
        .on('data', (message: Message) => messages.push(message))
        .on('error', () => undefined)
        .on('status', ({ code }: { code: codes }) => done(codes[code]));
    });
    return { messages, ended, cancel: () => call.cancel() };
  }

  /** A call with bytes that are no message. */
  async callWithBytes(path: string, bytes: Buffer): Promise<string> {
    const client = this.clientOf('Payments');
    return new Promise((done) => {
      client.makeUnaryRequest(
        path,
        (raw: Buffer) => raw,
        (raw: Buffer) => raw,
        bytes,
        this.metadata({}),
        (error) => done(codes[error?.code ?? codes.OK]),
      );
    });
  }

  close(): void {
    for (const client of this.clients.values()) client.close();
  }

  private methodOf(service: string, name: string): unknown {
    const client = this.clientOf(service) as unknown as Readonly<Record<string, () => unknown>>;
    return client[name]!.bind(client);
  }

  private clientOf(service: string): Client {
    const known = this.clients.get(service);
    if (known) return known;
    const client = new payonce.v1[service]!(this.address, this.channel);
    this.clients.set(service, client);
    return client;
  }

  private metadata({ key, metadata: more = {} }: CallOptions): Metadata {
    const metadata = new Metadata();
    if (this.apiKey !== null) metadata.set('authorization', `Bearer ${this.apiKey}`);
    if (key !== undefined) metadata.set('idempotency-key', key);
    for (const [name, value] of Object.entries(more)) metadata.set(name, value);
    return metadata;
  }
}

interface CallEvents {
  on(event: string, listener: (told: never) => void): this;
}

type UnaryMethod = (
  request: Message,
  metadata: Metadata,
  options: { deadline?: Deadline },
  callback: (error: ServiceError | null, response?: Message) => void,
) => CallEvents;

type StreamMethod = (
  request: Message,
  metadata: Metadata,
  options: { deadline?: Deadline },
) => CallEvents & { cancel(): void };

function deadlineOf({ deadlineMs }: CallOptions): { deadline?: Deadline } {
  return deadlineMs === undefined ? {} : { deadline: Date.now() + deadlineMs };
}

/** As https://google.aip.dev/193 has them; read with messages of our own, which know the numbers alone. */
const { root: rpc } = protobuf.parse(
  `
  syntax = "proto3";
  message Any { string type_url = 1; bytes value = 2; }
  message Status { int32 code = 1; string message = 2; repeated Any details = 3; }
  message ErrorInfo { string reason = 1; string domain = 2; map<string, string> metadata = 3; }
  message BadRequest {
    message FieldViolation { string field = 1; string description = 2; }
    repeated FieldViolation field_violations = 1;
  }
  message RetryInfo { Duration retry_delay = 1; }
  message Duration { int64 seconds = 1; int32 nanos = 2; }
  message RequestInfo { string request_id = 1; }
`,
  { keepCase: true },
);

function decoded(type: string, bytes: Uint8Array): Message {
  const known = rpc.lookupType(type);
  return known.toObject(known.decode(bytes), { longs: Number });
}

/** The details of a status, by type. */
export function detailsOf({ trailers }: Ended): Readonly<Record<string, Message>> {
  const [bytes] = trailers.get('grpc-status-details-bin');
  if (bytes === undefined) return {};
  const { details } = decoded('Status', bytes as Buffer) as {
    details: { type_url: string; value: Buffer }[];
  };
  return Object.fromEntries(
    details.map(({ type_url: url, value }) => {
      const type = url.replace('type.googleapis.com/google.rpc.', '');
      return [type, decoded(type, value)];
    }),
  );
}
