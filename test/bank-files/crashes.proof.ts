import { BankEnvironment, describeWithSshd, OWN_IBAN, statementOf } from '../support/bank-environment.js';
import { eventually } from '../support/test-environment.js';
import { inTurn } from '../support/turns.js';

/**
 * Processes that die while they send, or read, files: killed at each place, with and without the bank taking the file
 * before the next process looks. Afterwards the bank has every line once and every file once.
 */
describeWithSshd('a process that dies', () => {
  let env: BankEnvironment;

  beforeAll(async () => {
    env = await BankEnvironment.open();
  });
  afterAll(async () => (env as BankEnvironment | undefined)?.close());

  const deaths: [place: string, when: 'at once' | 'later'][] = [
    ['bank:after:rename', 'at once'],
    ['bank:before:rename', 'at once'],
    ['bank:after:put', 'at once'],
    ['bank:after:rename', 'later'],
  ];
  it.each(inTurn(deaths, 2))('at %s, and the bank takes what lies there %s', async (place, when) => {
    const payouts = [await env.payOut('anna', 100), await env.payOut('ben', 200)];
    const before = env.bank.ledger.length;
    await env.killedAt('send', place);
    if (when === 'at once') env.bank.take();
    // The server notices only after a moment that the one who held the lock is gone.
    const sent = await eventually(async () => {
      const pass = await env.send();
      return pass.sent !== null && pass;
    }, 'it may be sent');
    expect(sent).toMatchObject({ formed: 0, sent: 1 });
    env.bank.take();
    expect(env.twice()).toEqual([]);
    expect(env.bank.ledger.slice(before).map(({ amount }) => amount)).toEqual(['1.00', '2.00']);
    expect(env.bank.waiting).toEqual([]);
    env.bank.statement();
    await env.fetch();
    for (const { id } of payouts) await env.payoutIs(id, 'paid');
    expect(await env.send()).toEqual({ formed: 0, sent: 0 });
  });

  it('after it told what a file says: the next one tells it again, and nothing follows twice', async () => {
    const { id } = await env.payOut('anna', 300);
    await env.send();
    env.bank.take();
    env.bank.statement();
    await env.killedAt('fetch', 'bank:file:told');
    expect(await env.fetch()).toBe(1);
    await env.payoutIs(id, 'paid');
    expect(await env.eventsOf(id)).toEqual(['payout.paid']);
  });

  it('before the rename, and the account has moved: a file that another server has is not taken for sent', async () => {
    await env.payOut('anna', 350);
    await env.killedAt('send', 'bank:before:rename');
    const batches = `SELECT state, server FROM bank_batches WHERE state <> 'sent'`;
    const [{ server } = { server: '' }] = await env.environment.sql<{ server: string }>(batches);
    await env.environment.sql("UPDATE bank_batches SET server = 'old.example:22/in' WHERE state = 'placing'");
    await expect(env.send()).rejects.toThrow('it was put at old.example:22/in');
    expect(await env.environment.sql(batches)).toEqual([{ state: 'placing', server: 'old.example:22/in' }]);
    await env.environment.sql("UPDATE bank_batches SET server = $1 WHERE state = 'placing'", [server]);
    expect(await env.send()).toMatchObject({ sent: 1 });
    expect(env.bank.take().map(({ amount }) => amount)).toEqual(['3.50']);
  });

  it('two that send at once put one file', async () => {
    await env.payOut('anna', 400);
    await Promise.allSettled([env.send(), env.send(), env.send()]);
    await env.send();
    expect(env.bank.take().map(({ amount }) => amount)).toEqual(['4.00']);
    expect(env.twice()).toEqual([]);
  });

  it('lets no line into a second file, and changes none, whatever the code does', async () => {
    const [line] = await env.environment.sql<{ id: string }>(
      'SELECT end_to_end_id AS id FROM bank_instructions WHERE batch IS NOT NULL LIMIT 1',
    );
    for (const set of ['batch = batch + 1', 'batch = NULL', 'amount = amount + 1', "kind = 'direct_debit'"]) {
      const changed = env.environment.sql(`UPDATE bank_instructions SET ${set} WHERE end_to_end_id = $1`, [
        line!.id,
      ]);
      await expect(changed).rejects.toThrow('bank instruction');
    }
  });

  const lost = (sql: string, id: string) => env.environment.sql(sql, [id]);

  it('puts no file again of which the commit is lost that says that it was put', async () => {
    const payouts = [await env.payOut('anna', 510), await env.payOut('ben', 520)];
    await env.send();
    env.bank.take();
    const back =
      "UPDATE bank_batches SET state = 'formed', sent_at = NULL WHERE number = (SELECT batch FROM bank_instructions WHERE entity_key = $1)";
    await lost(back, payouts[0]!.entity_key);
    await env.environment.command('failover', 'hold');
    await env.pass();
    expect(env.bank.waiting).toEqual([]);
    env.bank.statement();
    await env.fetch();
    // The service reads files too: where it has this one in hand, the fetch ends before what it says is known.
    for (const { id } of payouts) await env.payoutIs(id, 'paid');
    await env.environment.command('failover', 'resume', '--nothing-lost');
    expect(await env.send()).toEqual({ formed: 0, sent: 0 });
    expect(await env.environment.command('bank', 'batches', '--limit', '1')).toMatchObject([
      { state: 'conflict', answered: 2 },
    ]);
    expect(env.bank.waiting).toEqual([]);
  });

  it('makes no file of a line that stood in one that is lost', async () => {
    const { id, entity_key } = await env.payOut('anna', 530);
    const endToEndId = await env.endToEndId(entity_key);
    const entry = `<Ntry><Amt Ccy="EUR">5.30</Amt><CdtDbtInd>DBIT</CdtDbtInd><Sts>BOOK</Sts><NtryDtls><TxDtls><Refs><EndToEndId>${endToEndId}</EndToEndId></Refs></TxDtls></NtryDtls></Ntry>`;
    env.leave('lost.xml', statementOf(OWN_IBAN, entry));
    await env.fetch();
    await env.payoutIs(id, 'paid');
    expect(await env.send()).toEqual({ formed: 0, sent: 0 });
  });

  it('sends nothing of which a person has said that it is not done', async () => {
    const resolve = async (id: string) =>
      env.environment.command(
        'stuck',
        'resolve',
        id,
        ...(await env.environment.seen(id)),
        '--overrules-psp',
        '--as',
        'not-done',
        '--evidence',
        'not on the account',
      );
    const collected = await env.payOut('anna', 540);
    await env.isStuck(collected.entity_key);
    expect(await resolve(collected.id)).toMatchObject({ verdict: 'ruled_out' });
    await env.payoutIs(collected.id, 'failed');
    expect(await env.send()).toEqual({ formed: 0, sent: 0 });
    const formed = await env.payOut('anna', 550);
    await env.formedAlone();
    await env.isStuck(formed.entity_key);
    expect(await resolve(formed.id)).toMatchObject({ error: { code: 'invalid_state' } });
    expect(await env.send()).toMatchObject({ sent: 1 });
    expect(env.bank.take().map(({ amount }) => amount)).toEqual(['5.50']);
    expect(env.twice()).toEqual([]);
  });

  it('a server with another host key is sent nothing', async () => {
    await env.payOut('anna', 500);
    const { code } = await env.sendToOtherHostKey();
    expect(code).not.toBe(0);
    expect(env.bank.waiting).toEqual([]);
    expect(await env.environment.command('bank', 'batches', '--limit', '1')).toMatchObject([
      { state: 'formed', answered: 0 },
    ]);
    await env.send();
    expect(env.bank.take().map(({ amount }) => amount)).toEqual(['5.00']);
  });
});
