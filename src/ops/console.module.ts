import { Inject, Module, type NestModule } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { TypeOrmModule } from '@nestjs/typeorm';
import { type FastifyInstance } from 'fastify';
import { Pool } from 'pg';
import { type Logger } from 'pino';
import { LOGGER } from '../config/config.module.js';
import { Config } from '../config/config.js';
import { Clock } from '../core/clock.js';
import { Encryption } from '../core/encryption.js';
import { DatabaseModule } from '../database/database.module.js';
import { HttpModule } from '../http/http.module.js';
import { IdempotencyModule } from '../idempotency/idempotency.module.js';
import { PayoutsModule } from '../payouts/payouts.module.js';
import { PaymentsModule } from '../payments/payments.module.js';
import { RefundsModule } from '../refunds/refunds.module.js';
import { MerchantsModule } from '../merchants/merchants.module.js';
import { JobsModule } from '../jobs/jobs.module.js';
import { LedgerModule } from '../ledger/ledger.module.js';
import { ReconciliationModule } from '../reconciliation/reconciliation.module.js';
import { PspAccountsModule } from '../psp-accounts/psp-accounts.module.js';
import { PspModule } from '../psp/psp.module.js';
import { RequestStorageModule } from '../request-storage/request-storage.module.js';
import { Activity } from './activity.js';
import { Approval } from './approval.entity.js';
import { ApprovalsController } from './approvals.controller.js';
import { Approvals } from './approvals.js';
import { BooksController } from './books.controller.js';
import { BreakPages } from './break-page.js';
import { AuditChain } from './audit-chain.js';
import { AuditController } from './audit.controller.js';
import { ConsoleAccess } from './console-access.js';
import { ConsoleRecipientsController } from './console-recipients.controller.js';
import { ConsoleMerchantsController } from './console-merchants.controller.js';
import { ConsoleDeadLettersController } from './console-dead-letters.controller.js';
import { ConsoleReader } from './console-reader.js';
import { ConsoleSiteController, securityHeaders } from './console-site.controller.js';
import { ConsoleSite } from './console-site.js';
import { ConsoleController } from './console.controller.js';
import { InstallationController } from './installation.controller.js';
import { InstallationReader } from './installation-reader.js';
import { OperationsController } from './operations.controller.js';
import { OperatorActions } from './operator-actions.js';
import { OperatorActs } from './operator-acts.js';
import { EvidenceController } from './evidence.controller.js';
import { EvidenceFiles } from './evidence-files.js';
import { PaymentActs } from './payment-acts.js';
import { SettingActs } from './setting-acts.js';
import { Snoozes } from './snoozes.js';
import { EvidenceFile } from './evidence-file.entity.js';
import { OperationSnooze } from './operation-snooze.entity.js';
import { Operator, OperatorSession, SignInLink } from './operator.entity.js';
import { OperatorSessions } from './operator-sessions.js';
import { Operators } from './operators.js';
import { PaymentPages } from './payment-page.js';
import { PayoutPages } from './payout-page.js';
import { PspAccountsController } from './psp-accounts.controller.js';
import { PspAccounts } from './psp-accounts.js';
import { RequestAudit } from './request-audit.js';
import { readOidcFile } from './oidc-settings.js';
import { SingleSignOnController } from './single-sign-on.controller.js';
import { SingleSignOn } from './single-sign-on.js';
import { SessionController } from './session.controller.js';

/** The console at /ops: its pages, who signs in, and what it reads and does. */
@Module({
  imports: [
    HttpModule,
    DatabaseModule,
    MerchantsModule,
    JobsModule,
    LedgerModule,
    ReconciliationModule,
    IdempotencyModule,
    PaymentsModule,
    RefundsModule,
    PayoutsModule,
    PspModule,
    PspAccountsModule,
    RequestStorageModule,
    TypeOrmModule.forFeature([
      Operator,
      OperatorSession,
      SignInLink,
      Approval,
      EvidenceFile,
      OperationSnooze,
    ]),
  ],
  controllers: [
    SessionController,
    SingleSignOnController,
    ConsoleController,
    OperationsController,
    ApprovalsController,
    BooksController,
    PspAccountsController,
    InstallationController,
    ConsoleMerchantsController,
    ConsoleRecipientsController,
    AuditController,
    EvidenceController,
    ConsoleDeadLettersController,
    ConsoleSiteController,
  ],
  providers: [
    ConsoleSite,
    ConsoleAccess,
    ConsoleReader,
    PaymentPages,
    Activity,
    BreakPages,
    PayoutPages,
    PspAccounts,
    InstallationReader,
    Approvals,
    { provide: AuditChain, inject: [Pool], useFactory: (pool: Pool) => new AuditChain(pool) },
    RequestAudit,
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
    EvidenceFiles,
    Snoozes,
    PaymentActs,
    OperatorActions,
    SettingActs,
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
    @Inject(RequestAudit) private readonly audit: RequestAudit,
  ) {}

  /** A hook, and not a guard of Nest: guards run once the body is read. */
  configure(): void {
    const fastify = this.host.httpAdapter.getInstance<FastifyInstance>();
    fastify.decorateRequest('operator', null);
    fastify.addHook('onRequest', async (request, reply) => {
      if (request.routeOptions.config.operatorRole === undefined) return;
      reply.headers(securityHeaders);
      await this.access.check(request, reply);
    });
    fastify.addHook('preValidation', async (request) => this.access.admitSignIn(request));
    fastify.addHook('onSend', async (request, reply) => {
      await this.audit.record(request, reply);
    });
  }
}
