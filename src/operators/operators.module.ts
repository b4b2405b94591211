import { Module, type NestModule } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { TypeOrmModule } from '@nestjs/typeorm';
import { type FastifyInstance, type preValidationAsyncHookHandler } from 'fastify';
import { type Logger } from 'pino';
import { Config } from '../config/config.js';
import { LOGGER } from '../config/config.module.js';
import { Clock } from '../core/clock.js';
import { Encryption } from '../core/encryption.js';
import { DatabaseModule } from '../database/database.module.js';
import { HttpModule } from '../http/http.module.js';
import { ConsoleAccess } from './console-access.js';
import { readOidcFile } from './oidc-settings.js';
import { ActionLog } from './action-log.js';
import { Enrolments } from './enrolments.js';
import { OperatorSessions } from './operator-sessions.js';
import { Operator, OperatorSession, SignInLink } from './operator.entity.js';
import { Operators } from './operators.js';
import { SessionController } from './session.controller.js';
import { SingleSignOnController } from './single-sign-on.controller.js';
import { SingleSignOn } from './single-sign-on.js';

/** Operators of the console: their accounts, how they sign in, and what they may do. */
@Module({
  imports: [HttpModule, DatabaseModule, TypeOrmModule.forFeature([Operator, OperatorSession, SignInLink])],
  controllers: [SessionController, SingleSignOnController],
  providers: [
    ConsoleAccess,
    ActionLog,
    OperatorSessions,
    Operators,
    Enrolments,
    {
      provide: SingleSignOn,
      inject: [Config, OperatorSessions, Operators, Encryption, Clock, LOGGER],
      useFactory: (
        { oidcFile }: Config,
        sessions: OperatorSessions,
        operators: Operators,
        seal: Encryption,
        clock: Clock,
        logger: Logger,
      ) => {
        const settings = oidcFile === null ? null : readOidcFile(oidcFile, process.env);
        return new SingleSignOn(settings, sessions, operators, seal, clock, logger);
      },
    },
  ],
  exports: [ActionLog, OperatorSessions, Operators],
})
export class OperatorsModule implements NestModule {
  constructor(
    private readonly host: HttpAdapterHost,
    private readonly access: ConsoleAccess,
  ) {}

  /** A hook, and not a guard of Nest: guards run once the body is read. */
  configure(): void {
    const fastify = this.host.httpAdapter.getInstance<FastifyInstance>();
    fastify.decorateRequest('operator', null);
    fastify.addHook('onRequest', (request, reply) => this.access.check(request, reply));
    const admitSignIn: preValidationAsyncHookHandler = async (request) => this.access.admitSignIn(request);
    fastify.addHook('onRoute', (route) => {
      if (route.config?.operatorRole === null) {
        route.preValidation = [route.preValidation ?? [], admitSignIn].flat();
      }
    });
  }
}
