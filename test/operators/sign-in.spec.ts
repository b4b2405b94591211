import { codeOf, ConsoleClient, newOperator, type OperatorCredentials } from '../support/console-client.js';
import { type Service, TestEnvironment } from '../support/test-environment.js';

/** Who is let in to the console, and for how long. */
let environment: TestEnvironment;
let service: Service;
let ada: OperatorCredentials;
const url = () => service.url;
const visitor = () => new ConsoleClient(url);
const acts = async (name: string) =>
  (await environment.acts({ actor: `operator:${name}` })).map(({ action }) => action);
const unlock = (name: string) =>
  environment.sql(
    'DELETE FROM sign_in_tries t USING operators o WHERE o.id = t.operator_id AND o.name = $1',
    [name],
  );

beforeAll(async () => {
  environment = await TestEnvironment.open();
  service = await environment.start();
});
afterAll(() => environment.close());

it('lets a newcomer in by the first link, for as long as nobody has a name of their own', async () => {
  const firstLink = async () =>
    (await environment.command('operators', 'first-link')) as { link: string; error?: { code: string } };
  const [used, left] = [await firstLink(), await firstLink()];
  const enter = ({ link }: { link: string }) => {
    const client = visitor();
    return client.post('session', { link: new URL(link).hash.slice(1) }).then((reply) => ({ client, reply }));
  };
  const { client, reply } = await enter(used);
  expect(reply).toMatchObject({ status: 200, body: { name: 'first', role: 'admin' } });
  ada = await newOperator(environment, 'ada', 'operator');
  expect((await client.get('session')).status).toBe(401);
  expect((await enter(left)).reply.status).toBe(401);
  expect(await firstLink()).toMatchObject({ error: { code: 'invalid_state' } });
  expect(await environment.acts({ action: 'operator.disabled' })).toMatchObject([
    { detail: { name: 'first' } },
  ]);
});

it('lets an operator in with name, password and code, and out again', async () => {
  const client = visitor();
  const { status, body, headers } = await client.signIn(ada);
  expect([status, body]).toEqual([200, { name: 'ada', role: 'operator', needs_credentials: false }]);
  expect(headers.getSetCookie()[0]).toMatch(
    /^payonce_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/,
  );
  expect((await client.get('session')).body).toEqual(body);
  const { cookie } = client;
  expect((await client.send('DELETE', 'session')).status).toBe(200);
  client.cookie = cookie;
  expect((await client.get('session')).status).toBe(401);
  expect(await acts('ada')).toEqual(['operator.signed_in', 'operator.signed_out']);
});

it('takes a code once, and one of the next period after it', async () => {
  const eve = await newOperator(environment, 'eve', 'viewer');
  const [now, next] = [codeOf(eve), codeOf(eve, 1)];
  const { name, password } = eve;
  expect((await visitor().post('session', { name, password, code: now })).status).toBe(200);
  expect((await visitor().post('session', { name, password, code: now })).status).toBe(401);
  expect((await visitor().post('session', { name, password, code: next })).status).toBe(200);
});

it('tells a guesser nothing, and lets a guesser wait longer and longer', async () => {
  const guessed = await newOperator(environment, 'guessed', 'viewer');
  const answers = [
    await visitor().post('session', { name: 'nobody', password: 'x', code: '000000' }),
    await visitor().post('session', { name: 'guessed', password: 'x', code: codeOf(guessed) }),
    await visitor().post('session', {
      name: 'guessed',
      password: guessed.password,
      code: codeOf(guessed, 9),
    }),
  ];
  expect(new Set(answers.map(({ status, body }) => `${status} ${String(body['detail'])}`)).size).toBe(1);
  expect(answers[0]!.status).toBe(401);
  const guess = () => visitor().post('session', { name: 'guessed', password: 'x', code: '000000' });
  const state = () =>
    environment.sql<{ failures: number; waits: boolean }>(
      `SELECT t.failures, locked_until IS NOT NULL AS waits FROM sign_in_tries t JOIN operators o ON o.id = operator_id
        WHERE name = 'guessed'`,
    );
  await guess();
  expect(await state()).toEqual([{ failures: 3, waits: false }]);
  await guess();
  expect(await state()).toEqual([{ failures: 4, waits: true }]);
  // A try that comes too soon is not looked at, however slowly it comes here.
  await environment.sql("UPDATE sign_in_tries SET locked_until = now() + interval '1 hour'");
  for (let i = 0; i < 4; i++) await guess();
  expect(await state()).toEqual([{ failures: 4, waits: true }]);
  expect((await visitor().signIn(guessed)).status).toBe(401);
  await unlock('guessed');
  expect((await visitor().signIn(guessed)).status).toBe(200);
  expect(await acts('guessed')).toEqual([...Array(4).fill('operator.sign_in_failed'), 'operator.signed_in']);
});

describe('while an attacker guesses a password', () => {
  const GUESSER = '203.0.113.7';
  let proxied: Service;
  let victim: OperatorCredentials;
  let known: ConsoleClient;

  const from = (address: string, body: object, client = new ConsoleClient(() => proxied.url)) =>
    client.send('POST', 'session', body, {
      origin: new URL(proxied.url).origin,
      'payonce-console': 'active',
      'x-forwarded-for': address,
    });
  const right = (periods: number) => ({
    name: 'victim',
    password: victim.password,
    code: codeOf(victim, periods),
  });
  const guess = (address: string) => from(address, { name: 'victim', password: 'x', code: '000000' });

  beforeAll(async () => {
    proxied = await environment.start({ env: { PAYONCE_TRUSTED_PROXIES: '127.0.0.1,::1' } });
    victim = await newOperator(environment, 'victim', 'viewer');
    known = new ConsoleClient(() => proxied.url);
    const { status, headers } = await from('198.51.100.9', right(-1), known);
    expect(status).toBe(200);
    // Behind a proxy, TLS is what the browser speaks.
    expect(headers.getSetCookie()).toEqual([
      expect.stringMatching(/^__Host-payonce_session=[\w-]{43}; Path=\/; HttpOnly; Secure; SameSite=Strict$/),
      expect.stringMatching(
        /^__Host-payonce_device=[\w-]+; Max-Age=15552000; Path=\/; HttpOnly; Secure; SameSite=Strict$/,
      ),
    ]);
    environment.hide(known.device.split('=')[1]!);
    // Locked for longer than this takes.
    for (let tries = 0; tries < 4; tries++) expect((await guess(GUESSER)).status).toBe(401);
    await environment.sql(
      "UPDATE sign_in_tries SET locked_until = now() + interval '1 hour' WHERE failures > 3",
    );
  });

  it('lets the right person in from elsewhere, and by a known device from the very address of the guesser', async () => {
    expect((await from(GUESSER, right(0))).status).toBe(401);
    expect((await from('198.51.100.10', right(0))).status).toBe(200);
    expect((await from(GUESSER, right(1), known)).status).toBe(200);
    const failed = await environment.acts({ action: 'operator.sign_in_failed', actor: 'operator:victim' });
    expect(failed.map(({ detail }) => detail['source_address'])).toEqual(Array(4).fill(GUESSER));
    expect(proxied.output()).toContain(`"source_address":"${GUESSER}"`);
  });

  it('has a place for a known device, however many addresses guess at once', async () => {
    const guesses = { areOver: false };
    const strangers = Array.from({ length: 12 }, async (_, n) => {
      const answers: number[] = [];
      while (!guesses.areOver) answers.push((await guess(`192.0.2.${n}`)).status);
      return answers;
    });
    const tries: number[] = [];
    for (let n = 0; n < 5; n++) {
      tries.push((await from(GUESSER, { ...right(2), password: 'mistyped' }, known)).status);
      await unlock('victim');
    }
    guesses.areOver = true;
    const answers = (await Promise.all(strangers)).flat();
    expect(tries).toEqual(Array(5).fill(401));
    expect(new Set(answers)).toEqual(new Set([401, 503]));
  });

  it('takes a device for that of nobody else, and none that we did not make', async () => {
    const other = await newOperator(environment, 'other', 'viewer');
    const keys = () =>
      environment.sql<{ source: string }>(
        "SELECT source FROM sign_in_tries t JOIN operators o ON o.id = operator_id WHERE name = 'other' ORDER BY tried_at",
      );
    const mistyped = { name: 'other', password: 'x', code: codeOf(other) };
    const forged = new ConsoleClient(() => proxied.url);
    forged.device = '__Host-payonce_device=b3RoZXI';
    for (const client of [known, forged]) await from('2001:db8:1:2:3::4', mistyped, client);
    expect(await keys()).toEqual([{ source: 'address:2001:db8:1:2::/64' }]);
  });

  it('believes no address that a stranger claims to have', async () => {
    await visitor().send(
      'POST',
      'session',
      { name: 'other', password: 'x', code: '000000' },
      { origin: new URL(url()).origin, 'payonce-console': 'active', 'x-forwarded-for': '198.51.100.66' },
    );
    const failed = await environment.acts({ action: 'operator.sign_in_failed', actor: 'operator:other' });
    expect(failed.at(-1)!.detail).toMatchObject({ source_address: '127.0.0.1' });
  });
});

it('gives every sign-in a session of its own, whatever cookie came with it', async () => {
  const client = visitor();
  client.cookie = 'payonce_session=chosen-by-an-attacker-chosen-by-an-attacker';
  const fixed = client.cookie;
  expect((await client.signIn(await newOperator(environment, 'fixed', 'viewer'))).status).toBe(200);
  expect(client.cookie).not.toBe(fixed);
  const other = visitor();
  other.cookie = fixed;
  expect((await other.get('session')).status).toBe(401);
});

it('ends a session after a quarter of an hour without a person, and after half a day', async () => {
  const client = await ConsoleClient.signedIn(url, await newOperator(environment, 'idle', 'viewer'));
  const age = (seen: string, started: string) =>
    environment.sql(
      `UPDATE operator_sessions SET seen_at = now() - interval '${seen}', started_at = now() - interval '${started}'
        WHERE operator_id = (SELECT id FROM operators WHERE name = 'idle')`,
    );
  const poll = () => client.send('GET', 'session', undefined, { 'payonce-console': 'idle' });
  await age('14 minutes', '11 hours');
  expect((await poll()).status).toBe(200);
  const [{ minutes }] = (await environment.sql<{ minutes: number }>(
    `SELECT extract(epoch FROM now() - seen_at)::int / 60 AS minutes FROM operator_sessions
      WHERE operator_id = (SELECT id FROM operators WHERE name = 'idle')`,
  )) as [{ minutes: number }];
  expect(minutes).toBe(14);
  await age('16 minutes', '1 hour');
  expect((await client.get('session')).status).toBe(401);
  await age('1 minute', '11 hours');
  expect((await client.get('session')).status).toBe(200);
  await age('1 minute', '13 hours');
  expect((await client.get('session')).status).toBe(401);
});

it('refuses what does not come from its own pages', async () => {
  const client = await ConsoleClient.signedIn(url, await newOperator(environment, 'forged', 'viewer'));
  const origin = new URL(service.url).origin;
  const own = { 'payonce-console': 'active' };
  const foreign: readonly Readonly<Record<string, string>>[] = [
    { origin },
    own,
    { ...own, origin: 'https://evil.example' },
    { ...own, origin: 'null' },
    { ...own, origin: `${origin}0` },
  ];
  for (const headers of foreign) {
    const { status, body } = await client.send('DELETE', 'session', undefined, headers);
    expect([status, body['code']]).toEqual([403, 'forbidden']);
  }
  expect((await client.get('session')).status).toBe(200);
});

it('ends the sessions of an operator who is disabled, or whose phone is lost', async () => {
  const gone = await newOperator(environment, 'gone', 'admin');
  const client = await ConsoleClient.signedIn(url, gone);
  const { totp_secret } = (await environment.command(
    'operators',
    'reset-totp',
    'gone',
  )) as OperatorCredentials;
  environment.hide(totp_secret);
  expect((await client.get('session')).status).toBe(401);
  expect((await visitor().signIn(gone)).status).toBe(401);
  const again = await ConsoleClient.signedIn(url, { ...gone, totp_secret });
  await environment.command('operators', 'disable', 'gone');
  expect((await again.get('session')).status).toBe(401);
  expect((await visitor().signIn({ ...gone, totp_secret }, 1)).status).toBe(401);
});

it('is let in by no API key of a merchant', async () => {
  const key = await environment.merchant();
  const headers = { authorization: `Bearer ${key}` };
  expect((await fetch(`${service.url}/ops/api/session`, { headers })).status).toBe(401);
});

it('answers with headers that keep its pages to themselves', async () => {
  const page = await fetch(`${service.url}/ops`);
  expect(page.status).toBe(200);
  const policy = page.headers.get('content-security-policy')!;
  expect(policy).toContain("default-src 'none'; script-src 'self';");
  expect(policy).not.toMatch(/unsafe/);
  const nonce = /'nonce-([\w-]+)'/.exec(policy)![1]!;
  const html = await page.text();
  expect(html).toContain(nonce);
  expect(html).not.toMatch(/<script(?![^>]+src=)|<style| on\w+=|__NONCE__/);
  for (const path of ['/ops/api/session', '/ops/payments/x']) {
    const { headers } = await fetch(`${service.url}${path}`);
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('x-frame-options')).toBe('DENY');
  }
});
