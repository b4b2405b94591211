import { Problem } from '../core/problem.js';

/** The PSP accounts that notifications are taken for. */
export interface NotificationAccounts {
  /** Whether there is such an account, with a secret to check signatures by. */
  takes(account: string): boolean;
}

export const noAccounts: NotificationAccounts = { takes: () => false };

export function unknownAccount(): Problem {
  return new Problem('not_found', 'There is no PSP account of this name that notifications are taken for.');
}
