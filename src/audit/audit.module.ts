import { Module, type NestModule } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { type FastifyInstance, type onSendAsyncHookHandler } from 'fastify';
import { Pool } from 'pg';
import { DatabaseModule } from '../database/database.module.js';
import { OperatorsModule } from '../operators/operators.module.js';
import { AuditChain } from './audit-chain.js';
import { AuditController } from './audit.controller.js';
import { RequestAudit } from './request-audit.js';

/** The audit of what people did: a chain of hashes, which the database keeps. */
@Module({
  imports: [DatabaseModule, OperatorsModule],
  controllers: [AuditController],
  providers: [
    { provide: AuditChain, inject: [Pool], useFactory: (pool: Pool) => new AuditChain(pool) },
    RequestAudit,
  ],
})
export class AuditModule implements NestModule {
  constructor(
    private readonly host: HttpAdapterHost,
    private readonly audit: RequestAudit,
  ) {}

  /** At the routes of operators alone: requests of merchants pass no hook of the console. */
  configure(): void {
    const fastify = this.host.httpAdapter.getInstance<FastifyInstance>();
    const record: onSendAsyncHookHandler = async (request, reply) => {
      await this.audit.record(request, reply);
    };
    fastify.addHook('onRoute', (route) => {
      if (route.config?.operatorRole) route.onSend = [route.onSend ?? [], record].flat();
    });
  }
}
