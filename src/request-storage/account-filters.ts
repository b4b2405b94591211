import { NoneOf } from '../core/change.js';
import { type PspsConfig } from '../psp/psps-config.js';
import { type PspFilter } from './request-storage.js';

interface AccountFilter {
  /** The end of the name of a periodic task for these accounts. */
  readonly suffix: string;
  readonly psp: PspFilter;
  /** How many times slower such a task is repeated. */
  readonly slower: number;
}

/** One filter for each configured account, and a slower one for the accounts that are no longer configured. */
export function accountFilters({ psps }: Pick<PspsConfig, 'psps'>): readonly AccountFilter[] {
  const accounts = psps.map(({ name }) => name);
  return [
    ...accounts.map((account) => ({ suffix: `-${account}`, psp: account, slower: 1 })),
    { suffix: '', psp: new NoneOf(accounts), slower: 5 },
  ];
}
