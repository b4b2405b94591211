import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type DisputeView } from '../../src/payments/dispute.view.js';
import {
  BankEnvironment,
  describeWithSshd,
  ofAccount,
  OWN_IBAN,
  statementOf,
} from '../support/bank-environment.js';
import { eventually } from '../support/test-environment.js';

/** What goes wrong at a bank, and what must come of it. The bank's ledger is the judge of what was done twice. */
describeWithSshd('a bank that fails', () => {
  let env: BankEnvironment;

  beforeAll(async () => {
    env = await BankEnvironment.open();
  });
  afterAll(async () => (env as BankEnvironment | undefined)?.close());
  afterEach(() => expect(env.twice()).toEqual([]));

  /** Collected, sent and taken. */
  async function taken(...amounts: readonly number[]) {
    const payouts = [];
    for (const amount of amounts) payouts.push(await env.payOut('anna', amount));
    // An instruction that was collected in the very moment of a pass, by the clocks of two processes, goes with the next one.
    const lines: ReturnType<typeof env.bank.take>[number][] = [];
    await eventually(async () => {
      await env.send();
      lines.push(...env.bank.take());
      return lines.length === amounts.length;
    }, 'the bank has all of them');
    return payouts.map((payout, at) => ({ ...payout, endToEndId: lines[at]!.endToEndId }));
  }

  const stuck = (entityKey: string) =>
    eventually(async () => {
      const [row] = await env.environment.sql(
        'SELECT FROM psp_requests WHERE entity_key = $1 AND stuck_at IS NOT NULL',
        [entityKey],
      );
      return row;
    }, `${entityKey} stuck`);

  it('refuses one line of many with its reason, and books the others', async () => {
    const before = env.bank.takenFiles.length;
    const [first, refused, last] = await taken(100, 200, 300);
    env.bank.report({ reject: ({ endToEndId }) => (endToEndId === refused!.endToEndId ? 'AC04' : null) });
    env.bank.statement();
    // A report of each file, and the statement.
    expect(await env.fetch()).toBe(env.bank.takenFiles.length - before + 1);
    const { failure } = await env.payoutIs(refused!.id, 'failed');
    expect(failure).toMatchObject({ category: 'declined', code: 'account_invalid', psp_code: 'AC04' });
    for (const { id } of [first!, last!]) await env.payoutIs(id, 'paid');
  });

  it('refuses a whole file', async () => {
    const all = await taken(100, 200);
    env.bank.report({ refuse: 'AM04' });
    await env.fetch();
    for (const { id } of all) {
      expect((await env.payoutIs(id, 'failed')).failure).toMatchObject({ code: 'insufficient_funds' });
    }
  });

  it('leaves half a file, then all of it, and the same once more', async () => {
    const [one] = await taken(100);
    env.bank.statement({ faults: { partial: true } });
    expect(await env.fetch()).toBe(0);
    expect(await env.environment.command('bank', 'files', '--limit', '1')).toMatchObject([
      { state: 'refused', fault: expect.stringContaining('is no XML') as string },
    ]);
    env.bank.complete();
    expect(await env.fetch()).toBe(1);
    await env.payoutIs(one!.id, 'paid');
    const [two] = await taken(100);
    env.bank.statement({ faults: { twice: true } });
    expect(await env.fetch()).toBe(2);
    await env.payoutIs(two!.id, 'paid');
  });

  it('books without any status report, by line, by advice and as a whole', async () => {
    const all = [];
    for (const how of [{}, { message: 'camt.054.001.08' }, { asWhole: true }] as const) {
      all.push(...(await taken(100, 250)));
      env.bank.statement(how);
    }
    expect(await env.fetch()).toBe(3);
    for (const { id } of all) await env.payoutIs(id, 'paid');
  });

  it('gives a payout back a day later', async () => {
    const [one] = await taken(4_200);
    env.bank.statement();
    await env.fetch();
    await env.payoutIs(one!.id, 'paid');
    env.bank.giveBack(one!.endToEndId, 'AC06');
    env.bank.statement();
    await env.fetch();
    expect((await env.payoutIs(one!.id, 'returned')).failure).toMatchObject({ psp_code: 'AC06' });
    expect(await env.eventsOf(one!.id)).toEqual(['payout.returned', 'payout.paid']);
    // The recipient's next payout follows it.
    const [again] = await env.environment.sql<{ sealed: unknown }>(
      'SELECT sealed FROM payouts WHERE id = $1',
      [one!.id],
    );
    expect(again!.sealed).toBeNull();
  });

  it('sends money under the name that stands on the statement of the recipient: the payout stays paid', async () => {
    const [one] = await taken(4_300);
    env.bank.statement();
    await env.fetch();
    const { id, endToEndId } = { ...one!, ...(await env.payoutIs(one!.id, 'paid')) };
    const entry = `<Ntry><Amt Ccy="EUR">0.01</Amt><CdtDbtInd>CRDT</CdtDbtInd><Sts>BOOK</Sts><NtryDtls><TxDtls><Refs><EndToEndId>${endToEndId}</EndToEndId></Refs></TxDtls></NtryDtls></Ntry>`;
    env.leave('cent.xml', statementOf(OWN_IBAN, entry));
    await env.fetch();
    await eventually(async () => {
      const [row] = await env.environment.sql<{ state: string }>(
        "SELECT state FROM webhook_inbox WHERE event_id LIKE $1 AND type = 'camt.returned'",
        [`${endToEndId}.%`],
      );
      return row?.state === 'break';
    }, 'break');
    await env.payoutIs(id, 'paid');
  });

  it('refuses the same operation in the file of another account: nothing is said of ours', async () => {
    const [one] = await taken(4_400);
    const refusal = `<Document><CstmrPmtStsRpt><OrgnlGrpInfAndSts><OrgnlMsgId>PO-OTHER-1</OrgnlMsgId></OrgnlGrpInfAndSts><OrgnlPmtInfAndSts><TxInfAndSts><OrgnlEndToEndId>${one!.endToEndId}</OrgnlEndToEndId><TxSts>RJCT</TxSts></TxInfAndSts></OrgnlPmtInfAndSts></CstmrPmtStsRpt></Document>`;
    env.leave('other-file.xml', refusal);
    env.bank.statement();
    expect(await env.fetch()).toBe(2);
    await env.payoutIs(one!.id, 'paid');
    const inbox = await env.environment.sql('SELECT type FROM webhook_inbox WHERE event_id LIKE $1', [
      `${one!.endToEndId}.%`,
    ]);
    expect(inbox).toEqual([{ type: 'camt.booked' }]);
  });

  it('gives a direct debit back: a payment with a dispute that is lost', async () => {
    const id = await env.debit('cleo', 5_000);
    await env.send();
    const [line] = env.bank.take();
    env.bank.statement();
    env.bank.giveBack(line!.endToEndId, 'MD06');
    env.bank.statement();
    expect(await env.fetch()).toBe(2);
    const payment = await eventually(async () => {
      const found = await env.shop.payment(id);
      return found.disputes.length > 0 && found;
    }, 'dispute');
    expect(payment.status).toBe('captured');
    expect(payment.disputes[0]).toMatchObject({
      status: 'lost',
      reason: 'MD06',
      amount: 5_000,
    } satisfies Partial<DisputeView>);
  });

  it('calls a line a duplicate, or books another amount: a person looks', async () => {
    const [one, two] = await taken(100, 200);
    env.bank.report({ reject: ({ endToEndId }) => (endToEndId === one!.endToEndId ? 'AM05' : null) });
    await env.fetch();
    await stuck(one!.entity_key);
    const { endToEndId } = two!;
    const entry = `<Ntry><Amt Ccy="EUR">2.01</Amt><CdtDbtInd>DBIT</CdtDbtInd><Sts>BOOK</Sts><NtryDtls><TxDtls><Refs><EndToEndId>${endToEndId}</EndToEndId></Refs></TxDtls></NtryDtls></Ntry>`;
    env.leave('other-amount.xml', statementOf(OWN_IBAN, entry));
    await env.fetch();
    await stuck(two!.entity_key);
  });

  it('names what nobody here knows, or another account: a break, and a refusal', async () => {
    const entry = `<Ntry><Amt Ccy="EUR">2.01</Amt><CdtDbtInd>DBIT</CdtDbtInd><NtryDtls><TxDtls><Refs><EndToEndId>PO-${'A'.repeat(31)}</EndToEndId></Refs></TxDtls></NtryDtls></Ntry>`;
    const both = `${ofAccount('NL91ABNA0417164300', entry)}${ofAccount(OWN_IBAN, entry)}`;
    env.leave('unknown.xml', `<Document><BkToCstmrStmt>${both}</BkToCstmrStmt></Document>`);
    env.leave('other.xml', statementOf('NL91ABNA0417164300', entry));
    expect(await env.fetch()).toBe(1);
    const files = (await env.environment.command('bank', 'files', '--limit', '2')) as { name: string }[];
    expect(Object.fromEntries(files.map(({ name, ...file }) => [name, file]))).toMatchObject({
      'unknown.xml': { state: 'read', unknown: 1 },
      'other.xml': { state: 'refused', fault: 'is about another account' },
    });
    const inbox = await env.environment.sql('SELECT FROM webhook_inbox WHERE event_id LIKE $1', ['PO-AAAA%']);
    expect(inbox).toHaveLength(1);
  });

  it('has another file under the name of ours: nothing is sent over it', async () => {
    const { entity_key } = await env.payOut('ben', 777);
    const { fileName } = await env.formedAlone();
    writeFileSync(join(env.drop.upload, fileName), 'something else');
    await env.send();
    expect(await env.environment.command('bank', 'batches', '--limit', '1')).toMatchObject([
      { state: 'conflict' },
    ]);
    expect(env.bank.ledger.filter(({ amount }) => amount === '7.77')).toEqual([]);
    expect(entity_key).toContain('payout-');
  });
});
