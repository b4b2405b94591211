import { createServer, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SMTPServer } from 'smtp-server';
import { stuckPayment } from '../support/stuck-payment.js';
import {
  ApiClient,
  eventually,
  orderOf,
  paymentOf,
  type Service,
  TestEnvironment,
} from '../support/test-environment.js';
import { temporaryFolder } from '../support/temporary-folder.js';

/** Alerts to people, against stand-ins of their systems that speak HTTP and SMTP as those do. */
interface Taken {
  readonly path: string;
  readonly authorization: string | undefined;
  readonly body: Record<string, unknown>;
}

let environment: TestEnvironment;
let service: Service;
let shop: ApiClient;
let people: Server;
let mailServer: SMTPServer;
let taken: Taken[] = [];
let mails: string[] = [];
/** What the stand-in of Slack answers. */
let slackSays = 200;
const SECRETS = ['slack-secret-4711', 'token-of-the-webhook', 'key-of-the-pager', 'password-of-the-mail'];
const folder = temporaryFolder();

beforeAll(async () => {
  people = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk: Buffer) => (text += chunk.toString()));
    request.on('end', () => {
      const isRefused = request.url!.startsWith('/slack') && slackSays !== 200;
      if (!isRefused) {
        const { authorization } = request.headers;
        taken.push({ path: request.url!, authorization, body: JSON.parse(text) as Record<string, unknown> });
      }
      response.writeHead(isRefused ? slackSays : 200).end('ok');
    });
  });
  mailServer = new SMTPServer({
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    onAuth: ({ username, password }, _session, done) =>
      username === 'payonce' && password === SECRETS[3]
        ? done(null, { user: username })
        : done(new Error('no')),
    onData: (stream, _session, done) => {
      let text = '';
      stream.on('data', (chunk: Buffer) => (text += chunk.toString()));
      stream.on('end', () => {
        mails.push(text);
        done();
      });
    },
  });
  const portOf = (server: { address(): unknown }) => (server.address() as AddressInfo).port;
  await new Promise<void>((resolve) => people.listen(0, '127.0.0.1', resolve));
  await new Promise<void>((resolve) => mailServer.listen(0, '127.0.0.1', resolve));
  const at = `http://127.0.0.1:${portOf(people)}`;
  const file = join(folder, 'alerts.json');
  const channels = [
    { name: 'chat', type: 'slack', url: `${at}/slack/${SECRETS[0]}` },
    { name: 'own', type: 'webhook', url: `${at}/own`, token: SECRETS[1] },
    { name: 'pager', type: 'pagerduty', url: `${at}/pager`, routingKey: SECRETS[2], kinds: ['stuck'] },
    {
      name: 'mail',
      type: 'mail',
      smtp: `smtp://payonce:${SECRETS[3]}@127.0.0.1:${portOf(mailServer.server)}`,
      from: 'payonce@shop.example',
      to: ['night@shop.example'],
    },
  ];
  writeFileSync(file, JSON.stringify({ consoleUrl: 'https://pay.example/ops', channels }));
  environment = await TestEnvironment.open({ env: { PAYONCE_ALERTS_FILE: file } });
  environment.hide(...SECRETS);
  service = await environment.start();
  shop = new ApiClient(() => service.url, await environment.merchant());
});
afterAll(async () => {
  await environment.close();
  people.close();
  await new Promise<void>((resolve) => mailServer.close(resolve));
});
beforeEach(() => {
  [taken, mails] = [[], []];
});

const pass = () => environment.command('tasks', 'run', 'alerts');
const minutesLater = (minutes: number) =>
  environment.sql(`UPDATE alerts_told SET told_at = told_at - interval '${minutes} minutes'`);
const STUCK =
  /^Payonce: 1 operation is stuck \(19\.99 USD\), the oldest since .*: find out what the PSP did$/;

describe('alerts', () => {
  it('are none while nothing waits', async () => {
    expect(await pass()).toEqual({ name: 'alerts', sent: 0 });
    expect([taken, mails]).toEqual([[], []]);
  });

  it('reach every channel in its own words, once', async () => {
    await stuckPayment(environment, shop, 'order-1', false);
    expect(await pass()).toEqual({ name: 'alerts', sent: 4 });
    const link = 'https://pay.example/ops/stuck';
    const summary = expect.stringMatching(STUCK) as string;
    expect(taken).toEqual([
      {
        path: `/slack/${SECRETS[0]}`,
        authorization: undefined,
        body: {
          text: expect.stringMatching(
            /^Payonce: 1 operation is stuck[^\n]*\nhttps:\/\/pay\.example\/ops\/stuck$/,
          ) as string,
        },
      },
      {
        path: '/own',
        authorization: `Bearer ${SECRETS[1]}`,
        body: { event: 'new', kind: 'stuck', count: 1, source: 'pay.example', summary, link },
      },
      {
        path: '/pager',
        authorization: undefined,
        body: {
          routing_key: SECRETS[2],
          dedup_key: 'payonce-pay.example-stuck',
          event_action: 'trigger',
          payload: { summary, source: 'pay.example', severity: 'critical', custom_details: { waiting: 1 } },
          links: [{ href: link, text: 'Open the console' }],
        },
      },
    ]);
    expect(mails).toHaveLength(1);
    expect(mails[0]).toMatch(
      /^From: payonce@shop\.example\r\nTo: night@shop\.example\r\nSubject: Payonce: 1 operation is stuck/,
    );
    expect(mails[0]!.replaceAll('=\r\n', '')).toContain(link);
    expect(await pass()).toEqual({ name: 'alerts', sent: 0 });
  });

  it('that a channel does not take are sent to it again, and to nobody else', async () => {
    slackSays = 503;
    await stuckPayment(environment, shop, 'order-2', false);
    await minutesLater(6);
    expect(JSON.stringify(await pass())).toContain('no alert was taken by chat');
    expect(taken.map(({ path }) => path)).toEqual(['/own', '/pager']);
    expect(mails).toHaveLength(1);
    slackSays = 200;
    [taken, mails] = [[], []];
    expect(await pass()).toEqual({ name: 'alerts', sent: 1 });
    expect(taken.map(({ path }) => path)).toEqual([`/slack/${SECRETS[0]}`]);
    expect(mails).toEqual([]);
  });

  it('of what still waits remind after hours', async () => {
    await minutesLater(241);
    expect(await pass()).toEqual({ name: 'alerts', sent: 4 });
    expect(taken[1]!.body).toMatchObject({ event: 'reminder', count: 2 });
  });

  it('of one more after fewer are news, though it is as old as they are', async () => {
    const put = (until: string) =>
      environment.sql(
        `INSERT INTO operation_snoozes (merchant_id, entity_key, until, owner_id, note)
         SELECT merchant_id, entity_key, now() + $1::interval, (SELECT id FROM operators LIMIT 1), 'n'
           FROM psp_requests WHERE stuck_at IS NOT NULL ORDER BY opened_at DESC LIMIT 1
         ON CONFLICT (merchant_id, entity_key) DO UPDATE SET until = EXCLUDED.until`,
        [until],
      );
    await environment.command('operators', 'create', 'ada', '--role', 'operator');
    await put('1 hour');
    expect(await pass()).toEqual({ name: 'alerts', sent: 0 });
    await put('-1 hour');
    await minutesLater(6);
    expect(await pass()).toEqual({ name: 'alerts', sent: 4 });
    expect(taken[1]!.body).toMatchObject({ event: 'new', count: 2 });
  });

  it('are over when nothing waits any more, and close the incident', async () => {
    await environment.sql(
      "UPDATE psp_requests SET next_step_at = now(), stuck_at = NULL, stuck_reason = NULL WHERE verdict = 'open'",
    );
    expect(await pass()).toEqual({ name: 'alerts', sent: 4 });
    expect(taken[1]!.body).toMatchObject({
      event: 'over',
      summary: 'Payonce: no operations are stuck any more',
    });
    expect(taken[2]!.body).toEqual({
      routing_key: SECRETS[2],
      dedup_key: 'payonce-pay.example-stuck',
      event_action: 'resolve',
    });
  });

  it('of a refused report end once another one of its time is imported', async () => {
    await environment.sql(
      `INSERT INTO report_fetches (psp, id, period_from, period_to, due_at, state)
       VALUES ('stripe', 'r', now() - interval '2 days', now() - interval '1 day', now() - interval '1 day', 'refused')`,
    );
    await pass();
    expect(taken[1]!.body).toMatchObject({ event: 'new', kind: 'late_reports', count: 1 });
    [taken, mails] = [[], []];
    await environment.sql(
      `INSERT INTO reconciliation_runs (psp, id, format, file_name, content_hash, covers, period_from, period_to, lines, new_lines, imported_by, imported_at)
       SELECT psp, gen_random_uuid(), 'stripe', 'by-hand.csv', repeat('0', 64), '{}', period_from, period_to, 1, 1, 'operator:fin', now()
         FROM report_fetches`,
    );
    await pass();
    expect(taken[1]!.body).toMatchObject({ event: 'over', kind: 'late_reports' });
  });

  it('of a dispute come when it opens, and three days before its answer is due', async () => {
    const payment = paymentOf(await shop.post('/v1/payments', orderOf({ first: 'stripe' }), 'disputed'));
    const disputed = (dueIn: string) =>
      environment.sql(
        `UPDATE payments SET disputes = jsonb_build_array(jsonb_build_object('id', gen_random_uuid(), 'status', 'open',
           'amount', 1999, 'openedAt', now(), 'respondBy', to_char(now() + $2::interval, 'YYYY-MM-DD"T"HH24:MI:SSOF')))
          WHERE id = $1`,
        [payment.id, dueIn],
      );
    const kinds = () => taken.filter(({ path }) => path === '/own').map(({ body }) => body['kind']);
    await disputed('10 days');
    await pass();
    expect(kinds()).toEqual(['disputes']);
    [taken, mails] = [[], []];
    await disputed('2 days');
    await pass();
    expect(kinds()).toEqual(['disputes_due']);
    await environment.sql('UPDATE payments SET disputes = NULL');
  });

  it('are sent by a worker on its own', async () => {
    await stuckPayment(environment, shop, 'order-3', false);
    const worker = await environment.start({ role: 'worker' });
    await eventually(() => mails.length > 0, 'the mail to come');
    await eventually(() => taken.some(({ path }) => path === '/pager'), 'the pager to be told');
    await worker.stop();
  });
});
