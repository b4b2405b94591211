import { type BookedLine, type StatusLine } from '../psp/bank-sepa/bank-answers.js';
import { endToEndIdOf } from '../psp/bank-sepa/bank-names.js';
import { judgeBooking, judgeStatus, type KnownInstruction } from './judge-line.js';

/** How a bank's answer changes an instruction, and which evidence the owner of its operation gets. */
const known = (more: Partial<KnownInstruction> = {}): KnownInstruction => ({
  endToEndId: endToEndIdOf('payout-1-send'),
  entityKey: 'payout-1-send',
  route: 1,
  operation: 'payout',
  kind: 'credit_transfer',
  amount: 1_000,
  status: 'sent',
  ...more,
});
const debit = { operation: 'charge', kind: 'direct_debit' } as const;
const status = (said: StatusLine['status'], reason: string | null = null): StatusLine => ({
  messageId: 'M',
  paymentBlock: null,
  endToEndId: 'E',
  status: said,
  code: said === 'rejected' ? 'RJCT' : said === 'settled' ? 'ACSC' : 'ACCP',
  reason,
});
const booked = (more: Partial<BookedLine> = {}): BookedLine => ({
  endToEndId: 'E',
  messageId: null,
  paymentBlock: null,
  count: null,
  amount: 1_000,
  direction: 'out',
  isReturn: false,
  reason: null,
  ...more,
});
const outcomes = (judged: ReturnType<typeof judgeStatus>) =>
  judged && [judged.status, ...judged.notice.facts.map(({ about, answer }) => `${about} ${answer.outcome}`)];

it.each<[string, ReturnType<typeof judgeStatus>, readonly string[] | null]>([
  ['accepted', judgeStatus(known(), status('accepted'), 'statement'), ['accepted', 'operation pending']],
  ['settled', judgeStatus(known(), status('settled'), 'statement'), ['accepted', 'operation pending']],
  [
    'settled, and that is enough',
    judgeStatus(known(), status('settled'), 'status'),
    ['booked', 'operation succeeded'],
  ],
  [
    'refused',
    judgeStatus(known(), status('rejected', 'AC04'), 'statement'),
    ['rejected', 'operation declined'],
  ],
  [
    'a duplicate',
    judgeStatus(known(), status('rejected', 'AM05'), 'statement'),
    ['unclear', 'operation conflict'],
  ],
  [
    'refused after it was booked',
    judgeStatus(known({ status: 'booked' }), status('rejected', 'AC04'), 'statement'),
    ['booked', 'operation conflict'],
  ],
  [
    'accepted after it was booked',
    judgeStatus(known({ status: 'booked' }), status('accepted'), 'statement'),
    null,
  ],
  [
    'accepted after it was refused',
    judgeStatus(known({ status: 'rejected' }), status('accepted'), 'statement'),
    null,
  ],
  ['booked', judgeBooking(known(), booked()), ['booked', 'operation succeeded']],
  [
    'booked after it was refused',
    judgeBooking(known({ status: 'rejected' }), booked()),
    ['booked', 'operation succeeded'],
  ],
  [
    'booked, read after it came back',
    judgeBooking(known({ status: 'returned' }), booked()),
    ['returned', 'operation succeeded'],
  ],
  ['another amount', judgeBooking(known(), booked({ amount: 999 })), ['unclear', 'operation conflict']],
  ['no amount in EUR', judgeBooking(known(), booked({ amount: null })), ['unclear', 'operation conflict']],
  [
    'a cent that the recipient sends under the name on the own statement',
    judgeBooking(known({ status: 'booked' }), booked({ direction: 'in', amount: 1 })),
    ['booked', 'operation conflict'],
  ],
  [
    'a part of a transfer that comes back',
    judgeBooking(known({ status: 'booked' }), booked({ direction: 'in', isReturn: true, amount: 900 })),
    ['booked', 'operation conflict'],
  ],
  [
    'a debit that comes back with a fee',
    judgeBooking(known(debit), booked({ direction: 'out', isReturn: true, amount: 1_300 })),
    ['returned', 'operation succeeded', 'dispute pending'],
  ],
  [
    'a transfer that comes back',
    judgeBooking(known({ status: 'booked' }), booked({ direction: 'in' })),
    ['returned', 'operation declined'],
  ],
  ['a debit', judgeBooking(known(debit), booked({ direction: 'in' })), ['booked', 'operation succeeded']],
  [
    'a debit that comes back',
    judgeBooking(known(debit), booked({ direction: 'out' })),
    ['returned', 'operation succeeded', 'dispute pending'],
  ],
])('%s', (_, judged, expected) => expect(outcomes(judged)).toEqual(expected));

it('tells the money that the bank named, and the reason as our category', () => {
  expect(judgeBooking(known(), booked({ amount: 999 })).notice.facts[0]).toMatchObject({
    entityKey: 'payout-1-send',
    route: 1,
    pspReference: known().endToEndId,
    answer: { money: { amount: 999, currency: 'EUR' } },
  });
  expect(
    judgeStatus(known(), status('rejected', 'AM04'), 'statement')!.notice.facts[0]!.answer,
  ).toMatchObject({
    decline: 'insufficient_funds',
    pspCode: 'AM04',
  });
});

it('is one notification for the same word in whatever file, and another for another word', () => {
  const idOf = (line: BookedLine) => judgeBooking(known(), line).notice.eventId;
  expect(idOf(booked())).toBe(idOf(booked({ messageId: 'M2' })));
  expect(idOf(booked())).not.toBe(idOf(booked({ isReturn: true })));
  expect(idOf(booked()).length).toBeLessThanOrEqual(200);
});
