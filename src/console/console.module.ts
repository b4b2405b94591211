import { Module } from '@nestjs/common';
import { ApprovalsModule } from '../approvals/approvals.module.js';
import { AuditModule } from '../audit/audit.module.js';
import { DatabaseModule } from '../database/database.module.js';
import { EventsModule } from '../events/events.module.js';
import { OperatorsModule } from '../operators/operators.module.js';
import { PayoutsModule } from '../payouts/payouts.module.js';
import { PaymentsModule } from '../payments/payments.module.js';
import { MerchantsModule } from '../merchants/merchants.module.js';
import { ReconciliationModule } from '../reconciliation/reconciliation.module.js';
import { PspAccountsModule } from '../psp-accounts/psp-accounts.module.js';
import { PspModule } from '../psp/psp.module.js';
import { RequestStorageModule } from '../request-storage/request-storage.module.js';
import { Activity } from './activity.js';
import { BreakPages } from './break-page.js';
import { ConsoleOperatorsController } from './console-operators.controller.js';
import { ConsoleRecipientsController } from './console-recipients.controller.js';
import { ConsoleEndpointsController } from './console-endpoints.controller.js';
import { ConsoleMerchantsController } from './console-merchants.controller.js';
import { ConsoleReader } from './console-reader.js';
import { ConsoleSiteController } from './console-site.controller.js';
import { ConsoleSite } from './console-site.js';
import { ConsoleController } from './console.controller.js';
import { HealthPage } from './health-page.js';
import { InstallationController } from './installation.controller.js';
import { InstallationReader } from './installation-reader.js';
import { ListFilesController } from './list-files.controller.js';
import { MonthEnd } from './month-end.js';
import { MonthEndController } from './month-end.controller.js';
import { OpenOperations } from './open-operations.js';
import { OrderPages } from './order-page.js';
import { PaymentPages } from './payment-page.js';
import { PayoutPages } from './payout-page.js';
import { PspAccountsController } from './psp-accounts.controller.js';
import { PspAccounts } from './psp-accounts.js';

/** The console at /ops: its pages, and what they read and do. */
@Module({
  imports: [
    OperatorsModule,
    AuditModule,
    ApprovalsModule,
    DatabaseModule,
    EventsModule,
    MerchantsModule,
    ReconciliationModule,
    PaymentsModule,
    PayoutsModule,
    PspModule,
    PspAccountsModule,
    RequestStorageModule,
  ],
  controllers: [
    // Before those whose paths take any id.
    ListFilesController,
    MonthEndController,
    ConsoleController,
    PspAccountsController,
    InstallationController,
    ConsoleMerchantsController,
    ConsoleEndpointsController,
    ConsoleRecipientsController,
    ConsoleOperatorsController,
    ConsoleSiteController,
  ],
  providers: [
    ConsoleSite,
    ConsoleReader,
    OpenOperations,
    HealthPage,
    PaymentPages,
    OrderPages,
    Activity,
    BreakPages,
    PayoutPages,
    PspAccounts,
    InstallationReader,
    MonthEnd,
  ],
})
export class ConsoleModule {}
