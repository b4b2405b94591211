import { Injectable, Module, type NestModule, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { type FastifyInstance } from 'fastify';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { Config } from '../config/config.js';
import { Problem } from '../core/problem.js';
import { Drain, type Drained } from './drain.js';
import { serverOptions } from './fastify-adapter.js';
import { HttpModule } from './http.module.js';
import { ApiLimits } from './limits.js';

const OF_OPERATORS = /^\/ops(?:\/|$)/;
const OF_EVERY_LISTENER = /^\/health\//;

/**
 * The listener of the console, where PAYONCE_OPS_PORT names its port. The listener of the API then answers paths of the
 * console with 404, and this one the paths of the API. The same application answers on both.
 */
@Injectable()
export class OpsListener implements Drained {
  private server: Server | null = null;
  private readonly came = new WeakSet<IncomingMessage>();

  constructor(
    private readonly host: HttpAdapterHost,
    private readonly limits: ApiLimits,
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

  drain(): Promise<void> {
    const { server } = this;
    return new Promise((resolve) => (server ? server.close(() => resolve()) : resolve()));
  }

  cut(): void {
    this.server?.closeAllConnections();
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
