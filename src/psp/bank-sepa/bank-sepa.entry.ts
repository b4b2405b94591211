import { type AdapterEntry, optional, required } from '../adapter-entry.js';
import { dropKeyOf, openDrop } from './bank-drop.js';
import { BankReports } from './bank-reports.js';
import { BankSepaPsp } from './bank-sepa.psp.js';
import { camtReport } from './camt-report.js';

export const bankSepaAdapter: AdapterEntry = {
  adapter: 'bank-sepa',
  credentials: [required('privateKey'), optional('passphrase')],
  basePath: false,
  // An account of a bank is identified by its IBAN, not by the server that takes its files.
  publicUrl: 'https://bank-sepa.invalid',
  hosts: null,
  account: (_credentials, _configured, bank) => bank?.account.iban ?? '',
  takesAccount: () => false,
  mayBeTest: () => false,
  speaksInFiles: true,
  create: ({ name, bank, instructions }) => {
    if (!bank || !instructions) throw new TypeError(`PSP ${name} has no bank to send files to`);
    return new BankSepaPsp(name, bank, instructions);
  },
  check: async ({ bank, credentials, clock }, call) => {
    if (!bank) throw new TypeError('there is no bank to send files to');
    const drop = await openDrop(bank.sftp, dropKeyOf(credentials), clock);
    call.onGivenUp(() => void drop.end());
    try {
      const [sent, left] = await Promise.all([drop.list(bank.sftp.upload), drop.list(bank.sftp.download)]);
      return `The bank's server takes the key; files there: ${sent.length} for the bank, ${left.length} of the bank.`;
    } finally {
      await drop.end();
    }
  },
  // A bank sends no notifications; it answers in files.
  notices: () => null,
  reportsAreOf: ({ bank }) => bank?.account.iban,
  reportFormats: [
    ['BkToCstmrStmt', camtReport],
    ['BkToCstmrDbtCdtNtfctn', camtReport],
  ],
  reports: ({ bank, credentials, clock }) =>
    bank ? new BankReports(camtReport(bank.account.iban), bank.sftp, dropKeyOf(credentials), clock) : null,
};
