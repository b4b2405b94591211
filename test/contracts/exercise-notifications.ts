import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { type Money } from '../../src/core/money.js';
import { type Instruction } from '../../src/psp/contract.js';
import {
  type NotificationItem,
  type PspNotification,
  type NotificationReader,
  type NotificationReading,
} from '../../src/psp/notification.js';
import { noticeReaderOf } from '../../src/psp/psps-config.js';
import { authorized, referenceOf } from './exercise-psp.js';
import { hold } from './notices/hold.js';
import { play } from './notices/play.js';
import { type Delivery, Receiver } from './notices/receiver.js';
import { type Signing } from './notices/signing.js';
import { PATIENT_MS, PspBench, type PspSubject } from './psp-under-test.js';

/**
 * What every reader of notifications must do, whatever PSP it reads: take what that PSP tells over HTTP, make
 * of it what the PSP's ledger says and a lookup would say, and take nothing from anybody else.
 */
export function exerciseNotices(name: string, subject: PspSubject, signing: Signing): void {
  const bench = new PspBench(subject);
  const receiver = new Receiver();
  const readerWith = (secrets: Readonly<Record<string, string>>): NotificationReader => {
    const address = signing.address === undefined ? {} : { [signing.address]: receiver.url };
    const credentials = { ...signing.credentials, ...address, ...secrets };
    const baseUrl = bench.origin;
    const account = { name: 'account', adapter: subject.psp, baseUrl, timeoutMs: 1_000, credentials };
    const reader = noticeReaderOf(account);
    if (!reader) throw new Error('the account has no reader');
    return reader;
  };
  let reader: NotificationReader;
  let hook = 0;
  const fresh = () => bench.fresh(undefined, PATIENT_MS);

  /** What has come, once nothing is on its way any more. */
  const told = async (): Promise<Delivery[]> => {
    for (let round = 0; bench.waiting() > 0; round += 1) {
      if (round === 2_000) throw new Error('notifications do not come to rest');
      await sleep(5);
    }
    const deliveries = receiver.take();
    for (const { headers } of deliveries) await reader.prepare?.(headers, new Date());
    return deliveries;
  };
  const read = ({ raw, headers }: Delivery, by = reader, at = new Date()): NotificationReading =>
    by.read(raw, headers, at);
  const taken = async (): Promise<NotificationItem[]> => {
    const readings = (await told()).map((delivery) => read(delivery));
    for (const { refused } of readings) expect(refused).toEqual([]);
    return readings.flatMap(({ notices }) => notices.flatMap(({ facts }) => facts));
  };
  const facts = async (): Promise<NotificationItem[]> => {
    const found = await taken();
    hold(found, bench.effects());
    return found;
  };
  const moneyOf = (money: Money) => (signing.tellsAmounts === false ? {} : { money });
  const agrees = async (fact: NotificationItem | undefined, instruction: Instruction): Promise<void> => {
    if (bench.capabilities.lookup === null) return;
    // Where nothing is found without an id, the PSP's own is the one the notification told.
    const asked = bench.findsByReference
      ? instruction
      : { ...instruction, pspReference: fact?.pspReference ?? undefined };
    const { outcome, money, decline, pspReference } = await bench.lookup(asked);
    expect(fact?.answer).toMatchObject({ outcome, pspReference });
    if (signing.tellsAmounts !== false) expect(fact?.answer.money).toEqual(money);
    expect(fact?.answer.decline).toBe(decline);
  };

  describe(`${name}: what it tells of its own accord`, () => {
    beforeAll(async () => {
      await Promise.all([bench.start(), receiver.start()]);
      reader = readerWith({ [signing.names.secret]: signing.secret });
    });
    afterAll(() => Promise.all([bench.stop(), receiver.stop()]));
    beforeEach(async () => {
      await fresh();
      receiver.take();
      hook = bench.webhook({ url: receiver.url, secret: signing.secret });
    });
    afterEach(() => bench.end());

    it.each(['charge', 'authorize'] as const)('a %s: by our names, with its money', async (operation) => {
      if (!bench.can(operation)) return;
      const instruction = bench.instruction({ operation });
      const pspReference = referenceOf(await bench.execute(instruction));
      const [fact, ...others] = await facts();
      expect(others).toEqual([]);
      expect(fact).toMatchObject({
        entityKey: instruction.entityKey,
        route: 1,
        pspReference,
        parentReference: null,
        about: 'operation',
        answer: { outcome: 'succeeded', ...moneyOf(instruction.money) },
      });
      expect([operation, null]).toContain(fact?.operation);
      await agrees(fact, instruction);
    });

    it.each([1_000, 400])('a capture of %d of 1000, and nothing about the authorization', async (amount) => {
      if (!bench.can('capture') || (amount < 1_000 && bench.capabilities.captures === 'whole')) return;
      const parentReference = await authorized(bench);
      await told();
      const money = { amount, currency: 'EUR' };
      const capture = bench.instruction({ operation: 'capture', parentReference, money });
      await bench.execute(capture);
      const [fact, ...others] = await taken();
      expect(others).toEqual([]);
      expect(fact).toMatchObject({
        operation: 'capture',
        parentReference,
        about: 'operation',
        answer: { outcome: 'succeeded', money },
      });
      expect([capture.entityKey, null]).toContain(fact?.entityKey);
      hold([fact!], bench.effects().slice(1));
      await agrees(fact, capture);
    });

    it('several captures in parts, where it can', async () => {
      if (bench.capabilities.captures !== 'several') return;
      const parentReference = await authorized(bench);
      for (const amount of [400, 300, 400]) {
        const money = { amount, currency: 'EUR' };
        await bench.execute(bench.instruction({ operation: 'capture', parentReference, money }));
      }
      const captures = (await facts()).filter(({ operation }) => operation === 'capture');
      // The last one asked for more than was left: refused at once, or received and not carried out.
      const outcomes = captures.map(({ answer }) => answer.outcome).toSorted();
      expect(outcomes.slice(-2)).toEqual(['succeeded', 'succeeded']);
      expect(['', 'declined']).toContain(outcomes.slice(0, -2).join());
    });

    it('a void, and what became of the payment', async () => {
      if (!bench.can('void')) return;
      const authorize = bench.instruction({ operation: 'authorize' });
      const parentReference = referenceOf(await bench.execute(authorize));
      await told();
      const voiding = bench.instruction({ operation: 'void', parentReference });
      const answer = await bench.execute(voiding);
      const found = await taken();
      expect(found).toHaveLength(signing.tellsOfEnd ? 2 : 1);
      const done = found.find(({ operation }) => operation === 'void');
      // Recognized by one of them, however late it comes.
      expect([voiding.entityKey, answer.pspReference]).toContain(done?.entityKey ?? done?.pspReference);
      expect(done).toMatchObject({ parentReference, about: 'operation', answer: { outcome: 'succeeded' } });
      await agrees(done, voiding);
      if (!signing.tellsOfEnd) return;
      const over = found.find(({ operation }) => operation !== 'void');
      expect(over).toMatchObject({ pspReference: parentReference, answer: { outcome: 'canceled' } });
      await agrees(over, authorize);
    });

    it.each(['softDecline', 'hardDecline', 'stepUpDecline'] as const)(
      'a %s, as the answer says',
      async (token) => {
        if (subject.tokens[token] === undefined) return;
        const instruction = bench.instruction({ token: subject.tokens[token] });
        const answer = await bench.declined(instruction);
        const [fact, ...others] = await facts();
        expect(others).toEqual([]);
        expect(fact).toMatchObject({
          entityKey: instruction.entityKey,
          route: 1,
          answer: { outcome: 'declined', decline: answer.decline, pspCode: answer.pspCode },
        });
        await agrees(fact, instruction);
      },
    );

    it.each(['waits', 'asksCustomer'] as const)('a payment that %s, and its end', async (token) => {
      for (const [result, outcome] of [
        ['succeeded', 'succeeded'],
        ['failed', 'declined'],
      ] as const) {
        if (subject.tokens[token] === undefined) return;
        // Nothing is told of a customer who may try again.
        if (token === 'asksCustomer' && result === 'failed' && subject.staysOpenAfterDecline) return;
        const instruction = bench.instruction({ token: subject.tokens[token] });
        const id = referenceOf(await bench.execute(instruction));
        const meanwhile = await taken();
        expect(meanwhile).toHaveLength([true, token].includes(signing.tellsOfWaiting) ? 1 : 0);
        for (const fact of meanwhile) await agrees(fact, instruction);
        await bench.customerReturns(instruction, id, result);
        const [fact, ...others] = await taken();
        expect(others).toEqual([]);
        expect(fact).toMatchObject({
          entityKey: instruction.entityKey,
          pspReference: id,
          answer: { outcome },
        });
        await agrees(fact, instruction);
      }
    });

    it('refunds that are made, and one that is not', async () => {
      const parentReference = referenceOf(await bench.execute(bench.instruction()));
      await told();
      const refund = bench.instruction({
        operation: 'refund',
        parentReference,
        money: { amount: 400, currency: 'EUR' },
      });
      const pspReference = referenceOf(await bench.execute(refund));
      const [fact, ...others] = await taken();
      expect(others).toEqual([]);
      expect(fact).toMatchObject({
        operation: 'refund',
        entityKey: refund.entityKey,
        pspReference,
        parentReference: signing.tellsParent === false ? null : parentReference,
        answer: { outcome: 'succeeded', ...moneyOf(refund.money) },
      });
      hold([fact!], bench.effects().slice(1));
      await agrees(fact, refund);

      bench.fault({ fault: 'decline', code: 'lost_or_stolen_card', next: 1 });
      const failing = bench.instruction({
        operation: 'refund',
        parentReference,
        money: { amount: 1, currency: 'EUR' },
      });
      const answer = await bench.execute(failing);
      const said = await taken();
      expect(said.length).toBeGreaterThan(0);
      for (const one of said) {
        expect(one).toMatchObject({ pspReference: answer.pspReference, answer: { outcome: 'declined' } });
        await agrees(one, failing);
      }
      hold(said, []);
    });

    it('payouts that are made, on to their end, and one that is not', async () => {
      if (!subject.bankAccounts) return;
      const payout = bench.instruction({ operation: 'payout', token: subject.bankAccounts.pays });
      const pspReference = referenceOf(await bench.execute(payout));
      const first = await facts();
      bench.advance(49 * 3_600_000);
      // The signatures are of the PSP's clock, which is two days ahead.
      const deliveries = await told();
      expect(deliveries.length).toBeGreaterThan(0);
      const then = deliveries.flatMap((one) => read(one).notices.flatMap((notice) => notice.facts));
      for (const fact of [...first, ...then]) {
        expect(fact).toMatchObject({
          operation: 'payout',
          entityKey: payout.entityKey,
          pspReference,
          answer: { outcome: 'succeeded', money: payout.money },
        });
      }
      expect(then.length).toBeGreaterThan(0);

      const closed = bench.instruction({ operation: 'payout', token: subject.bankAccounts.closed });
      const answer = await bench.execute(closed);
      const said = await taken();
      expect(said.length).toBeGreaterThan(0);
      for (const fact of said) {
        expect(fact).toMatchObject({
          pspReference: answer.pspReference,
          answer: { outcome: 'declined', decline: answer.decline },
        });
      }
    });

    it('what comes to nothing after all: the same operation, declined', async () => {
      const money = { amount: 400, currency: 'EUR' };
      const parentReference = referenceOf(await bench.execute(bench.instruction()));
      const refund = bench.instruction({ operation: 'refund', parentReference, money });
      const deeds = [refund];
      if (subject.bankAccounts) {
        deeds.push(bench.instruction({ operation: 'payout', token: subject.bankAccounts.pays }));
      }
      if (bench.capabilities.captures === 'several') {
        deeds.push(
          bench.instruction({ operation: 'capture', parentReference: await authorized(bench), money }),
        );
      }
      for (const instruction of deeds) {
        const pspReference = referenceOf(await bench.execute(instruction));
        await told();
        bench.fails(pspReference);
        const [fact, ...others] = await taken();
        expect(others).toEqual([]);
        expect(fact).toMatchObject({
          operation: instruction.operation,
          entityKey: instruction.entityKey,
          pspReference,
          parentReference: signing.tellsParent === false ? null : (instruction.parentReference ?? null),
          answer: { outcome: 'declined' },
        });
        await agrees(fact, { ...instruction, pspReference });
        expect(
          bench.effects().find((effect) => effect.psp_reference === pspReference)?.undone_at,
        ).toBeDefined();
      }
      // What was given up is not told of again: neither paid nor booked.
      bench.advance(49 * 3_600_000);
      expect(await told()).toEqual([]);
    });

    it.each(['win', 'lose'] as const)('a dispute, with the money held back, until we %s', async (step) => {
      const charge = bench.instruction();
      const paid = referenceOf(await bench.execute(charge));
      await told();
      for (const next of ['open', step] as const) {
        const withheld = bench.disputes(paid, next);
        const all = await taken();
        if (next === 'lose' && signing.tellsOfLoss === false) {
          expect(all).toEqual([]);
          return;
        }
        const last = all.reduce((one, other) => (one.dispute!.stage >= other.dispute!.stage ? one : other));
        expect(last).toMatchObject({
          about: 'dispute',
          entityKey: null,
          ...(signing.tellsParent === false
            ? { parentReference: null, ofPayment: charge.entityKey }
            : { parentReference: paid }),
          dispute: { status: { open: 'open', win: 'won', lose: 'lost' }[next], withheld: withheld > 0 },
          answer: moneyOf({ amount: 1_000, currency: 'EUR' }),
        });
        expect(new Set(all.map(({ dispute }) => dispute!.reference)).size).toBe(1);
      }
    });

    it('a cancel of what was authorized, by our reference or by its id', async () => {
      if (!bench.can('authorize')) return;
      const authorize = bench.instruction({ operation: 'authorize' });
      const pspReference = referenceOf(await bench.execute(authorize));
      await told();
      await bench.cancel({ ...authorize, pspReference });
      const found = await taken();
      expect(found[0]).toMatchObject({
        entityKey: authorize.entityKey,
        pspReference,
        about: bench.capabilities.cancelIsOrder ? 'cancel' : 'operation',
        answer: { outcome: 'canceled' },
      });
      await agrees(found[0], authorize);
      expect(bench.effects().at(-1)).toMatchObject({ operation: 'void' });
    });

    it('a cancel of what was captured, which gives it back where it can', async () => {
      if (!bench.capabilities.cancelIsOrder) return;
      const charge = bench.instruction();
      const pspReference = referenceOf(await bench.execute(charge));
      const canceled = [{ entityKey: charge.entityKey, pspReference, about: 'cancel' }];
      await told();
      await bench.cancel(charge);
      expect(await taken()).toMatchObject([{ ...canceled[0], answer: { outcome: 'declined' } }]);
      await bench.cancel({ ...charge, pspReference, undo: true });
      expect(await taken()).toMatchObject([{ ...canceled[0], answer: { outcome: 'canceled' } }]);
      expect(bench.effects().at(-1)).toMatchObject({ operation: 'refund', amount: 1_000 });
    });

    it('in a storm: whatever is played, the facts are those of the ledger, each event under one id', async () => {
      const all = ['charge', 'authorize', 'capture', 'void', 'refund', 'decline'] as const;
      const deeds = all.filter((deed) => deed === 'decline' || bench.can(deed));
      const operation = fc.constantFrom(...deeds, ...(subject.bankAccounts ? (['payout'] as const) : []));
      await fc.assert(
        fc.asyncProperty(
          fc.array(operation, { minLength: 1, maxLength: 8 }),
          fc.nat(),
          async (played, seed) => {
            await bench.end();
            await fresh();
            receiver.take();
            bench.webhook({ url: receiver.url, secret: signing.secret, mode: 'storm', delay_ms: 20, seed });
            for (const deed of played) await play(bench, deed);
            const notices = (await told()).map((delivery) => read(delivery)).flatMap((one) => one.notices);
            const byId = new Map<string, PspNotification[]>();
            for (const notice of notices)
              byId.set(notice.eventId, [...(byId.get(notice.eventId) ?? []), notice]);
            for (const copies of byId.values()) {
              expect(copies).toHaveLength(5);
              const said = copies.map((copy) => JSON.stringify(copy.facts));
              expect(new Set(said).size).toBe(1);
            }
            hold(
              [...byId.values()].flatMap(([first]) => first?.facts ?? []),
              bench.effects(),
            );
          },
        ),
        { numRuns: 15 },
      );
    });

    it('is taken under the secret before while it is rotated, and under no third', async () => {
      await bench.execute(bench.instruction());
      bench.rotateSecret({ id: hook, secret: signing.next });
      await bench.execute(bench.instruction());
      const deliveries = await told();
      const [old, young] = [deliveries[0]!, deliveries.at(-1)!];
      const { secret, previous } = signing.names;
      const rotating = readerWith({ [secret]: signing.next, [previous]: signing.secret });
      const rotated = readerWith({ [secret]: signing.next });
      for (const one of [rotating, rotated]) await one.prepare?.(old.headers, new Date());
      for (const delivery of deliveries) expect(read(delivery, rotating).notices).toHaveLength(1);
      expect(read(old, rotated)).toEqual({ notices: [], refused: ['signature_invalid'] });
      expect(read(young, reader)).toEqual({ notices: [], refused: ['signature_invalid'] });
    });

    it('is refused where it is forged, altered, old, or of another account', async () => {
      await bench.execute(bench.instruction());
      const [delivery] = await told();
      const { raw, headers } = delivery!;
      const text = raw.toString();
      const altered = [
        text.replace(/1000|10\.00|"confirmed"/, '10.01'),
        text.replace(/-1-charge|-\d+-charge/, '-9-charge'),
      ];
      for (const body of altered) {
        expect(body).not.toBe(text);
        expect(read({ raw: Buffer.from(body), headers }).refused).toEqual(['signature_invalid']);
      }
      const unsigned = { raw: Buffer.from(text.replace('hmacSignature', 'x')), headers: {} };
      expect(read(unsigned).refused).toEqual(['signature_missing']);
      if (signing.hasAge) {
        const later = new Date(Date.now() + 302_000);
        expect(read(delivery!, reader, later).refused).toEqual(['untimely']);
      }
      if (signing.other !== null) {
        const other = readerWith({ ...signing.other, [signing.names.secret]: signing.secret });
        expect(read(delivery!, other).refused).toEqual(['other_account']);
      }
      expect(read(delivery!).notices).toHaveLength(1);
    });

    it('is there before the answer, where it is told early', async () => {
      await bench.end();
      await fresh();
      bench.webhook({ url: receiver.url, secret: signing.secret, mode: 'early', copies: 5 });
      await bench.execute(bench.instruction());
      const early = receiver.take();
      for (const { headers } of early) await reader.prepare?.(headers, new Date());
      // Each event five times.
      expect([early.length > 0, early.length % 5]).toEqual([true, 0]);
      for (const delivery of early) expect(read(delivery).notices).toHaveLength(1);
    });
  });
}
