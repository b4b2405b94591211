import {
  type Answer,
  type Capabilities,
  type Instruction,
  OTHER_PARAMETERS,
  type PspAdapter,
} from '../contract.js';
import { bankAccountOf, mandateOf, tokenOf } from './bank-account.js';
import {
  type BankInstructions,
  type InstructionKind,
  type NewInstruction,
  type StoredInstruction,
} from './bank-instructions.js';
import { endToEndIdOf } from './bank-names.js';
import { type BankSettings } from './bank-settings.js';
import { categoryOf } from './reason-codes.js';

/** SEPA's own bound for a transfer or a debit. */
const MAX_CENTS = 99_999_999_999;
const DAY_MS = 24 * 3_600_000;
/** An instruction is never forgotten; the bound keeps sums of times in range. */
const FOR_EVER_MS = 3_650 * DAY_MS;

/**
 * A bank without an API. A call commits an instruction and answers `pending`; files are sent at the cut-off, and what
 * the bank says of them comes in files as well (src/bank-files). A lookup reads what came.
 */
export class BankSepaPsp implements PspAdapter {
  readonly capabilities: Capabilities;

  constructor(
    private readonly psp: string,
    private readonly settings: BankSettings,
    private readonly instructions: BankInstructions,
  ) {
    const { creditorId } = settings.account;
    this.capabilities = {
      operations: ['payout', 'refund', ...(creditorId === undefined ? [] : (['charge'] as const))],
      currencies: ['EUR'],
      methods: creditorId === undefined ? {} : { sepa: { needsMandate: true } },
      // The same entity key is the same instruction, for as long as the table is there.
      idempotency: { windowMs: FOR_EVER_MS, replays: 'all' },
      // "Not found" is no proof: the call that stores the instruction may still be on its way.
      lookup: { by: 'reference', consistency: 'eventual', settlesAfterMs: DAY_MS },
      cancel: null,
      captures: 'whole',
      answersWithinMs: settings.answersWithinDays * DAY_MS,
    };
  }

  async execute(instruction: Instruction): Promise<Answer> {
    const made = await this.instructionOf(instruction);
    if ('outcome' in made) return made;
    const stored = await this.instructions.collect(made);
    return isSame(made, stored)
      ? answerOf(stored)
      : { outcome: 'conflict', pspCode: OTHER_PARAMETERS, pspReference: stored.endToEndId };
  }

  async lookup({ entityKey }: Instruction): Promise<Answer> {
    const stored = await this.instructions.find(this.psp, endToEndIdOf(entityKey));
    return stored === null ? { outcome: 'not_found' } : answerOf(stored);
  }

  async close(): Promise<void> {}

  private async instructionOf(instruction: Instruction): Promise<NewInstruction | Answer> {
    const { entityKey, route, operation, money, reference, statementDescriptor } = instruction;
    if (money.currency !== 'EUR' || money.amount > MAX_CENTS) return rejected('amount_not_expressible');
    const kind: InstructionKind = operation === 'charge' ? 'direct_debit' : 'credit_transfer';
    const account =
      operation === 'refund'
        ? await this.debtorOf(instruction.parentReference)
        : bankAccountOf(instruction.token ?? '');
    if (account === null)
      return rejected(operation === 'refund' ? 'payment_unknown' : 'bank_account_malformed');
    // Before bank debits were a type of payment method, the token brought the mandate.
    const { mandate: inToken, ...withoutMandate } = account;
    const mandate = instruction.mandate ? mandateOf(instruction.mandate) : inToken;
    if (kind === 'direct_debit' && mandate === undefined) return rejected('mandate_missing');
    return {
      psp: this.psp,
      endToEndId: endToEndIdOf(entityKey),
      entityKey,
      route,
      operation,
      kind,
      amount: money.amount,
      account: kind === 'direct_debit' && mandate ? { ...withoutMandate, mandate } : withoutMandate,
      remittance: statementDescriptor ?? reference,
    };
  }

  /** A refund goes where the direct debit was taken from. */
  private async debtorOf(parentReference: string | undefined) {
    const debit =
      parentReference === undefined ? null : await this.instructions.find(this.psp, parentReference);
    return debit?.kind === 'direct_debit' ? debit.account : null;
  }
}

/** The state of an instruction as an answer. */
function answerOf({ status, reason, kind, endToEndId, amount }: StoredInstruction): Answer {
  const named = {
    pspReference: endToEndId,
    isNamed: true as const,
    ...(reason === null ? {} : { pspCode: reason }),
  };
  switch (status) {
    case 'collected':
    case 'sent':
    case 'accepted':
      return { outcome: 'pending', ...named, pspCode: status };
    case 'booked':
      return { outcome: 'succeeded', ...named, money: { amount, currency: 'EUR' } };
    case 'rejected':
      return declined(reason, named);
    case 'returned':
      // A debit that came back was taken before: that is a dispute of a payment that succeeded.
      return kind === 'direct_debit'
        ? { outcome: 'succeeded', ...named, money: { amount, currency: 'EUR' } }
        : declined(reason, named);
    case 'unclear':
      return { outcome: 'conflict', ...named };
  }
}

function declined(reason: string | null, named: Pick<Answer, 'pspReference' | 'isNamed'>): Answer {
  return {
    outcome: 'declined',
    ...named,
    decline: categoryOf(reason ?? ''),
    pspCode: reason ?? 'rejected',
  };
}

function rejected(pspCode: string): Answer {
  return { outcome: 'rejected', pspCode, message: 'No instruction was collected for the bank' };
}

/** The remittance is for people and may be worded anew. */
function isSame(made: NewInstruction, stored: StoredInstruction): boolean {
  return (
    made.kind === stored.kind &&
    made.amount === stored.amount &&
    (stored.account === null || tokenOf(made.account) === tokenOf(stored.account))
  );
}
