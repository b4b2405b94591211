import { type Operation } from '../contract.js';
import { type BankAccount } from './bank-account.js';

export type InstructionKind = 'credit_transfer' | 'direct_debit';

/** collected: not in a file yet; sent: in a file; the rest as the bank said. */
export type InstructionStatus =
  'collected' | 'sent' | 'accepted' | 'rejected' | 'booked' | 'returned' | 'unclear';

/** An instruction for a bank's file. Each operation at an account has one, however often the adapter is called. */
export interface NewInstruction {
  readonly psp: string;
  readonly endToEndId: string;
  readonly entityKey: string;
  readonly route: number;
  readonly operation: Operation;
  readonly kind: InstructionKind;
  /** Cents. */
  readonly amount: number;
  readonly account: BankAccount;
  readonly remittance: string;
}

export interface StoredInstruction extends Omit<NewInstruction, 'account'> {
  /** Null once it is not needed any more. */
  readonly account: BankAccount | null;
  readonly status: InstructionStatus;
  /** The bank's reason of a refusal or a return. */
  readonly reason: string | null;
}

/** The store of instructions until the next file. */
export abstract class BankInstructions {
  /**
   * Stores the instruction unless the account has one of this entity key, and returns the one that is stored. It is
   * committed when this resolves, or nothing is known.
   */
  abstract collect(instruction: NewInstruction): Promise<StoredInstruction>;
  /** By its EndToEndId; null where the account has none. */
  abstract find(psp: string, endToEndId: string): Promise<StoredInstruction | null>;
}
