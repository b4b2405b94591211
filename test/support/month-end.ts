import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestEnvironment } from './test-environment.js';

const IBAN = 'DE89370400440532013000';

/** The file of an environment's PSP accounts, and of a bank that only leaves statements. */
export function pspsWithBank(environment: TestEnvironment): string {
  const { PAYONCE_PSPS_FILE: own, PAYONCE_DATA_DIR: directory } = environment.environment();
  const { psps, ...rest } = JSON.parse(readFileSync(own!, 'utf8')) as { psps: object[] };
  const folders = { upload: '/in', download: '/out', archive: '/done' };
  const bank = {
    name: 'bank',
    adapter: 'bank-sepa',
    credentials: { privateKey: 'not used: nothing is sent' },
    bank: {
      account: { name: 'Shop GmbH', iban: IBAN, creditorId: 'DE98ZZZ09999999999' },
      sftp: { host: '127.0.0.1', port: 1, user: 'u', hostKey: `SHA256:${'A'.repeat(43)}`, ...folders },
      cutOffs: { everyMinutes: 1_440 },
      fetchEveryMinutes: 1_440,
    },
  };
  const file = join(directory!, 'psps-with-bank.json');
  writeFileSync(file, JSON.stringify({ ...rest, psps: [...psps, bank] }));
  return file;
}

/** A credit on the bank's statement, whose reference of the bank is `B-<amount>`. */
export interface Credit {
  /** `19.40` */
  readonly amount: string;
  readonly currency: string;
  readonly endToEndId?: string;
}

/** A statement (camt.053) of that bank with these credits on `day`. */
export function bankStatement(day: string, credits: readonly Credit[]): string {
  const entries = credits.map(
    ({ amount, currency, endToEndId = 'NOTPROVIDED' }) =>
      `<Ntry><Amt Ccy="${currency}">${amount}</Amt><CdtDbtInd>CRDT</CdtDbtInd><Sts><Cd>BOOK</Cd></Sts>
<BookgDt><Dt>${day}</Dt></BookgDt><AcctSvcrRef>B-${amount}</AcctSvcrRef>
<NtryDtls><TxDtls><Refs><EndToEndId>${endToEndId}</EndToEndId></Refs></TxDtls></NtryDtls></Ntry>`,
  );
  return `<?xml version="1.0" encoding="UTF-8"?>
<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08"><BkToCstmrStmt><Stmt><Acct><Id><IBAN>${IBAN}</IBAN></Id></Acct>
${entries.join('\n')}</Stmt></BkToCstmrStmt></Document>`;
}
