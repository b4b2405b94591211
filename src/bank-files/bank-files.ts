import { Inject, Injectable } from '@nestjs/common';
import { Pool } from 'pg';
import { type Logger } from 'pino';
import { LOGGER } from '../config/config.module.js';
import { Clock } from '../core/clock.js';
import { Problem } from '../core/problem.js';
import { workThrough } from '../core/work-through.js';
import { PspsConfig } from '../psp/psps-config.js';
import { type BankDrop, dropKeyOf, openDrop } from '../psp/bank-sepa/bank-drop.js';
import { Batches, type BankPsp, SendingHeld } from './batches.js';
import { lastCutOff } from './cut-off.js';
import { alone } from './alone.js';
import { Receiver } from './receiver.js';
import { Sender } from './sender.js';

/** Each holds a connection to the database while it sends; the others of this process are for everything else. */
const AT_ONCE = 2;
const DAY_MS = 24 * 3_600_000;
/** A bank may want a file once more, and a person may want to see it. */
const KEPT_FILES_DAYS = 30;
/** A debtor may ask for an unauthorized debit back for 13 months, and until then it may be refunded. */
const KEPT_DEBITS_DAYS = 400;
const KEPT_TRANSFERS_DAYS = 30;

export interface BankPass {
  readonly formed: number;
  readonly sent: number;
  readonly read: number;
  /** Accounts that could not be reached, or had to wait. */
  readonly failed: number;
}

/** The work on the files of all accounts at banks: at cut-offs, and in between what the banks leave. */
@Injectable()
export class BankFiles {
  readonly name = 'bank_files';
  readonly everyMs = 15_000;
  private readonly banks: readonly BankPsp[];
  private readonly fetchedAtMs = new Map<string, number>();
  private erasedAtMs = -Infinity;

  constructor(
    { psps }: PspsConfig,
    private readonly batches: Batches,
    private readonly sender: Sender,
    private readonly receiver: Receiver,
    private readonly pool: Pool,
    private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.banks = psps.flatMap(({ name, bank, credentials }) =>
      bank ? [{ name, bank, key: dropKeyOf(credentials) }] : [],
    );
  }

  get names(): readonly string[] {
    return this.banks.map(({ name }) => name);
  }

  async runOnce(): Promise<BankPass> {
    const total = { formed: 0, sent: 0, read: 0 };
    const { failed } = await workThrough(
      this.banks,
      AT_ONCE,
      async (bank) => {
        const { formed, sent, read } = await this.pass(bank);
        total.formed += formed;
        total.sent += sent;
        total.read += read;
        return true;
      },
      (err, { name }) => this.logger.warn({ err, psp: name }, 'the files of a bank could not be worked on'),
    );
    await this.erase();
    return { ...total, failed };
  }

  /**
   * Sends now what was collected until now, without waiting for a cut-off; `sent`: null where another process sends.
   * @throws RangeError for an account that is not at such a bank; Problem `commits_may_be_lost`
   */
  async sendNow(name: string): Promise<{ readonly formed: number; readonly sent: number | null }> {
    const bank = this.bankNamed(name);
    const formed = await this.batches.form(bank, this.clock.now()).catch((error: unknown) => {
      if (!(error instanceof SendingHeld)) throw error;
      throw new Problem(
        'commits_may_be_lost',
        'No file is made while commits may be lost; compare with the bank, then run payonce failover resume.',
      );
    });
    return { formed, sent: await this.sender.send(bank, () => this.open(bank)) };
  }

  /**
   * Reads now what the bank has left; null where another process does.
   * @throws RangeError for an account that is not at such a bank
   */
  async fetchNow(name: string): Promise<number | null> {
    const bank = this.bankNamed(name);
    return alone(this.pool, 'fetch', name, async () => {
      const drop = await this.open(bank);
      try {
        return await this.receiver.fetch(bank, drop);
      } finally {
        await drop.end();
      }
    });
  }

  private async pass(bank: BankPsp): Promise<{ formed: number; sent: number; read: number }> {
    let formed = 0;
    let held: SendingHeld | null = null;
    try {
      formed = await this.batches.form(bank, lastCutOff(bank.bank.cutOffs, this.clock.now()));
    } catch (error) {
      if (!(error instanceof SendingHeld)) throw error;
      held = error;
    }
    const sent = (await this.sender.send(bank, () => this.open(bank))) ?? 0;
    const read = this.isFetchDue(bank) ? ((await this.fetchNow(bank.name)) ?? 0) : 0;
    if (held !== null) throw held;
    return { formed, sent, read };
  }

  private isFetchDue({ name, bank: { fetchEveryMinutes } }: BankPsp): boolean {
    const nowMs = this.clock.monotonicMs();
    if (nowMs - (this.fetchedAtMs.get(name) ?? -Infinity) < fetchEveryMinutes * 60_000) return false;
    this.fetchedAtMs.set(name, nowMs);
    return true;
  }

  /** Personal data that nothing needs any more. */
  private async erase(): Promise<void> {
    const nowMs = this.clock.monotonicMs();
    if (this.banks.length === 0 || nowMs - this.erasedAtMs < DAY_MS) return;
    this.erasedAtMs = nowMs;
    const before = (days: number) => new Date(this.clock.now().getTime() - days * DAY_MS);
    await this.pool.query(`UPDATE bank_batches SET sealed = NULL WHERE sent_at < $1 AND sealed IS NOT NULL`, [
      before(KEPT_FILES_DAYS),
    ]);
    await this.pool.query(
      `UPDATE bank_instructions SET sealed = NULL
        WHERE sealed IS NOT NULL AND status IN ('rejected', 'booked', 'returned')
          AND answered_at < CASE kind WHEN 'direct_debit' THEN $1::timestamptz ELSE $2::timestamptz END`,
      [before(KEPT_DEBITS_DAYS), before(KEPT_TRANSFERS_DAYS)],
    );
  }

  private open({ bank, key }: BankPsp): Promise<BankDrop> {
    return openDrop(bank.sftp, key, this.clock);
  }

  private bankNamed(name: string): BankPsp {
    const bank = this.banks.find((each) => each.name === name);
    if (!bank) throw new RangeError(`no PSP account at a bank is named ${JSON.stringify(name)}`);
    return bank;
  }
}
