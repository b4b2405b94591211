import { createHash } from 'node:crypto';
import { type Answer } from '../psp/contract.js';
import { type BookedLine, type StatusLine } from '../psp/bank-sepa/bank-answers.js';
import { type InstructionKind, type InstructionStatus } from '../psp/bank-sepa/bank-instructions.js';
import { type BankSettings } from '../psp/bank-sepa/bank-settings.js';
import { categoryOf, isDuplicateReason } from '../psp/bank-sepa/reason-codes.js';
import { type PspNotification } from '../psp/notification.js';
import { factsOf, type Finding } from '../psp/notification-check.js';
import { type Operation } from '../psp/contract.js';

/** The instruction that a bank's line is about, as it is known here. */
export interface KnownInstruction {
  readonly endToEndId: string;
  readonly entityKey: string;
  readonly route: number;
  readonly operation: Operation;
  readonly kind: InstructionKind;
  readonly amount: number;
  readonly status: InstructionStatus;
}

/** The status of an instruction after a line of the bank, and the notification to the owner of its operation; null: nothing new. */
export interface LineVerdict {
  readonly status: InstructionStatus;
  readonly reason: string | null;
  readonly notice: PspNotification;
}

type Word = Pick<LineVerdict, 'status' | 'reason'> & {
  readonly type: string;
  readonly findings: readonly Finding[];
};

/** A line of a status report. */
export function judgeStatus(
  known: KnownInstruction,
  line: StatusLine,
  settledBy: BankSettings['settledBy'],
): LineVerdict | null {
  const { code, reason } = line;
  const isDone = known.status === 'booked' || known.status === 'returned';
  const type = `pain.002.${code}`;
  if (line.status === 'rejected') {
    // The word of a second copy, or one against a booking, proves nothing: a person has to look.
    const isUnclear = isDone || (reason !== null && isDuplicateReason(reason));
    if (!isUnclear) return judged(known, refusal(known, type, reason));
    const answer = { outcome: 'conflict', pspCode: reason ?? code, ...referenceOf(known) } as const;
    return judged(known, {
      type,
      status: isDone ? known.status : 'unclear',
      reason,
      findings: [{ ...namesOf(known), answer }],
    });
  }
  if (isDone || known.status === 'rejected' || known.status === 'unclear') return null;
  if (line.status === 'settled' && settledBy === 'status')
    return judged(known, booking(known, type, known.amount));
  const answer = { outcome: 'pending', pspCode: code, ...referenceOf(known) } as const;
  return judged(known, {
    type,
    status: 'accepted',
    reason: null,
    findings: [{ ...namesOf(known), answer }],
  });
}

/** A line of a statement, or of an advice. */
export function judgeBooking(known: KnownInstruction, line: BookedLine): LineVerdict {
  const { kind, amount, status } = known;
  const isSame = line.amount === amount;
  if (line.isReturn || line.direction === (kind === 'direct_debit' ? 'out' : 'in')) {
    // A debit comes back with the bank's fee on top; less than a transfer, or money that the other side sends under the
    // name of ours, which stands on its statement, is no return of it.
    const isBack = isSame || (line.isReturn && kind === 'direct_debit');
    return judged(known, isBack ? comeBack(known, line.reason) : otherMoney(known, line, 'camt.returned'));
  }
  if (!isSame) return judged(known, otherMoney(known, line, 'camt.booked'));
  const booked = booking(known, 'camt.booked', amount);
  // It came back already, by a statement that was read before this one.
  return judged(known, { ...booked, status: status === 'returned' ? status : 'booked' });
}

/** The notification for an EndToEndId that has our format and is not in the table. */
export function unknownNotice(endToEndId: string, type: string): PspNotification {
  const answer = { outcome: 'succeeded', pspReference: endToEndId } as const;
  return noticeOf(endToEndId, type, null, [{ pspReference: endToEndId, operation: 'payout', answer }]);
}

function booking(known: KnownInstruction, type: string, amount: number): Word {
  const money = { amount, currency: 'EUR' };
  return {
    type,
    status: 'booked',
    reason: null,
    findings: [{ ...namesOf(known), answer: { outcome: 'succeeded', money, ...referenceOf(known) } }],
  };
}

/** Other money than was asked for: what an open operation comes to is for a person, and a decided one stays. */
function otherMoney(known: KnownInstruction, { amount }: BookedLine, type: string): Word {
  const { status } = known;
  const answer = {
    outcome: 'conflict',
    pspCode: 'money_differs',
    ...(amount === null ? {} : { money: { amount, currency: 'EUR' } }),
    ...referenceOf(known),
  } as const;
  const isDecided = status === 'booked' || status === 'rejected' || status === 'returned';
  return {
    type,
    status: isDecided ? status : 'unclear',
    reason: null,
    findings: [{ ...namesOf(known), answer }],
  };
}

function refusal(known: KnownInstruction, type: string, reason: string | null): Word {
  return {
    type,
    status: 'rejected',
    reason,
    findings: [{ ...namesOf(known), answer: no(known, reason ?? 'rejected') }],
  };
}

/**
 * A transfer that came back was not paid in the end. A debit that came back was taken, or there would be nothing to
 * give back: it is a payment, and a dispute of it that is lost.
 */
function comeBack(known: KnownInstruction, reason: string | null): Word {
  const word = { type: 'camt.returned', status: 'returned', reason } as const;
  if (known.kind === 'credit_transfer') {
    return { ...word, findings: [{ ...namesOf(known), answer: no(known, reason ?? 'returned') }] };
  }
  const { endToEndId, amount } = known;
  const money = { amount, currency: 'EUR' };
  const dispute: Finding = {
    dispute: { reference: endToEndId, stage: 1, status: 'lost', withheld: true },
    parentReference: endToEndId,
    answer: { outcome: 'pending', money, pspCode: reason ?? 'returned' },
  };
  return { ...word, findings: [...booking(known, word.type, amount).findings, dispute] };
}

function no(known: KnownInstruction, code: string): Answer {
  return { outcome: 'declined', decline: categoryOf(code), pspCode: code, ...referenceOf(known) };
}

function namesOf({ entityKey, route, endToEndId, operation }: KnownInstruction) {
  return { entityKey, route: String(route), pspReference: endToEndId, operation };
}

function referenceOf({ endToEndId }: KnownInstruction) {
  return { pspReference: endToEndId, isNamed: true as const };
}

function judged({ endToEndId }: KnownInstruction, { type, status, reason, findings }: Word): LineVerdict {
  return { status, reason, notice: noticeOf(endToEndId, type, reason, findings) };
}

/** The same statement about the same line is the same notification, in any file. */
function noticeOf(
  endToEndId: string,
  type: string,
  reason: string | null,
  findings: readonly Finding[],
): PspNotification {
  const facts = factsOf(findings, []);
  const content = JSON.stringify([endToEndId, type, reason, facts.map(({ answer }) => answer)]);
  const digest = createHash('sha256').update(content).digest('base64url').slice(0, 22);
  return { eventId: `${endToEndId}.${digest}`, type, occurredAt: null, facts };
}
