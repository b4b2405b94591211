import { Inject, Module, type NestModule } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { TypeOrmModule } from '@nestjs/typeorm';
import { type FastifyInstance } from 'fastify';
import { DatabaseModule } from '../database/database.module.js';
import { HttpModule } from '../http/http.module.js';
import { JobsModule } from '../jobs/jobs.module.js';
import { RequestStorageModule } from '../request-storage/request-storage.module.js';
import { Approval } from './approval.entity.js';
import { ApprovalsController } from './approvals.controller.js';
import { Approvals } from './approvals.js';
import { ConsoleAccess } from './console-access.js';
import { ConsoleDeadLettersController } from './console-dead-letters.controller.js';
import { ConsoleReader } from './console-reader.js';
import { ConsoleSiteController, securityHeaders } from './console-site.controller.js';
import { ConsoleSite } from './console-site.js';
import { ConsoleController } from './console.controller.js';
import { OperationsController } from './operations.controller.js';
import { OperatorActions } from './operator-actions.js';
import { OperatorActs } from './operator-acts.js';
import { Operator, OperatorSession, SignInLink } from './operator.entity.js';
import { OperatorSessions } from './operator-sessions.js';
import { Operators } from './operators.js';
import { PaymentPages } from './payment-page.js';
import { SessionController } from './session.controller.js';

/** The console at /ops: its pages, who signs in, and what it reads and does. */
@Module({
  imports: [
    HttpModule,
    DatabaseModule,
    JobsModule,
    RequestStorageModule,
    TypeOrmModule.forFeature([Operator, OperatorSession, SignInLink, Approval]),
  ],
  controllers: [
    SessionController,
    ConsoleController,
    OperationsController,
    ApprovalsController,
    ConsoleDeadLettersController,
    ConsoleSiteController,
  ],
  providers: [
    ConsoleSite,
    ConsoleAccess,
    ConsoleReader,
    PaymentPages,
    Approvals,
    OperatorActions,
    OperatorActs,
    OperatorSessions,
    Operators,
  ],
  exports: [Operators],
})
export class ConsoleModule implements NestModule {
  constructor(
    @Inject(HttpAdapterHost) private readonly host: HttpAdapterHost,
    @Inject(ConsoleAccess) private readonly access: ConsoleAccess,
  ) {}

  /** A hook, and not a guard of Nest: guards run once the body is read. */
  configure(): void {
    const fastify = this.host.httpAdapter.getInstance<FastifyInstance>();
    fastify.decorateRequest('operator', null);
    fastify.addHook('onRequest', async (request, reply) => {
      if (request.routeOptions.config.operatorRole === undefined) return;
      reply.headers(securityHeaders);
      await this.access.check(request);
    });
  }
}
