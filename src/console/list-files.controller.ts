import { Controller, Get, Query, type StreamableFile } from '@nestjs/common';
import { Encryption } from '../core/encryption.js';
import { ForRole } from '../operators/console-access.js';
import { listFile } from '../ops/list-file.js';
import { hashesOfCustomer } from '../payments/customer-of-payment.js';
import { ConsoleReader } from './console-reader.js';
import { ListDeliveriesDto, ListDisputesDto, ListInboxDto, ListPayoutsDto } from './dto/installation.dto.js';
import { OpenOperationsDto, SearchPaymentsDto } from './dto/search-payments.dto.js';
import { InstallationReader } from './installation-reader.js';
import { OpenOperations } from './open-operations.js';

const ROWS_AT_ONCE = 5_000;

/** /ops/api: the lists of the console as CSV files, narrowed as on their pages. */
@Controller('ops/api')
export class ListFilesController {
  constructor(
    private readonly reader: ConsoleReader,
    private readonly open: OpenOperations,
    private readonly installation: InstallationReader,
    private readonly seal: Encryption,
  ) {}

  @Get('payments.csv')
  @ForRole('viewer')
  payments(@Query() query: SearchPaymentsDto): StreamableFile {
    const { order, ...narrowed } = query.filter((name) => hashesOfCustomer(this.seal, name));
    // A file has all of them, which the list by amount has not.
    const filter = { ...narrowed, order: order === 'largest' ? 'newest' : order } as const;
    return listFile('payments.csv', (cursor) => this.reader.payments(filter, cursor, ROWS_AT_ONCE));
  }

  @Get('operations/stuck.csv')
  @ForRole('viewer')
  stuck(@Query() query: OpenOperationsDto): StreamableFile {
    return listFile('stuck.csv', (cursor) => this.open.list(query.filter('stuck'), cursor));
  }

  @Get('operations/snoozed.csv')
  @ForRole('viewer')
  snoozed(@Query() query: OpenOperationsDto): StreamableFile {
    return listFile('snoozed.csv', (cursor) => this.open.list(query.filter('snoozed'), cursor));
  }

  @Get('operations/open.csv')
  @ForRole('viewer')
  tried(@Query() query: OpenOperationsDto): StreamableFile {
    return listFile('open.csv', (cursor) => this.open.list(query.filter('open'), cursor));
  }

  @Get('orphans.csv')
  @ForRole('viewer')
  orphans(): StreamableFile {
    return listFile('orphan-effects.csv', async () => ({
      data: await this.reader.orphans(),
      next_cursor: null,
    }));
  }

  @Get('refunds.csv')
  @ForRole('viewer')
  refunds(): StreamableFile {
    return listFile('refunds.csv', (cursor) => this.installation.refunds(cursor));
  }

  @Get('customers.csv')
  @ForRole('viewer')
  customers(): StreamableFile {
    return listFile('customers.csv', (cursor) => this.installation.customers(cursor));
  }

  @Get('bank/batches.csv')
  @ForRole('viewer')
  bankBatches(): StreamableFile {
    return listFile('bank-batches.csv', () => this.installation.bankBatches());
  }

  @Get('bank/files.csv')
  @ForRole('viewer')
  bankFiles(): StreamableFile {
    return listFile('bank-files.csv', () => this.installation.bankFiles());
  }

  @Get('disputes.csv')
  @ForRole('viewer')
  disputes(@Query() { status }: ListDisputesDto): StreamableFile {
    return listFile('disputes.csv', (cursor) => this.installation.disputes(status ?? null, cursor));
  }

  @Get('payouts.csv')
  @ForRole('viewer')
  payouts(@Query() { q = '', status }: ListPayoutsDto): StreamableFile {
    const named = q.trim() === '' ? null : q;
    return listFile('payouts.csv', (cursor) => this.installation.payouts(named, status ?? null, cursor));
  }

  @Get('webhooks/deliveries.csv')
  @ForRole('viewer')
  deliveries(@Query() { list }: ListDeliveriesDto): StreamableFile {
    return listFile('deliveries.csv', (cursor) =>
      this.installation.deliveries(list === 'undelivered', cursor),
    );
  }

  @Get('webhooks/inbox.csv')
  @ForRole('viewer')
  inbox(@Query() { list = 'all' }: ListInboxDto): StreamableFile {
    return listFile('notifications.csv', (cursor) => this.installation.inbox(list, cursor));
  }

  @Get('merchants.csv')
  @ForRole('viewer')
  merchants(): StreamableFile {
    return listFile('merchants.csv', (cursor) => this.installation.merchants(cursor));
  }
}
