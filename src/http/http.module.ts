import { Module, type NestModule } from '@nestjs/common';
import { APP_FILTER, APP_PIPE, HttpAdapterHost } from '@nestjs/core';
import { type FastifyInstance } from 'fastify';
import { Drain } from './drain.js';
import { ProblemFilter } from './problem.filter.js';
import { RequestHooks } from './request-hooks.js';
import { RequestPipe } from './request.pipe.js';
import { RouteTable } from './route-table.js';

/** The parts that all controllers share: the hooks of each request, the validation pipe, problem documents and the shutdown. */
@Module({
  providers: [
    { provide: APP_FILTER, useClass: ProblemFilter },
    { provide: APP_PIPE, useClass: RequestPipe },
    RequestHooks,
    RouteTable,
    Drain,
  ],
  exports: [RequestHooks, Drain],
})
export class HttpModule implements NestModule {
  constructor(
    private readonly host: HttpAdapterHost,
    private readonly routes: RouteTable,
    private readonly hooks: RequestHooks,
  ) {}

  /** Nest calls it before it registers routes, which is when the hooks have to be there. */
  configure(): void {
    const fastify = this.host.httpAdapter.getInstance<FastifyInstance>();
    this.routes.watch(fastify);
    this.hooks.install(fastify);
  }
}
