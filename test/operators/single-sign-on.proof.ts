import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeInBrowser, openBrowser, openPage } from '../support/browser.js';
import { ConsoleClient, newOperator } from '../support/console-client.js';
import { freePort } from '../support/free-port.js';
import { spawnNode, type Spawned } from '../support/process.js';
import { type Service, TestEnvironment } from '../support/test-environment.js';
import { temporaryFolder } from '../support/temporary-folder.js';

/** Signing in by a real OpenID provider, oidc-provider, in a process of its own. */
let environment: TestEnvironment;
let service: Service;
let provider: Spawned;
let issuer: string;
const SECRET = 'oidc-secret-of-the-spec';
const CALLBACK = '/ops/api/session/oidc/callback';

/** A browser of a few lines: keeps cookies by host, follows nothing by itself. */
class Browser {
  private readonly jars = new Map<string, Map<string, string>>();

  async open(url: string, form?: Readonly<Record<string, string>>): Promise<Response> {
    const jar = this.jarOf(url);
    const reply = await fetch(url, {
      redirect: 'manual',
      headers: { cookie: [...jar].map(([name, value]) => `${name}=${value}`).join('; ') },
      ...(form === undefined ? {} : { method: 'POST', body: new URLSearchParams(form) }),
    });
    for (const line of reply.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!;
      if (value === '') jar.delete(name!);
      else jar.set(name!, value!);
    }
    return reply;
  }

  cookie(url: string, name: string): string | undefined {
    return this.jarOf(url).get(name);
  }

  setCookie(url: string, name: string, value: string): void {
    this.jarOf(url).set(name, value);
  }

  private jarOf(url: string): Map<string, string> {
    const { host } = new URL(url);
    const jar = this.jars.get(host) ?? new Map<string, string>();
    this.jars.set(host, jar);
    return jar;
  }
}

const folder = temporaryFolder();

function settings(file: string, more: object): string {
  const path = join(folder, file);
  const whole = {
    issuer,
    clientId: 'payonce',
    clientSecret: SECRET,
    redirectUri,
    roleClaim: 'groups',
    roles: { support: 'viewer', payments: 'operator', chiefs: 'approver' },
    ...more,
  };
  writeFileSync(path, JSON.stringify(whole));
  return path;
}
let redirectUri: string;

beforeAll(async () => {
  environment = await TestEnvironment.open();
  environment.hide(SECRET);
  const port = await freePort();
  redirectUri = `http://127.0.0.1:${port}${CALLBACK}`;
  provider = spawnNode('test/support/oidc-provider.mjs', { args: [redirectUri] });
  [, issuer] = (await provider.waitForLine(/"listening":"(http[^"]+)"/, 30_000)) as [string, string];
  service = await environment.start({
    env: {
      PAYONCE_ROLE: 'api',
      PORT: String(port),
      PAYONCE_OIDC_FILE: settings('oidc.json', { createOperators: true }),
    },
  });
});
afterAll(async () => {
  provider.kill();
  await environment.close();
});

/** As far as the provider sends the browser back; `who`: a name, and behind it the groups. */
async function callbackOf(browser: Browser, who: string): Promise<string> {
  const [login = '', ...groups] = who.split('+');
  await fetch(`${issuer}/_groups?${encodeURIComponent(login)}=${groups.join('+')}`);
  const start = await browser.open(`${service.url}/ops/api/session/oidc`);
  expect(start.status).toBe(303);
  let next = start.headers.get('location')!;
  const asked = new URL(next).searchParams;
  expect(['state', 'nonce', 'code_challenge'].filter((name) => !asked.get(name))).toEqual([]);
  expect(asked.get('code_challenge_method')).toBe('S256');
  for (let steps = 0; steps < 12; steps++) {
    if (next.startsWith(redirectUri)) return next;
    let reply = await browser.open(next);
    if (reply.status === 200) {
      const page = await reply.text();
      const [, prompt] = /name="prompt" value="(\w+)"/.exec(page)!;
      reply = await browser.open(next, { prompt: prompt!, login, password: 'any' });
    }
    next = new URL(reply.headers.get('location')!, next).href;
  }
  throw new Error('the provider does not send the browser back');
}

async function arrive(
  browser: Browser,
  url: string,
): Promise<{ to: string; signedIn: ConsoleClient | null }> {
  const reply = await browser.open(url);
  const cookie = browser.cookie(service.url, 'payonce_session');
  const client = new ConsoleClient(() => service.url);
  if (cookie !== undefined) client.cookie = `payonce_session=${cookie}`;
  return { to: reply.headers.get('location') ?? `status ${reply.status}`, signedIn: cookie ? client : null };
}

async function signIn(login: string) {
  const browser = new Browser();
  return arrive(browser, await callbackOf(browser, login));
}

const REFUSED = { to: '/ops/sign-in?refused', signedIn: null };
const acts = (subject: string) =>
  environment.sql<{ actor: string; action: string }>(
    'SELECT actor, action FROM payonce_audit.records WHERE actor LIKE $1 OR detail LIKE $1 ORDER BY number',
    [`%${subject}%`],
  );

it('makes an operator of someone with a role, at the first sign-in, and knows them at the next', async () => {
  expect((await (await fetch(`${service.url}/ops/api/session/ways`)).json()) as object).toEqual({
    oidc: true,
  });
  const { to, signedIn } = await signIn('grace+payments+other');
  expect(to).toBe('/ops/');
  expect((await signedIn!.get('session')).body).toMatchObject({
    name: 'grace@example.com',
    role: 'operator',
  });
  const again = await signIn('grace+payments+chiefs');
  expect((await again.signedIn!.get('session')).body).toMatchObject({
    name: 'grace@example.com',
    role: 'approver',
  });
  // The session of before ended with the change of the role.
  expect((await signedIn!.get('session')).status).toBe(401);
  const rows = await environment.sql(
    "SELECT person, oidc_subject FROM operators WHERE name = 'grace@example.com'",
  );
  expect(rows).toEqual([{ person: 'grace@example.com', oidc_subject: 'grace' }]);
  expect((await acts('grace@example.com')).map(({ actor, action }) => `${actor} ${action}`)).toEqual([
    'operator:oidc operator.created',
    'operator:grace@example.com operator.signed_in',
    'operator:oidc operator.role_changed',
    'operator:grace@example.com operator.signed_in',
  ]);
});

it('lets nobody in without a role that is mapped, whatever else is right', async () => {
  expect(await signIn('norole+other')).toEqual(REFUSED);
  expect(await signIn('constructor+constructor')).toEqual(REFUSED);
  expect(await acts('oidc:norole')).toEqual([
    { actor: 'operator:oidc:norole', action: 'operator.sign_in_failed' },
  ]);
});

it('ends the sessions of a person whom the provider gives no role any more', async () => {
  const { signedIn } = await signIn('heidi+chiefs');
  expect((await signedIn!.get('session')).status).toBe(200);
  expect(await signIn('heidi+other')).toEqual(REFUSED);
  expect((await signedIn!.get('session')).status).toBe(401);
  const [heidi] = await environment.sql("SELECT role FROM operators WHERE name = 'heidi@example.com'");
  expect(heidi).toEqual({ role: 'viewer' });
  expect(await acts('heidi@example.com')).toContainEqual({
    actor: 'operator:oidc',
    action: 'operator.role_lost',
  });
});

it('takes over no account of the same name, and lets no disabled one in', async () => {
  await newOperator(environment, 'ada@example.com', 'admin');
  expect(await signIn('ada+payments')).toEqual(REFUSED);
  const link = ['operators', 'link', 'ada@example.com', '--issuer', issuer, '--subject', 'ada'];
  expect(await environment.command(...link)).toMatchObject({ subject: 'ada' });
  expect((await (await signIn('ada+payments')).signedIn!.get('session')).body).toMatchObject({
    name: 'ada@example.com',
    role: 'operator',
  });
  await environment.command('operators', 'disable', 'ada@example.com');
  expect(await signIn('ada+payments')).toEqual(REFUSED);
});

it('believes no e-mail address that the provider has not verified, and no name that a person chose', async () => {
  await (await signIn('unverified+support')).signedIn!.get('session');
  const [row] = await environment.sql("SELECT name, person FROM operators WHERE oidc_subject = 'unverified'");
  expect(row).toEqual({ name: 'unverified', person: 'unverified' });
});

it('refuses a subject that no text of the database can hold', async () => {
  expect(await signIn('nul\u0000+support')).toEqual(REFUSED);
});

it('takes a callback once, of this browser, as it was sent', async () => {
  const [mine, theirs] = [new Browser(), new Browser()];
  const [callback, other] = [await callbackOf(mine, 'bo+support'), await callbackOf(theirs, 'eve+chiefs')];
  // Someone else's callback in my browser: signed in as them, I would work in their name.
  expect(await arrive(mine, other)).toEqual(REFUSED);
  expect(await arrive(new Browser(), callback)).toEqual(REFUSED);
  const third = new Browser();
  const fresh = await callbackOf(third, 'bo+support');
  const journey = third.cookie(service.url, 'payonce_oidc')!;
  expect((await arrive(third, fresh)).to).toBe('/ops/');
  third.setCookie(service.url, 'payonce_oidc', journey);
  expect((await arrive(third, fresh)).to).toBe('/ops/sign-in?refused');
  const fourth = new Browser();
  const forged = (await callbackOf(fourth, 'bo+support')).replace(/code=[^&]+/, 'code=forged');
  expect(await arrive(fourth, forged)).toEqual(REFUSED);
  const fifth = new Browser();
  const whole = await callbackOf(fifth, 'bo+support');
  fifth.setCookie(service.url, 'payonce_oidc', journey.slice(0, -4) + 'AAAA');
  expect(await arrive(fifth, whole)).toEqual(REFUSED);
});

/** The callback of this service, of the browser that began at it. */
async function signInAt(other: Service, who: string): Promise<{ asked: URLSearchParams; to: string | null }> {
  const usual = service;
  service = other;
  try {
    const browser = new Browser();
    const start = await browser.open(`${other.url}/ops/api/session/oidc`);
    const asked = new URL(start.headers.get('location')!).searchParams;
    const callback = await callbackOf(browser, who);
    const reply = await browser.open(callback.replace(new URL(usual.url).host, new URL(other.url).host));
    return { asked, to: reply.headers.get('location') };
  } finally {
    service = usual;
  }
}

it('asks the provider how sure it has to be of a person, and lets nobody in of whom it is not', async () => {
  const startWith = (file: string, more: object) =>
    environment.start({
      env: { PAYONCE_ROLE: 'api', PAYONCE_OIDC_FILE: settings(file, { createOperators: true, ...more }) },
    });
  const fresh = await startWith('fresh.json', { maxAge: 60 });
  const { asked, to } = await signInAt(fresh, 'ivan+payments');
  expect([asked.get('max_age'), asked.get('acr_values'), to]).toEqual(['60', null, '/ops/']);
  const sure = await startWith('sure.json', { acrValues: ['gold', 'silver'] });
  const refused = await signInAt(sure, 'ivan+payments');
  expect([refused.asked.get('acr_values'), refused.to]).toEqual(['gold silver', '/ops/sign-in?refused']);
  const byCode = await startWith('by-code.json', { amr: ['otp'] });
  expect((await signInAt(byCode, 'ivan+payments')).to).toBe('/ops/sign-in?refused');
  expect(await acts('oidc:ivan')).toHaveLength(2);
});

it('makes no operators where the configuration does not say so, and lets nobody in while the provider is away', async () => {
  const strict = await environment.start({
    env: { PAYONCE_ROLE: 'api', PAYONCE_OIDC_FILE: settings('strict.json', {}) },
  });
  expect((await signInAt(strict, 'newcomer+payments')).to).toBe('/ops/sign-in?refused');
  expect(await environment.sql("SELECT FROM operators WHERE oidc_subject = 'newcomer'")).toEqual([]);
  const away = await environment.start({
    env: {
      PAYONCE_ROLE: 'api',
      PAYONCE_OIDC_FILE: settings('away.json', { issuer: `http://127.0.0.1:${await freePort()}` }),
    },
  });
  const asked = await fetch(`${away.url}/ops/api/session/oidc`, { redirect: 'manual' });
  expect([asked.status, ((await asked.json()) as { code: string }).code]).toEqual([503, 'overloaded']);
});

describeInBrowser('in Chromium', () => {
  it('leads through the pages of the provider into the console, and back to it without a role', async () => {
    const chromium = await openBrowser();
    try {
      const enter = async (login: string, groups: string) => {
        await fetch(`${issuer}/_groups?${login}=${groups}`);
        const { page, complaints } = await openPage(chromium);
        await page.goto(`${service.url}/ops/sign-in`);
        await page.getByRole('link', { name: 'Sign in by your organisation' }).click();
        await page.locator('input[name=login]').fill(login);
        await page.locator('input[name=password]').fill('any');
        await page.getByRole('button', { name: 'Sign-in' }).click();
        await page.getByRole('button', { name: 'Continue' }).click();
        return { page, complaints };
      };
      const { page, complaints } = await enter('clara', 'payments');
      await page.getByRole('heading', { name: 'Overview' }).waitFor();
      await page.getByText('clara@example.com').waitFor();
      // The provider's own pages ask for fonts that this machine does not reach.
      expect(complaints.filter((text) => !text.includes('net::ERR'))).toEqual([]);
      const stranger = await enter('nobody', 'other');
      await stranger.page.getByText('Your organisation did not sign you in here').waitFor();
    } finally {
      await chromium.close();
    }
  });
});
