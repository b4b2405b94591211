import { type INestApplication } from '@nestjs/common';
import { MetadataScanner, ModulesContainer } from '@nestjs/core';
import { ServerGrpc } from '@nestjs/microservices';
import { type ChannelOptions, Server, type ServerCredentials } from '@grpc/grpc-js';
import { loadSync, type PackageDefinition } from '@grpc/proto-loader';
import { ReflectionService } from '@grpc/reflection';
import { protoPath as healthProto } from 'grpc-health-check';
import { Reader } from 'protobufjs';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Registry } from 'prom-client';
import { Config } from '../config/config.js';
import { LOGGER } from '../config/config.module.js';
import { Clock } from '../core/clock.js';
import { Ids } from '../core/ids.js';
import { projectRoot } from '../core/project-root.js';
import { type Access } from '../http/access.js';
import { Admission } from '../http/admission.js';
import { Drain } from '../http/drain.js';
import { ApiLimits } from '../http/limits.js';
import { Readiness } from '../database/readiness.js';
import { callHooks } from './call-hooks.js';
import { type Rpc, RPC } from './grpc.decorators.js';
import { Health } from './health.js';
import { clientCertificatesOf, credentialsOf } from './tls.js';

const PACKAGE = 'payonce.v1';

/** Field 1, with a length. */
const FILE = (1 << 3) | 2;

/** Calls that one connection may have under way; more wait at the client. */
const MAX_STREAMS = 256;
const KEEPALIVE_MS = 60_000;
const KEEPALIVE_TIMEOUT_MS = 20_000;
/** A connection without a call; clients open another one by themselves. */
const MAX_IDLE_MS = 300_000;

interface ServerSettings {
  readonly url: string;
  readonly credentials: ServerCredentials;
  readonly channel: ChannelOptions;
  readonly interceptors: readonly ReturnType<typeof callHooks>[];
  readonly definition: PackageDefinition;
  readonly health: Health;
}

/** Nest's transport of gRPC, which says which port it listens on, and ends once it is drained. */
class GrpcTransport extends ServerGrpc {
  port = 0;
  private server: Server | null = null;

  constructor(private readonly settings: ServerSettings) {
    const { definition, url } = settings;
    super({ package: PACKAGE, packageDefinition: definition, url });
  }

  override async createClient(): Promise<Server> {
    const { url, credentials, channel, interceptors, health } = this.settings;
    const server = new Server({ ...channel, interceptors: [...interceptors] });
    reflection().addToServer(server);
    health.addTo(server);
    this.port = await new Promise<number>((resolve, reject) => {
      server.bindAsync(url, credentials, (error, port) => (error ? reject(error) : resolve(port)));
    });
    this.server = server;
    return server;
  }

  /** Calls in flight end first. */
  override async close(): Promise<void> {
    const { server } = this;
    this.server = null;
    await new Promise<void>((resolve) => (server ? server.tryShutdown(() => resolve()) : resolve()));
  }

  cut(): void {
    this.server?.forceShutdown();
  }
}

/** Serves gRPC beside HTTP, in the same application. @returns where */
export async function startGrpc(app: INestApplication, port: number): Promise<string> {
  const config = app.get(Config);
  const { bodyBytes, headerBytes, requestTimeoutMs } = app.get(ApiLimits);
  const access = accessIn(app);
  const clock = app.get(Clock);
  const health = new Health(servicesOf(access), app.get(Readiness), clock);
  const transport = new GrpcTransport({
    url: `${config.host.includes(':') ? `[${config.host}]` : config.host}:${port}`,
    credentials: credentialsOf(config),
    channel: {
      'grpc.max_receive_message_length': bodyBytes,
      'grpc.max_metadata_size': headerBytes,
      'grpc.max_concurrent_streams': MAX_STREAMS,
      'grpc.keepalive_time_ms': KEEPALIVE_MS,
      'grpc.keepalive_timeout_ms': KEEPALIVE_TIMEOUT_MS,
      'grpc.max_connection_idle_ms': MAX_IDLE_MS,
    },
    interceptors: [
      callHooks({
        admission: app.get(Admission, { strict: false }),
        clock,
        access,
        requestTimeoutMs,
        certificates: clientCertificatesOf(config),
        ids: app.get(Ids),
        logger: app.get(LOGGER),
        metrics: app.get(Registry),
      }),
    ],
    definition: protos(),
    health,
  });
  app.connectMicroservice({ strategy: transport });
  app.get(Drain).add({
    // Nest ends its calls with the transport.
    drain: async () => health.end(),
    cut: () => transport.cut(),
  });
  await health.start();
  await app.startAllMicroservices();
  return `${config.host}:${transport.port}`;
}

/** Fields that were not sent are absent, as in JSON; an int64 is a text, because a number is not exact. */
function protos(): PackageDefinition {
  const folder = join(projectRoot(), 'proto');
  const files = readdirSync(join(folder, 'payonce/v1')).map((file) => `payonce/v1/${file}`);
  const options = { keepCase: true, longs: String, enums: String, includeDirs: [folder] };
  return loadSync([...files, healthProto], options);
}

/**
 * Describes the service to clients without its protos: by the descriptors that buf made of them (`npm run client:types`),
 * because those that proto-loader makes have no imports and no map entries, and strict clients refuse them.
 */
function reflection(): ReflectionService {
  // A FileDescriptorSet is its files, one after the other, each behind its tag.
  const set = Reader.create(readFileSync(join(projectRoot(), 'proto/payonce.binpb')));
  const fileDescriptorProtos: Buffer[] = [];
  while (set.pos < set.len && set.uint32() === FILE) fileDescriptorProtos.push(Buffer.from(set.bytes()));
  const described = { format: '', type: {}, fileDescriptorProtos } as unknown as PackageDefinition[string];
  return new ReflectionService({ payonce: described });
}

/** The access that each method of the controllers requires. */
function accessIn(app: INestApplication): Map<string, Access> {
  const scanner = new MetadataScanner();
  const controllers = [...app.get(ModulesContainer).values()].flatMap((module) => [
    ...module.controllers.values(),
  ]);
  return new Map(
    controllers.flatMap(({ metatype }) => {
      const prototype = (metatype as { readonly prototype: object }).prototype;
      return scanner.getAllMethodNames(prototype).flatMap((name): [string, Access][] => {
        const handler = (prototype as Readonly<Record<string, object>>)[name]!;
        const rpc = Reflect.getMetadata(RPC, handler) as Rpc | undefined;
        return rpc ? [[rpc.path, rpc.access]] : [];
      });
    }),
  );
}

function servicesOf(access: ReadonlyMap<string, Access>): string[] {
  return [...new Set([...access.keys()].map((path) => path.split('/')[1]!))];
}
