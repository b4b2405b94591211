import { BankEnvironment, describeWithSshd } from '../support/bank-environment.js';

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

  it.each([
    ['bank:after:put', 'at once'],
    ['bank:before:rename', 'at once'],
    ['bank:after:rename', 'at once'],
    ['bank:after:rename', 'later'],
  ])('at %s, and the bank takes what lies there %s', async (place, when) => {
    const payouts = [await env.payOut('anna', 100), await env.payOut('ben', 200)];
    const before = env.bank.ledger.length;
    await env.killedAt('send', place);
    if (when === 'at once') env.bank.take();
    expect(await env.send()).toMatchObject({ formed: 0, sent: 1 });
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
