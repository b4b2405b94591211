/** The accounts of the ledger (docs/ledger.md). They stand here for the help of commands, which loads no ledger. */
export const ledgerAccounts = [
  'psp_clearing',
  'merchant_payable',
  'refunds',
  'payouts',
  'disputes',
  'fees',
  'bank',
  'orphans',
] as const;
export type LedgerAccount = (typeof ledgerAccounts)[number];
