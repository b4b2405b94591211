import {
  Injectable,
  Module,
  type NestModule,
  type OnApplicationShutdown,
  type OnModuleInit,
} from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { type FastifyInstance } from 'fastify';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { Config } from '../config/config.js';
import { Clock } from '../core/clock.js';
import { Problem } from '../core/problem.js';
import { Drain, type Drained } from './drain.js';
import { serverOptions } from './fastify-adapter.js';
import { HttpModule } from './http.module.js';
import { ApiLimits } from './limits.js';

const OF_OPERATORS = /^\/ops(?:\/|$)/;
const OF_EVERY_LISTENER = /^\/health\//;

/**
 * The address of operators, where PAYONCE_OPS_PORT gives them one: whoever reaches the API of merchants then finds no
 * console there, and the other way about. The same application answers on both.
 */
@Injectable()
export class OpsListener implements Drained, OnApplicationShutdown {
  private server: Server | null = null;
  private closed: Promise<void> = Promise.resolve();
  private readonly came = new WeakSet<IncomingMessage>();

  constructor(
    private readonly host: HttpAdapterHost,
    private readonly limits: ApiLimits,
    private readonly clock: Clock,
  ) {}

  /** @throws Problem `not_found`, from the hook, where the path belongs to the other listener */
  install(fastify: FastifyInstance): void {
    fastify.addHook('onRequest', async ({ raw, routeOptions: { url = '' } }) => {
      if (OF_EVERY_LISTENER.test(url) || OF_OPERATORS.test(url) === this.came.has(raw)) return;
      throw new Problem('not_found', 'There is nothing at this path.');
    });
  }

  /** Once the application listens. @returns its URL */
  async listen(port: number, host: string): Promise<string> {
    const fastify = this.host.httpAdapter.getInstance<FastifyInstance>();
    const server = createServer(serverOptions(this.limits), (request, response) => {
      this.came.add(request);
      fastify.routing(request, response);
    });
    server.setTimeout(this.limits.connectionTimeoutMs);
    server.on('clientError', (...failure) => fastify.server.emit('clientError', ...failure));
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, host, resolve);
    });
    this.server = server;
    const { address, family, port: own } = server.address() as AddressInfo;
    return `http://${family === 'IPv6' ? `[${address}]` : address}:${own}`;
  }

  drain(): void {
    const { server } = this;
    if (server === null) return;
    const close = () => new Promise<void>((resolve) => server.close(() => resolve()));
    this.closed = this.clock.sleep(this.limits.drainDelayMs).then(close);
  }

  cut(): void {
    this.server?.closeAllConnections();
  }

  /** Requests in flight end before the database does. */
  async onApplicationShutdown(): Promise<void> {
    const ended = new AbortController();
    const late = this.clock.sleep(this.limits.graceMs, ended.signal).then(
      () => this.cut(),
      () => undefined,
    );
    await Promise.race([this.closed, late]);
    ended.abort();
  }
}

@Module({ imports: [HttpModule], providers: [OpsListener] })
export class OpsListenerModule implements NestModule, OnModuleInit {
  constructor(
    private readonly host: HttpAdapterHost,
    private readonly listener: OpsListener,
    private readonly drain: Drain,
    private readonly config: Config,
  ) {}

  configure(): void {
    if (this.config.opsPort === null) return;
    this.listener.install(this.host.httpAdapter.getInstance<FastifyInstance>());
  }

  onModuleInit(): void {
    this.drain.add(this.listener);
  }
}
