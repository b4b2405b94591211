import { isIBAN } from 'class-validator';
import { isDay } from '../../core/day.js';
import { type DebitMandate, MANDATE_REFERENCE } from '../payment-method.js';

/** FRST the first of several, RCUR one of several, OOFF the only one, FNAL the last of several. */
export const mandateSequences = ['FRST', 'RCUR', 'OOFF', 'FNAL'] as const;
export type MandateSequence = (typeof mandateSequences)[number];

/** The debtor's consent to direct debits. */
export interface Mandate {
  readonly id: string;
  /** `2026-11-22`. */
  readonly signedOn: string;
  readonly sequence: MandateSequence;
}

/** The holder of the account that money goes to, or is collected from. Personal data: stored encrypted. */
export interface BankAccount {
  readonly name: string;
  readonly iban: string;
  readonly bic?: string;
  /** Only of direct debits. */
  readonly mandate?: Mandate;
}

const MAX_NAME_LENGTH = 70;
export const BIC = /^[A-Z]{6}[A-Z2-9][A-NP-Z0-9](?:[A-Z0-9]{3})?$/;
const MANDATE_ID = new RegExp(MANDATE_REFERENCE);

/** Without blanks and in capitals, by its country's form and its check digits. */
export function isIban(text: string): boolean {
  return /^[A-Z0-9]{15,34}$/.test(text) && isIBAN(text);
}

/** A bank account as the token of an account at this PSP: the same account is the same text. */
export function tokenOf({ name, iban, bic, mandate }: BankAccount): string {
  const account = {
    name,
    iban,
    ...(bic === undefined ? {} : { bic }),
    ...(mandate === undefined
      ? {}
      : { mandate: { id: mandate.id, signedOn: mandate.signedOn, sequence: mandate.sequence } }),
  } satisfies BankAccount;
  return JSON.stringify(account);
}

/** Null for a token that is no bank account. */
export function bankAccountOf(token: string): BankAccount | null {
  let value: unknown;
  try {
    value = JSON.parse(token);
  } catch {
    return null;
  }
  if (typeof value !== 'object' || value === null) return null;
  const { name, iban, bic, mandate } = value as Record<string, unknown>;
  if (typeof name !== 'string' || name.trim() === '' || name.length > MAX_NAME_LENGTH) return null;
  if (typeof iban !== 'string' || !isIban(iban)) return null;
  if (bic !== undefined && (typeof bic !== 'string' || !BIC.test(bic))) return null;
  if (mandate !== undefined && !isMandate(mandate)) return null;
  return {
    name,
    iban,
    ...(bic === undefined ? {} : { bic }),
    ...(mandate === undefined ? {} : { mandate }),
  };
}

const sequences: Readonly<Record<DebitMandate['sequence'], MandateSequence>> = {
  first: 'FRST',
  recurring: 'RCUR',
  one_off: 'OOFF',
  final: 'FNAL',
};

/** A mandate in the words of SEPA. */
export function mandateOf({ reference, signedOn, sequence }: DebitMandate): Mandate {
  return { id: reference, signedOn, sequence: sequences[sequence] };
}

function isMandate(value: unknown): value is Mandate {
  if (typeof value !== 'object' || value === null) return false;
  const { id, signedOn, sequence } = value as Record<string, unknown>;
  return (
    typeof id === 'string' &&
    MANDATE_ID.test(id) &&
    typeof signedOn === 'string' &&
    isDay(signedOn) &&
    mandateSequences.some((one) => one === sequence)
  );
}
