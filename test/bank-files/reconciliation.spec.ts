import { type RunResultView } from '../../src/reconciliation/reconciliation.view.js';
import { BankEnvironment, describeWithSshd, OWN_IBAN, statementOf } from '../support/bank-environment.js';
import { eventually } from '../support/test-environment.js';

/** A bank's statements are reports: each booking is held against the ledger. */
describeWithSshd('statements of a bank', () => {
  let bank: BankEnvironment;
  beforeAll(async () => {
    bank = await BankEnvironment.open();
  });
  afterAll(() => bank.close());

  const IN_AN_HOUR = 3_600_000;
  /** What waits to be fetched, and is due in a minute. */
  const reconcile = () =>
    bank.environment.command(
      'reconcile',
      '--psp',
      'bank',
      '--from',
      '2026-01-01',
      '--to',
      new Date(Date.now() + IN_AN_HOUR).toISOString(),
    ) as Promise<RunResultView[]>;
  const posted = (entityKey: string, kind: string) =>
    eventually(
      async () =>
        (
          await bank.environment.sql('SELECT FROM ledger_transactions WHERE entity_key = $1 AND kind = $2', [
            entityKey,
            kind,
          ])
        ).length === 1,
      `${kind} of ${entityKey} is posted`,
    );
  const openBreaks = () =>
    bank.environment.sql<{ category: string; expected: number; reported: number }>(
      `SELECT category, expected::int, reported::int FROM reconciliation_breaks WHERE closed_at IS NULL ORDER BY 1, 3`,
    );
  /** Sent, taken by the bank, accepted; then booked on a statement, which is read. */
  const booked = async (options: Parameters<BankEnvironment['bank']['statement']>[0] = {}) => {
    await bank.send();
    bank.bank.take();
    bank.bank.report();
    bank.bank.statement(options);
    await bank.fetch();
  };
  const entry = (name: string, amount: string, more = '') =>
    `<Ntry><Amt Ccy="EUR">${amount}</Amt><CdtDbtInd>DBIT</CdtDbtInd><Sts><Cd>BOOK</Cd></Sts>
<BookgDt><Dt>2026-11-20</Dt></BookgDt><NtryDtls><TxDtls><Refs><EndToEndId>${name}</EndToEndId></Refs>${more}</TxDtls></NtryDtls></Ntry>`;

  it('agree with the ledger, line by line, a return and a fee too', async () => {
    const [one, two] = [await bank.payOut('anna', 1_111), await bank.payOut('ben', 2_222)];
    const payment = await bank.debit('cleo', 5_000);
    await booked();
    for (const { id } of [one, two]) await bank.payoutIs(id, 'paid');
    await posted(`payment-${payment}-charge`, 'charge');
    const { status } = await bank.shop.post(
      `/v1/payments/${payment}/refunds`,
      { reference: 'r-1', amount: 700 },
      'refund',
      {
        waitS: 0,
      },
    );
    expect(status).toBe(202);
    await booked();
    bank.bank.giveBack(await bank.endToEndId(two.entity_key), 'AC04');
    bank.bank.statement();
    bank.leave(
      'fee.xml',
      statementOf(
        OWN_IBAN,
        `<Ntry><Amt Ccy="EUR">4.50</Amt><CdtDbtInd>DBIT</CdtDbtInd><Sts><Cd>BOOK</Cd></Sts><BookgDt><Dt>2026-11-20</Dt></BookgDt>
<BkTxCd><Domn><Cd>ACMT</Cd><Fmly><Cd>MDOP</Cd><SubFmlyCd>CHRG</SubFmlyCd></Fmly></Domn></BkTxCd></Ntry>`,
      ),
    );
    await bank.fetch();
    await bank.payoutIs(two.id, 'returned');
    await posted(two.entity_key, 'payout_returned');
    await eventually(
      async () =>
        (await bank.environment.sql(`SELECT FROM ledger_transactions WHERE kind = 'refund'`)).length === 1,
      'the refund is posted',
    );
    const runs = await reconcile();
    expect(runs.map(({ matched, unmatched, breaks }) => [matched, unmatched, breaks])).toEqual([
      [3, 0, []],
      [1, 0, []],
      [1, 0, []],
      [0, 0, []],
    ]);
    expect(
      await bank.environment.sql('SELECT kind, gross::int FROM report_lines ORDER BY kind, gross'),
    ).toEqual([
      { kind: 'fee', gross: -450 },
      { kind: 'payment', gross: 5_000 },
      { kind: 'payout', gross: -2_222 },
      { kind: 'payout', gross: -1_111 },
      { kind: 'payout_returned', gross: 2_222 },
      { kind: 'refund', gross: -700 },
    ]);
    // What the bank costs is in the ledger as well.
    expect(await bank.environment.sql(`SELECT amount::int FROM ledger_lines WHERE account = 'fees'`)).toEqual(
      [{ amount: 450 }],
    );
    expect(await reconcile()).toEqual([]);
  });

  it('match a booking of a whole file with all that was done of it, and take an advice of it as the same', async () => {
    const payouts = [await bank.payOut('anna', 301), await bank.payOut('ben', 302)];
    await booked({ asWhole: true });
    for (const { id, entity_key } of payouts) {
      await bank.payoutIs(id, 'paid');
      await posted(entity_key, 'payout');
    }
    const [run] = await reconcile();
    expect(run).toMatchObject({ matched: 1, unmatched: 0, breaks: [] });
    expect(
      await bank.environment.sql(
        `SELECT count(DISTINCT line_key)::int AS lines, count(*)::int AS matches FROM reconciliation_matches WHERE unit LIKE 'file:%'`,
      ),
    ).toEqual([{ lines: 1, matches: 2 }]);
    const single = await bank.payOut('cleo', 303);
    await booked({ message: 'camt.054.001.08' });
    await bank.payoutIs(single.id, 'paid');
    await posted(single.entity_key, 'payout');
    const day = new Date().toISOString().slice(0, 10);
    const name = await bank.endToEndId(single.entity_key);
    bank.leave('statement.xml', statementOf(OWN_IBAN, entry(name, '3.03').replace('2026-11-20', day)));
    await bank.fetch();
    const [advice, statement] = await reconcile();
    expect([advice!.run.new_lines, statement!.run.lines, statement!.run.new_lines]).toEqual([1, 1, 0]);
    expect(await openBreaks()).toEqual([]);
  });

  it('show what the bank did twice, what it did for another amount, and what nobody asked for', async () => {
    const payout = await bank.payOut('anna', 4_000);
    await booked();
    await bank.payoutIs(payout.id, 'paid');
    await posted(payout.entity_key, 'payout');
    const name = await bank.endToEndId(payout.entity_key);
    const several = `<Ntry><Amt Ccy="EUR">10.00</Amt><CdtDbtInd>DBIT</CdtDbtInd><Sts><Cd>BOOK</Cd></Sts><BookgDt><Dt>2026-11-20</Dt></BookgDt>
<NtryDtls><TxDtls><Refs><EndToEndId>PO-${'A'.repeat(31)}</EndToEndId></Refs><Amt Ccy="EUR">7.00</Amt></TxDtls>
<TxDtls><Refs><EndToEndId>RENT</EndToEndId></Refs><Amt Ccy="EUR">2.00</Amt></TxDtls></NtryDtls></Ntry>`;
    bank.leave('twice.xml', statementOf(OWN_IBAN, `${entry(name, '40.00')}${several}`));
    await bank.fetch();
    await reconcile();
    expect(await openBreaks()).toEqual([
      { category: 'duplicate_effect', expected: -4_000, reported: -8_000 },
      { category: 'missing_here', expected: 0, reported: -700 },
    ]);
    // The rest of the entry is on no line of its transactions.
    expect(
      await bank.environment.sql(`SELECT gross::int FROM report_lines WHERE kind = 'other' ORDER BY 1`),
    ).toEqual([{ gross: -200 }, { gross: -100 }]);
  });

  it('that cannot be read, and files that cannot be sent, are measured', async () => {
    let { service } = bank;
    const metrics = async () => (await fetch(`${service.url}/metrics`)).text();
    bank.leave('half.xml', '<Document><BkToCstmrStmt>');
    await bank.fetch();
    await eventually(
      async () => (await metrics()).includes('payonce_bank_files_refused{psp="bank"} 1\n'),
      'the refused file is measured',
    );
    await bank.payOut('ben', 5_000);
    // A service with background work would send the file before it is measured.
    await bank.service.stop();
    service = await bank.environment.start();
    await bank.formedAlone();
    await eventually(
      async () => /^payonce_bank_file_unsent_seconds\{psp="bank"\} /m.test(await metrics()),
      'the unsent file is measured',
    );
    await bank.send();
    bank.leave('half.xml', statementOf(OWN_IBAN, ''));
    await bank.fetch();
    await eventually(async () => !/^payonce_bank_file/m.test(await metrics()), 'both are over');
  });
});
