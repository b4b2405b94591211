import { type ApprovalView, type ChangedView } from '../../src/approvals/approval-views.js';
import { type OperatorRow } from '../../src/console/installation-views.js';
import { type PageView } from '../../src/core/page.view.js';
import { type EnrolmentView, type OperatorView, type SessionRow } from '../../src/operators/session.view.js';
import {
  codeOf,
  ConsoleClient,
  freshCodeOf,
  newOperator,
  type OperatorCredentials,
} from '../support/console-client.js';
import { type Service, TestEnvironment } from '../support/test-environment.js';

/** Operators by the console: let in by a link that two people stand for, and keepers of their own credentials. */
let environment: TestEnvironment;
let service: Service;
let [kim, leo]: [OperatorCredentials, OperatorCredentials] = [] as never;
let [admin, approver]: [ConsoleClient, ConsoleClient] = [] as never;
const url = () => service.url;

beforeAll(async () => {
  environment = await TestEnvironment.open();
  service = await environment.start();
  kim = await newOperator(environment, 'kim', 'admin');
  admin = await ConsoleClient.signedIn(url, kim);
});
afterAll(() => environment.close());

const PASSWORD = 'a long enough password';
const code = () => freshCodeOf(environment, kim);
type Refused = { readonly detail?: string };
const invite = async (name: string, over: object = {}) =>
  admin.post<ChangedView & Refused>('operators', { name, role: 'viewer', code: await code(), ...over });
const act = async <T = object>(path: string, name: string) =>
  admin.post<T & Refused>(`operators/${path}`, { name, code: await code() });
const rowOf = async (name: string) =>
  (await admin.get<PageView<OperatorRow>>('operators')).body.data.find((row) => row.name === name);

async function enter(token: string): Promise<ConsoleClient> {
  environment.hide(token);
  const client = new ConsoleClient(url);
  const { status } = await client.post('session', { link: token });
  expect(status).toBe(200);
  return client;
}

/** Chooses a password and an authenticator, as a newcomer does after signing in by a link. */
async function enrol(client: ConsoleClient, name: string): Promise<OperatorCredentials> {
  const { secret, sealed } = (await client.post<EnrolmentView>('session/enrolment')).body;
  const chosen = { name, password: PASSWORD, totp_secret: secret };
  environment.hide(secret);
  const wrong = { password: PASSWORD, sealed, code: codeOf(chosen, 9) };
  expect((await client.post('session/credentials', wrong)).status).toBe(403);
  const { status } = await client.post('session/credentials', { ...wrong, code: codeOf(chosen) });
  expect(status).toBe(200);
  return chosen;
}

it('are invited by one administrator while there is nobody else who may approve it', async () => {
  expect((await invite('first')).status).toBe(422);
  expect((await invite('Not a name')).status).toBe(422);
  // Alone, and never by a session without its authenticator.
  expect((await admin.post('operators', { name: 'leo', role: 'approver' })).status).toBe(403);
  expect((await invite('leo', { role: 'approver' })).body).toEqual({ approval: null });
  expect(await rowOf('leo')).toMatchObject({ state: 'invited', role: 'approver', signs_in_by: 'link' });
  const { token } = (await act<{ token: string }>('link', 'leo')).body;
  const newcomer = await enter(token);
  expect((await newcomer.get<OperatorView>('session')).body.needs_credentials).toBe(true);
  expect((await newcomer.get('payments')).status).toBe(403);
  leo = await enrol(newcomer, 'leo');
  expect((await newcomer.get('session')).status).toBe(401);
  expect((await new ConsoleClient(url).post('session', { link: token })).status).toBe(401);
  await environment.sql("UPDATE operators SET totp_used = 0 WHERE name = 'leo'");
  approver = await ConsoleClient.signedIn(url, leo);
  expect((await approver.get('payments')).status).toBe(200);
  expect(await rowOf('leo')).toMatchObject({ state: 'active', signs_in_by: 'password', sessions: 1 });
});

it('are invited by two people from then on, and each is what was approved', async () => {
  const { body } = await invite('mia', { role: 'admin', person: 'Mia' });
  expect(await rowOf('mia')).toBeUndefined();
  expect(body.approval).toMatchObject({
    subject: 'operator:mia',
    action: { kind: 'invite_operator', name: 'mia', role: 'admin', person: 'mia' },
  });
  const { id, action_hash } = body.approval!;
  const approve = { action_hash, code: await freshCodeOf(environment, leo) };
  expect((await approver.post<ApprovalView>(`approvals/${id}/approve`, approve)).body.result).toMatch(
    /^done: invited/,
  );
  expect(await rowOf('mia')).toMatchObject({ state: 'invited', role: 'admin', person: 'mia' });
  expect((await invite('mia')).body.detail).toBe('There is an operator mia already.');
});

it('get a link only while they have no credentials, and only the last one lets them in', async () => {
  expect((await act('link', 'leo')).body.detail).toBe('leo is not an operator without credentials.');
  const [old, last] = [
    (await act<{ token: string }>('link', 'mia')).body.token,
    (await act<{ token: string }>('link', 'mia')).body.token,
  ];
  expect((await new ConsoleClient(url).post('session', { link: old })).status).toBe(401);
  const mia = await enter(last);
  const shown = (await approver.post<EnrolmentView>('session/enrolment')).body;
  environment.hide(shown.secret);
  // Who has credentials changes them by those alone, and not by a session that was stolen.
  const right = codeOf({ name: 'leo', password: '', totp_secret: shown.secret });
  const over = { password: PASSWORD, sealed: shown.sealed, code: right };
  expect((await approver.post('session/credentials', over)).status).toBe(409);
  // Mia cannot enrol with an authenticator that was shown to Leo.
  const stolen = { password: PASSWORD, sealed: shown.sealed, code: '123456' };
  expect((await mia.post('session/credentials', stolen)).status).toBe(409);
  expect((await mia.post('session/credentials', { ...stolen, password: 'short' })).status).toBe(422);
  await enrol(mia, 'mia');
});

it('who lost a phone are let in anew by two people, and their sessions end', async () => {
  const { body } = await act<ChangedView>('reset', 'leo');
  const { id, action_hash } = body.approval!;
  expect((await approver.get('session')).status).toBe(200);
  const mia = await ConsoleClient.signedIn(url, await reset('mia'));
  const ownCode = await freshCodeOf(environment, await known('mia'));
  expect((await mia.post(`approvals/${id}/approve`, { action_hash, code: ownCode })).status).toBe(200);
  expect((await approver.get('session')).status).toBe(401);
  expect(await rowOf('leo')).toMatchObject({ state: 'invited' });
  leo = await enrol(await enter((await act<{ token: string }>('link', 'leo')).body.token), 'leo');
  await environment.sql("UPDATE operators SET totp_used = 0 WHERE name = 'leo'");
  approver = await ConsoleClient.signedIn(url, leo);
});

/** New credentials by the command line, which takes one administrator of the machine. */
const kept = new Map<string, OperatorCredentials>();
async function reset(name: string): Promise<OperatorCredentials> {
  const { password } = (await environment.command(
    'operators',
    'reset-password',
    name,
  )) as OperatorCredentials;
  const { totp_secret } = (await environment.command('operators', 'reset-totp', name)) as OperatorCredentials;
  environment.hide(password, totp_secret);
  kept.set(name, { name, password, totp_secret });
  return kept.get(name)!;
}
const known = async (name: string) => kept.get(name) ?? reset(name);

it('see their sessions, and end the others', async () => {
  await environment.sql("UPDATE operators SET totp_used = 0 WHERE name = 'leo'");
  const other = await ConsoleClient.signedIn(url, leo);
  const { data } = (await approver.get<PageView<SessionRow>>('session/list')).body;
  expect(data).toHaveLength(2);
  expect(data.filter(({ is_this: isThis }) => isThis)).toHaveLength(1);
  expect((await approver.post('session/others/end')).status).toBe(200);
  expect([(await other.get('session')).status, (await approver.get('session')).status]).toEqual([401, 200]);
});

it('change their own password by the old one and a code, and sign in again', async () => {
  const change = async (current: string, password: string) =>
    approver.post<Refused>('session/password', {
      current,
      password,
      code: await freshCodeOf(environment, leo),
    });
  expect((await change('wrong', 'another long password')).body.detail).toBe(
    'The password until now is wrong.',
  );
  expect((await change(PASSWORD, 'short')).status).toBe(422);
  const withoutCode = { current: PASSWORD, password: 'another long password' };
  expect((await approver.post('session/password', withoutCode)).status).toBe(403);
  expect((await change(PASSWORD, 'another long password')).status).toBe(200);
  expect((await approver.get('session')).status).toBe(401);
  await environment.sql("UPDATE operators SET totp_used = 0 WHERE name = 'leo'");
  expect((await new ConsoleClient(url).signIn(leo)).status).toBe(401);
  await environment.sql('DELETE FROM sign_in_tries');
  leo = { ...leo, password: 'another long password' };
  await ConsoleClient.signedIn(url, leo);
});

it('have no second person made up for them by who has disabled the first', async () => {
  const alone = await ConsoleClient.signedIn(url, await newOperator(environment, 'ned', 'admin', 'ned'));
  expect((await alone.post('operators', { name: 'oda', role: 'viewer' })).status).toBe(403);
  await environment.sql("UPDATE operators SET disabled_at = now() WHERE name NOT IN ('ned', 'kim')");
  const asked = await invite('sock', { role: 'approver', person: 'sock' });
  expect(asked.body.approval).toMatchObject({ subject: 'operator:sock' });
  await environment.sql("UPDATE operators SET disabled_at = now() WHERE name = 'ned'");
  expect((await invite('sock-2', { role: 'approver' })).body.approval).not.toBeNull();
  expect(await rowOf('sock-2')).toBeUndefined();
  await environment.sql("UPDATE operators SET disabled_at = NULL WHERE name = 'leo'");
});

it('reset and disable themselves in no case', async () => {
  for (const path of ['reset', 'disable']) expect((await act(path, 'kim')).status).toBe(409);
  expect((await admin.get('session')).status).toBe(200);
});

it('are let in by no link once they have credentials', async () => {
  const link = `late-${Date.now()}`;
  environment.hide(link);
  await environment.sql(
    `INSERT INTO sign_in_links (token_hash, operator_id, expires_at)
     SELECT sha256($1::bytea), id, now() + interval '1 hour' FROM operators WHERE name = 'leo'`,
    [link],
  );
  expect((await new ConsoleClient(url).post('session', { link })).status).toBe(401);
});

it('are disabled by one administrator, on record', async () => {
  expect((await admin.post('operators/disable', { name: 'leo' })).status).toBe(403);
  expect((await act('disable', 'leo')).status).toBe(200);
  expect(await rowOf('leo')).toMatchObject({ state: 'disabled', sessions: 0 });
  expect((await act('link', 'leo')).status).toBe(409);
  const acts = await environment.acts({ actor: 'operator:kim' });
  const done = acts.map(({ action }) => action).filter((action) => /^operator\.(?!signed)/.test(action));
  // Audit records name the operator who asked as the actor, not the approver.
  expect(done).toEqual([
    'operator.created',
    'operator.link_made',
    'operator.created',
    'operator.link_made',
    'operator.link_made',
    'operator.reset',
    'operator.link_made',
    'operator.disabled',
  ]);
});
