import { Controller, Get, Query, Res } from '@nestjs/common';
import { stringify } from 'csv-stringify';
import { type FastifyReply } from 'fastify';
import { pipeline, Readable } from 'node:stream';
import { NO_MERCHANT } from '../core/ids.js';
import { Encryption } from '../core/encryption.js';
import { AuditChain, exportedOf } from './audit-chain.js';
import { CurrentOperator, ForRole } from '../operators/console-access.js';
import { type AuditRow } from './audit.view.js';
import { type PageView } from '../core/page.view.js';
import { AuditCursorDto } from './dto/audit.dto.js';
import { ActionLog } from '../operators/action-log.js';
import { type SignedIn } from '../operators/operator-sessions.js';

/** /ops/api/audit: what people did, here and at the command line. */
@Controller('ops/api/audit')
export class AuditController {
  constructor(
    private readonly chain: AuditChain,
    private readonly acts: ActionLog,
    private readonly seal: Encryption,
  ) {}

  @Get()
  @ForRole('viewer')
  list(@Query() { cursor }: AuditCursorDto): Promise<PageView<AuditRow>> {
    return this.chain.page(cursor ?? null);
  }

  /** CSV, row by row; who takes it is written down. */
  @Get('export')
  @ForRole('viewer')
  async export(@CurrentOperator() operator: SignedIn, @Res() reply: FastifyReply): Promise<void> {
    await this.acts.record(operator, NO_MERCHANT, 'audit.exported', 'audit', {});
    const anchor = await this.chain.anchor(this.seal);
    const rows = Readable.from(this.chain.all()).map(exportedOf);
    // An error on the way ends the connection before the end of the file.
    const csv = pipeline(rows, stringify({ header: true }), () => {});
    void reply
      .headers({
        'content-type': 'text/csv; charset=utf-8',
        'content-disposition': 'attachment; filename="payonce-audit.csv"',
        'payonce-audit-anchor': anchor!,
      })
      .send(csv);
  }
}
