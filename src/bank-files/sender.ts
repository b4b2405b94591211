import { Injectable } from '@nestjs/common';
import { posix } from 'node:path';
import { Pool } from 'pg';
import { checkpoint } from '../core/checkpoint.js';
import { Clock } from '../core/clock.js';
import { redactedLine } from '../core/redact.js';
import { HOLD } from '../database/failover-hold.js';
import { type BankDrop } from '../psp/bank-sepa/bank-drop.js';
import { type SftpSettings } from '../psp/bank-sepa/bank-settings.js';
import { alone } from './alone.js';
import { Batches, type BankPsp, MAX_FILE_BYTES, sha256Of, type UnsentBatch } from './batches.js';

const MAX_FAULT_LENGTH = 300;

/** The row that says a file was put may be lost with other commits; a file that is `placing` is never put again. */
function mayBePut({ state }: UnsentBatch): string {
  return state === 'placing' ? 'true' : `${HOLD} = 'none'`;
}

function serverOf({ host, port, upload }: SftpSettings): string {
  return `${host}:${port}${upload}`;
}

/**
 * Uploads each file to the bank once: under a temporary name, which is then changed to the final one. Before the rename
 * a commit records that the whole file is on the server, and from then on it is never uploaded again: if the temporary
 * name is gone, the file was renamed, even if the bank has removed it since. Until that commit no file has the final
 * name, so the upload may be repeated.
 */
@Injectable()
export class Sender {
  constructor(
    private readonly pool: Pool,
    private readonly batches: Batches,
    private readonly clock: Clock,
  ) {}

  /** Sends what is to be sent, the oldest first; null where another process does. */
  async send(psp: BankPsp, open: () => Promise<BankDrop>): Promise<number | null> {
    return alone(this.pool, 'send', psp.name, async () => {
      await this.batches.keepAnswered(psp.name);
      const unsent = await this.batches.unsent(psp.name);
      if (unsent.length === 0) return 0;
      const drop = await open();
      try {
        let sent = 0;
        for (const batch of unsent) if (await this.sendOne(drop, psp.bank.sftp, batch)) sent += 1;
        return sent;
      } finally {
        await drop.end();
      }
    });
  }

  private async sendOne(drop: BankDrop, sftp: SftpSettings, unsent: UnsentBatch): Promise<boolean> {
    const batch = await this.takeOn(unsent);
    if (batch === null) return false;
    try {
      return await (batch.state === 'placing'
        ? this.place(drop, sftp, batch)
        : this.putAndPlace(drop, sftp, batch));
    } catch (error) {
      await this.note(batch, error);
      throw error;
    }
  }

  private async putAndPlace(drop: BankDrop, sftp: SftpSettings, batch: UnsentBatch): Promise<boolean> {
    const { fileName, attempt } = batch;
    const { upload: folder } = sftp;
    const server = serverOf(sftp);
    // Nothing of ours has that name yet, unless the commit that said so is lost.
    const final = posix.join(folder, fileName);
    if ((await drop.sizeOf(final)) !== null) return this.isThere(drop, final, batch);
    const leftOver = (await drop.list(folder)).filter(({ name }) => name.startsWith(`.${fileName}.`));
    for (const { name } of leftOver) await drop.remove(posix.join(folder, name));
    // One of its own for each attempt: a process that was overtaken never writes into what another one renames.
    const temporaryName = `.${fileName}.${attempt}.tmp`;
    const temporary = posix.join(folder, temporaryName);
    const bytes = this.batches.bytesOf(batch);
    await drop.put(temporary, bytes);
    const size = await drop.sizeOf(temporary);
    if (size !== bytes.length) throw new Error(`${String(size)} of ${bytes.length} bytes were taken`);
    await checkpoint('bank:after:put');
    const isOurs = await this.move(
      batch,
      `state = 'placing', temporary_name = $4, server = $5`,
      'formed',
      [temporaryName, server],
      mayBePut(batch),
    );
    return isOurs && this.place(drop, sftp, { ...batch, state: 'placing', temporaryName, server });
  }

  /** The whole file is or was on the server under its temporary name. @throws where that is another server: nothing here says so */
  private async place(drop: BankDrop, sftp: SftpSettings, batch: UnsentBatch): Promise<boolean> {
    const { upload: folder } = sftp;
    if (batch.server !== null && batch.server !== serverOf(sftp)) {
      throw new Error(`it was put at ${batch.server}: have it placed there, or ask the bank what it has`);
    }
    const final = posix.join(folder, batch.fileName);
    if ((await drop.sizeOf(final)) !== null) return this.isThere(drop, final, batch);
    const temporary = posix.join(folder, batch.temporaryName!);
    // Gone under either name: the bank has taken it.
    if ((await drop.sizeOf(temporary)) !== null) {
      await checkpoint('bank:before:rename');
      await drop.rename(temporary, final);
      await checkpoint('bank:after:rename');
    }
    return this.sent(batch);
  }

  /** A file of that name exists already: it is this one, or a person must compare. */
  private async isThere(drop: BankDrop, final: string, batch: UnsentBatch): Promise<boolean> {
    const found = sha256Of(await drop.read(final, MAX_FILE_BYTES));
    if (found === batch.sha256) return this.sent(batch);
    await this.move(batch, `state = 'conflict', fault = $4`, batch.state, [
      'another file lies at the bank under its name',
    ]);
    return false;
  }

  private sent(batch: UnsentBatch): Promise<boolean> {
    return this.move(batch, `state = 'sent', sent_at = $4, fault = NULL`, batch.state, [this.clock.now()]);
  }

  private async takeOn(batch: UnsentBatch): Promise<UnsentBatch | null> {
    const isOurs = await this.move(batch, 'attempt = attempt + 1', batch.state, [], mayBePut(batch));
    return isOurs ? { ...batch, attempt: batch.attempt + 1 } : null;
  }

  /** False where another process has taken it on since. */
  private async move(
    { psp, number, attempt }: UnsentBatch,
    set: string,
    from: UnsentBatch['state'],
    values: readonly unknown[] = [],
    condition = 'true',
  ): Promise<boolean> {
    const { rowCount } = await this.pool.query(
      `UPDATE bank_batches SET ${set}
        WHERE psp = $1 AND number = $2 AND attempt = $3 AND state = '${from}' AND ${condition}`,
      [psp, number, attempt, ...values],
    );
    return rowCount === 1;
  }

  /** For people; the batch is tried again. */
  private async note({ psp, number }: UnsentBatch, error: unknown): Promise<void> {
    const fault = redactedLine(error instanceof Error ? error.message : 'failed', MAX_FAULT_LENGTH);
    await this.pool.query(
      `UPDATE bank_batches SET fault = $3 WHERE psp = $1 AND number = $2 AND state IN ('formed', 'placing')`,
      [psp, number, fault],
    );
  }
}
