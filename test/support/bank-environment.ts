import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hasSshd, SimulatedBank, type SftpDrop, startSftpDrop } from '@payonce/simulator';
import { type INestApplicationContext } from '@nestjs/common';
import { createApplication } from '../../src/application.js';
import { BankFiles, type BankPass } from '../../src/bank-files/bank-files.js';
import { loadConfig } from '../../src/config/config.js';
import { pspsOf } from '../../src/configured-psps.js';
import { createLogger } from '../../src/http/logger.js';
import { type PayoutView } from '../../src/payouts/payout.view.js';
import { payonceCommand, type Ran } from './payonce-command.js';
import { spawnNode } from './process.js';
import { describeUnless } from './program.js';
import { ApiClient, eventually, sealKey, type Service, TestEnvironment } from './test-environment.js';

/** Our own account. */
export const OWN_IBAN = 'DE89370400440532013000';
/** Others', which no log and no table may show. */
export const recipients = {
  anna: { name: 'Anna Übel', iban: 'NL91ABNA0417164300' },
  ben: { name: 'Ben Sørensen', iban: 'DK5000400440116243' },
  cleo: { name: 'Cleo O’Hara', iban: 'FI2112345600000785' },
} as const;
export type Recipient = keyof typeof recipients;

export interface BankEnvironmentOptions {
  readonly bank?: Readonly<Record<string, unknown>>;
}

/** `describe`, or a skipped one that says what is missing: .ci/run installs it. */
export function describeWithSshd(title: string, body: () => void): void {
  describeUnless(hasSshd() ? [] : ['openssh-server'], title, body);
}

/** A service, a bank, and the SFTP server between them: files go when a test says so. */
export class BankEnvironment {
  private orders = 0;

  private constructor(
    readonly environment: TestEnvironment,
    readonly drop: SftpDrop,
    readonly bank: SimulatedBank,
    readonly shop: ApiClient,
    readonly service: Service,
    private readonly directory: string,
    readonly pspsFile: string,
    /** Of the test's own, so that it can work on files when it likes. */
    private readonly app: INestApplicationContext,
  ) {}

  static async open({ bank = {} }: BankEnvironmentOptions = {}): Promise<BankEnvironment> {
    const directory = mkdtempSync(join(tmpdir(), 'payonce-bank-'));
    const drop = await startSftpDrop(directory);
    const pspsFile = join(directory, 'psps.json');
    writeFileSync(pspsFile, JSON.stringify({ psps: [accountAt(drop, bank)] }));
    const environment = await TestEnvironment.open({ env: { PAYONCE_PSPS_FILE: pspsFile } });
    environment.hide(...Object.values(recipients).map(({ iban }) => iban));
    // Files are sent and read where the spec says so; a pass of the service between two of its steps would be faster.
    await environment.sql(
      `INSERT INTO schedules (name, every_ms, started_at) VALUES ('bank_files', 15000, now() + interval '1 day')`,
    );
    const service = await environment.start({ role: 'all' }).catch(async (error: unknown) => {
      await Promise.all([environment.close(), drop.stop()]);
      throw error;
    });
    const key = await environment.merchant([
      'payments:read',
      'payments:write',
      'payouts:write',
      'events:read',
    ]);
    const shop = new ApiClient(() => service.url, key);
    const config = loadConfig(outside(environment, pspsFile));
    const app = await createApplication('commands', {
      config: { ...config, migrate: false },
      psps: await pspsOf(config, null),
      logger: createLogger({ level: 'silent' }),
    });
    return new BankEnvironment(
      environment,
      drop,
      new SimulatedBank(OWN_IBAN, drop),
      shop,
      service,
      directory,
      pspsFile,
      app,
    );
  }

  async close(): Promise<void> {
    await this.app.close();
    await this.environment.close();
    await this.drop.stop();
    rmSync(this.directory, { recursive: true, force: true });
  }

  /** A payout that is collected; each to a recipient of its own, so that none waits for another. */
  async payOut(to: Recipient = 'anna', amount = 1_234): Promise<PayoutView> {
    const n = (this.orders += 1);
    const token = JSON.stringify(recipients[to]).replaceAll(
      /[^\x20-\x7e]/g,
      (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`,
    );
    const body = {
      reference: `payout-${n}`,
      recipient: { reference: `recipient-${n}`, tokens: { bank: token } },
      amount,
      currency: 'EUR',
    };
    const { status, text } = await this.shop.post('/v1/payouts', body, `key-${n}`, { waitS: 0 });
    if (status !== 202) throw new Error(`${status} ${text}`);
    const payout = JSON.parse(text) as PayoutView;
    await this.isCollected(payout.entity_key);
    return payout;
  }

  /** The answer comes before the call is made, and a file holds what was collected when it is formed. */
  private async isCollected(entityKey: string): Promise<void> {
    const rows = 'SELECT FROM bank_instructions WHERE entity_key = $1';
    await eventually(
      async () => (await this.environment.sql(rows, [entityKey])).length > 0,
      `${entityKey} is collected`,
    );
  }

  /** A payment by direct debit that is collected. Returns its id. */
  async debit(from: Recipient = 'anna', amount = 2_500): Promise<string> {
    const n = (this.orders += 1);
    const { name, iban } = recipients[from];
    const mandate = { reference: `MANDATE-${n}`, signed_on: '2025-06-01' };
    const token = JSON.stringify({ name: name.replaceAll(/[^\x20-\x7e]/g, '?'), iban });
    const body = {
      reference: `order-${n}`,
      amount,
      currency: 'EUR',
      payment_method: {
        type: 'bank_debit',
        bank_debit: { name: 'sepa', mandate },
        tokens: { bank: token },
      },
    };
    const { status, text } = await this.shop.post('/v1/payments', body, `key-${n}`, { waitS: 0 });
    if (status !== 202) throw new Error(`${status} ${text}`);
    const { id } = JSON.parse(text) as { id: string };
    await this.isCollected(`payment-${id}-charge`);
    return id;
  }

  /**
   * The types of a payout's events, latest first. An event can be read once no transaction before it is open any more,
   * on the whole server: a moment after what it tells of. So this waits until as many can be read as are stored.
   */
  async eventsOf(payoutId: string): Promise<string[]> {
    const [stored] = await this.environment.sql<{ events: number }>(
      "SELECT count(*)::int AS events FROM events WHERE subject = 'payout:' || $1",
      [payoutId],
    );
    return eventually(async () => {
      const { text } = await this.shop.get('/v1/events?limit=100');
      const { data } = JSON.parse(text) as { data: { type: string; data: { id: string } }[] };
      const types = data.filter((event) => event.data.id === payoutId).map(({ type }) => type);
      return types.length >= stored!.events && types;
    }, `${stored!.events} events of ${payoutId}`);
  }

  /** Makes and sends files now, after the service's own pass where that has the lock. */
  async send(): Promise<{ readonly formed: number; readonly sent: number }> {
    let formed = 0;
    return eventually(async () => {
      const pass = await this.app.get(BankFiles).sendNow('bank');
      formed += pass.formed;
      return pass.sent !== null && { formed, sent: pass.sent };
    }, 'the files are sent');
  }

  /** A file of the bank's. */
  leave(name: string, text: string): void {
    writeFileSync(join(this.drop.download, name), text);
  }

  /** What a worker does every 15 s. */
  pass(): Promise<BankPass> {
    return this.app.get(BankFiles).runOnce();
  }

  /** Reads now what the bank has left, after the service's own pass where that has the lock. Returns how many files. */
  fetch(): Promise<number> {
    return eventually(async () => {
      const read = await this.app.get(BankFiles).fetchNow('bank');
      return read === null ? false : { read };
    }, 'the files are read').then(({ read }) => read);
  }

  /** Made and not sent, for the server has another host key than the configuration says. */
  async formedAlone(): Promise<{ readonly fileName: string }> {
    await this.sendToOtherHostKey();
    const [row] = await this.environment.sql<{ fileName: string }>(
      'SELECT file_name AS "fileName" FROM bank_batches ORDER BY number DESC LIMIT 1',
    );
    return row!;
  }

  /** What `payonce bank send` comes to where the configuration names another host key. */
  async sendToOtherHostKey(): Promise<Ran> {
    const psps = readFileSync(this.pspsFile, 'utf8').replace(this.drop.hostKey, `SHA256:${'A'.repeat(43)}`);
    const file = `${this.pspsFile}.other`;
    writeFileSync(file, psps);
    const env = { ...outside(this.environment, this.pspsFile), PAYONCE_PSPS_FILE: file };
    return payonceCommand(['bank', 'send', 'bank', '--json'], env);
  }

  /** `payonce bank <what> bank` in a process of its own, which is killed at this place. */
  async killedAt(what: 'send' | 'fetch', place: string): Promise<NodeJS.Signals | null> {
    for (let tries = 1; ; tries += 1) {
      const { signal, output } = await this.runKilledAt(what, place);
      if (signal === 'SIGKILL') return signal;
      // The service's own pass has the lock for a moment.
      if (tries === 5 || !output.includes('Another process sends')) throw new Error(`it lived: ${output}`);
    }
  }

  private async runKilledAt(what: 'send' | 'fetch', place: string) {
    const directory = mkdtempSync(join(this.directory, 'kill-'));
    const file = join(directory, 'checkpoint.json');
    writeFileSync(file, JSON.stringify({ id: '1', place, visit: 1, signal: 'SIGKILL' }));
    const spawned = spawnNode('bin/payonce.mjs', {
      args: ['bank', what, 'bank'],
      preload: 'test/support/kill-at.mjs',
      env: {
        CHECKPOINT_FILE: file,
        ...outside(this.environment, this.pspsFile),
        PAYONCE_DATA_DIR: directory,
      },
    });
    const { signal } = await spawned.exit;
    return { signal, output: spawned.output() };
  }

  /** As it is once nothing was heard of it for long enough. */
  async isStuck(entityKey: string): Promise<void> {
    await this.environment.sql(
      `UPDATE psp_requests SET next_step_at = NULL, stuck_at = now(), first_stuck_at = now(), fence = fence + 1,
              stuck_reason = 'pending', leased_by = NULL, leased_until = NULL WHERE entity_key = $1`,
      [entityKey],
    );
  }

  payoutIs(id: string, status: PayoutView['status']): Promise<PayoutView> {
    return eventually(async () => {
      const found = JSON.parse((await this.shop.get(`/v1/payouts/${id}`)).text) as PayoutView;
      return found.status === status && found;
    }, `payout ${id} ${status}`);
  }

  /** The name under which a bank knows an operation. */
  async endToEndId(entityKey: string): Promise<string> {
    const [row] = await this.environment.sql<{ id: string }>(
      'SELECT end_to_end_id AS id FROM bank_instructions WHERE entity_key = $1',
      [entityKey],
    );
    return row!.id;
  }

  /** What the bank was told to do more than once. Must be none. */
  twice(): string[] {
    const seen = new Set<string>();
    return this.bank.ledger
      .map(({ endToEndId }) => endToEndId)
      .filter((id) => seen.has(id) || (seen.add(id), false))
      .concat(this.bank.takenFiles.filter((file, at, all) => all.indexOf(file) < at));
  }
}

/** A camt.053 with these entries. */
export function statementOf(iban: string, entry: string): string {
  return `<Document><BkToCstmrStmt>${ofAccount(iban, entry)}</BkToCstmrStmt></Document>`;
}

export function ofAccount(iban: string, entry: string): string {
  return `<Stmt><Acct><Id><IBAN>${iban}</IBAN></Id></Acct>${entry}</Stmt>`;
}

function outside({ database }: TestEnvironment, pspsFile: string): Readonly<Record<string, string>> {
  return {
    DATABASE_URL: database.url,
    PAYONCE_PSPS_FILE: pspsFile,
    PAYONCE_SIMULATOR: 'off',
    PAYONCE_SEAL_KEY: sealKey,
    PAYONCE_LOCK_TTL_MS: '2500',
  };
}

function accountAt({ host, port, user, hostKey, privateKey, ...folders }: SftpDrop, more: object) {
  const { upload, download, archive } = folders;
  return {
    name: 'bank',
    adapter: 'bank-sepa',
    timeoutMs: 1_000,
    credentials: { privateKey },
    bank: {
      account: { name: 'Shop GmbH', iban: OWN_IBAN, creditorId: 'DE98ZZZ09999999999' },
      sftp: { host, port, user, hostKey, upload, download, archive },
      cutOffs: { everyMinutes: 1_440 },
      fetchEveryMinutes: 1_440,
      ...more,
    },
  };
}
