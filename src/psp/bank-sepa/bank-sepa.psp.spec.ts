import { Registry } from 'prom-client';
import { ManualClock } from '../../core/clock.js';
import { type Instruction } from '../contract.js';
import { PspDirectory } from '../psp-directory.js';
import { bankAccountOf, isIban, tokenOf } from './bank-account.js';
import { BankInstructions, type NewInstruction, type StoredInstruction } from './bank-instructions.js';
import { BankSepaPsp } from './bank-sepa.psp.js';
import { bankSettingsOf } from './bank-settings.js';

/** The adapter's contract, behind the guard that is around every call. */
class Collected extends BankInstructions {
  readonly rows = new Map<string, StoredInstruction>();
  isAway = false;

  collect(instruction: NewInstruction): Promise<StoredInstruction> {
    if (this.isAway) return Promise.reject(new Error('the database is away'));
    const before = [...this.rows.values()].find(({ entityKey }) => entityKey === instruction.entityKey);
    const stored: StoredInstruction = before ?? { ...instruction, status: 'collected', reason: null };
    this.rows.set(stored.endToEndId, stored);
    return Promise.resolve(stored);
  }

  find(_psp: string, endToEndId: string): Promise<StoredInstruction | null> {
    return Promise.resolve(this.rows.get(endToEndId) ?? null);
  }

  becomes(status: StoredInstruction['status'], reason: string | null = null): void {
    for (const [id, row] of this.rows) this.rows.set(id, { ...row, status, reason });
  }
}

const settings = bankSettingsOf({
  account: { name: 'Shop', iban: 'DE89370400440532013000', creditorId: 'DE98ZZZ09999999999' },
  sftp: { host: 'h', user: 'u', hostKey: 'k', upload: '/in', download: '/out' },
  cutOffs: { everyMinutes: 5 },
});
const account = { name: 'Anna', iban: 'NL91ABNA0417164300' };
const mandate = { id: 'M-1', signedOn: '2025-06-01', sequence: 'RCUR' } as const;
const payout: Instruction = {
  operation: 'payout',
  entityKey: 'payout-1-send',
  route: 1,
  idempotencyKey: 'key',
  money: { amount: 1_000, currency: 'EUR' },
  token: tokenOf(account),
  reference: 'salary',
};
const charge: Instruction = {
  ...payout,
  operation: 'charge',
  entityKey: 'payment-1-charge',
  token: tokenOf({ ...account, mandate }),
};

let collected: Collected;
let psps: PspDirectory;
beforeEach(() => {
  collected = new Collected();
  const adapter = new BankSepaPsp('bank', settings, collected);
  const accounts = [{ name: 'bank', adapter, fingerprint: 'f', timeoutMs: 1_000 }];
  psps = new PspDirectory(accounts, { clock: new ManualClock(), metrics: new Registry() });
});
const call = (instruction: Instruction, kind: 'execute' | 'lookup' = 'execute') =>
  psps.call('bank', kind, instruction);

it('collects an operation once, however often and in whatever route it is sent', async () => {
  const first = await call(payout);
  expect(first).toMatchObject({ outcome: 'pending', isNamed: true, pspCode: 'collected' });
  expect(await call({ ...payout, route: 2 })).toEqual(first);
  expect(collected.rows.size).toBe(1);
  expect(await call(payout, 'lookup')).toEqual(first);
});

it('takes the same operation with other money, or for another account, for a conflict', async () => {
  await call(payout);
  const other = tokenOf({ ...account, iban: 'DE89370400440532013000' });
  for (const more of [{ money: { amount: 1, currency: 'EUR' } }, { token: other }]) {
    expect(await call({ ...payout, ...more })).toMatchObject({
      outcome: 'conflict',
      pspCode: 'idempotency_error',
    });
  }
  expect(collected.rows.size).toBe(1);
});

it.each<[StoredInstruction['status'], string | null, object]>([
  ['sent', null, { outcome: 'pending' }],
  ['accepted', null, { outcome: 'pending' }],
  ['booked', null, { outcome: 'succeeded', money: { amount: 1_000, currency: 'EUR' } }],
  ['rejected', 'AC04', { outcome: 'declined', decline: 'account_invalid', pspCode: 'AC04' }],
  ['returned', 'MS03', { outcome: 'declined', decline: 'do_not_honor', pspCode: 'MS03' }],
  ['unclear', null, { outcome: 'conflict' }],
])('answers what the bank said: %s', async (status, reason, answer) => {
  await call(payout);
  collected.becomes(status, reason);
  for (const kind of ['lookup', 'execute'] as const) expect(await call(payout, kind)).toMatchObject(answer);
});

it('refunds to where the debit was taken from', async () => {
  const { pspReference } = await call(charge);
  const refund = { ...payout, operation: 'refund', entityKey: 'payment-1-refund', token: undefined } as const;
  const asked = { ...refund, parentReference: pspReference! } as unknown as Instruction;
  expect(await call(asked)).toMatchObject({ outcome: 'pending' });
  expect([...collected.rows.values()].at(-1)).toMatchObject({ kind: 'credit_transfer', account });
  const unknown = { ...asked, entityKey: 'payment-2-refund', parentReference: 'PO-none' };
  expect(await call(unknown)).toMatchObject({ outcome: 'rejected', pspCode: 'payment_unknown' });
});

it('collects with the mandate of the request, or with that of a token from before', async () => {
  await call(charge);
  const [first] = [...collected.rows.values()];
  expect(first).toMatchObject({ kind: 'direct_debit', account: { ...account, mandate } });
  const signed = { reference: 'M-1', signedOn: '2025-06-01', sequence: 'recurring' } as const;
  const asked = { ...charge, token: tokenOf(account), method: 'sepa', mandate: signed } as const;
  // The same debit in both spellings: nothing else is collected.
  expect(await call(asked)).toMatchObject({ outcome: 'pending', pspReference: first!.endToEndId });
  await call({ ...asked, entityKey: 'payment-2-charge', mandate: { ...signed, sequence: 'one_off' } });
  expect([...collected.rows.values()].at(-1)?.account?.mandate).toEqual({ ...mandate, sequence: 'OOFF' });
});

it('keeps a debit that came back a payment', async () => {
  await call(charge);
  collected.becomes('returned', 'MD06');
  expect(await call(charge, 'lookup')).toMatchObject({ outcome: 'succeeded' });
});

it.each<[string, Instruction, string]>([
  ['no bank account', { ...payout, token: 'pm_card_visa' }, 'bank_account_malformed'],
  [
    'a wrong IBAN',
    { ...payout, token: '{"name":"A","iban":"NL92ABNA0417164300"}' },
    'bank_account_malformed',
  ],
  ['a debit without a mandate', { ...charge, token: tokenOf(account) }, 'mandate_missing'],
  [
    'more than SEPA takes',
    { ...payout, money: { amount: 100_000_000_000, currency: 'EUR' } },
    'amount_not_expressible',
  ],
  ['another currency', { ...payout, money: { amount: 1, currency: 'USD' } }, 'currency_not_supported'],
  ['an authorization', { ...charge, operation: 'authorize' }, 'operation_not_supported'],
])('collects nothing for %s', async (_, instruction, pspCode) => {
  expect(await call(instruction)).toMatchObject({ outcome: 'rejected', pspCode });
  expect(collected.rows.size).toBe(0);
});

it('does not know what became of a commit that failed', async () => {
  collected.isAway = true;
  expect(await call(payout)).toMatchObject({ outcome: 'unknown' });
  expect(await call(payout, 'lookup')).toMatchObject({ outcome: 'not_found' });
});

it('reads bank accounts strictly', () => {
  const of = (more: object) => bankAccountOf(JSON.stringify({ ...account, ...more }));
  expect(of({ mandate })).toEqual({ ...account, mandate });
  expect(of({ name: 'Ü'.repeat(70), bic: 'ABNANL2AXXX' })).not.toBeNull();
  const wrong = [
    { name: '' },
    { name: 'x'.repeat(71) },
    { name: 1 },
    { bic: 'ABC' },
    { iban: 'nl91abna0417164300' },
    { mandate: { ...mandate, id: '/x' } },
    { mandate: { ...mandate, signedOn: '2025-02-30' } },
    { mandate: { ...mandate, sequence: 'ONCE' } },
  ];
  for (const more of wrong) expect(of(more)).toBeNull();
  for (const text of ['null', '1', '"x"', '[', '']) expect(bankAccountOf(text)).toBeNull();
  expect([isIban('DE89370400440532013000'), isIban('DE89 3704 0044 0532 0130 00')]).toEqual([true, false]);
});
