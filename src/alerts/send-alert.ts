import { isLoopback } from '../config/config.js';
import { type AlertMessage } from './alert-message.js';
import { type Channel } from './alerts-file.js';

const TIMEOUT_MS = 10_000;
/** The events API v2 of PagerDuty: https://developer.pagerduty.com/docs/events-api-v2-overview */
const PAGERDUTY = 'https://events.pagerduty.com/v2/enqueue';

/** Rejects where the channel did not take it; the error has no secret of the channel. */
export async function sendAlert(channel: Channel, message: AlertMessage): Promise<void> {
  switch (channel.type) {
    case 'webhook': {
      const { token } = channel;
      return post(channel.url, message, token === undefined ? {} : { authorization: `Bearer ${token}` });
    }
    case 'slack':
      return post(channel.url, { text: withLink(message) });
    case 'pagerduty':
      return post(channel.url ?? PAGERDUTY, pagerDutyEvent(channel.routingKey, message));
    case 'mail':
      return mail(channel, message);
  }
}

function withLink({ summary, link }: AlertMessage): string {
  return link === null ? summary : `${summary}\n${link}`;
}

/** One incident for each list, until nothing waits in it any more. */
function pagerDutyEvent(
  routingKey: string,
  { event, kind, source, summary, link, count }: AlertMessage,
): object {
  const incident = { routing_key: routingKey, dedup_key: `payonce-${source}-${kind}` };
  if (event === 'over') return { ...incident, event_action: 'resolve' };
  const severity = kind === 'stuck' || kind === 'orphans' ? 'critical' : 'warning';
  return {
    ...incident,
    event_action: 'trigger',
    payload: { summary, source, severity, custom_details: { waiting: count } },
    ...(link === null ? {} : { links: [{ href: link, text: 'Open the console' }] }),
  };
}

async function post(
  url: string,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): Promise<void> {
  const { default: axios } = await import('axios');
  const { status } = await axios
    .post(url, body, {
      headers,
      timeout: TIMEOUT_MS,
      maxRedirects: 0,
      maxContentLength: 65_536,
      proxy: false,
      validateStatus: () => true,
    })
    // An error of axios holds the request, and with it the address, which is a secret of some channels.
    .catch(({ code }: { readonly code?: string }) => {
      throw new Error(`it could not be reached: ${code ?? 'no answer'}`);
    });
  if (status < 200 || status > 299) throw new Error(`it answered ${status}`);
}

/** Without TLS only where no network is between. */
async function mail(
  { smtp, from, to }: Extract<Channel, { readonly type: 'mail' }>,
  message: AlertMessage,
): Promise<void> {
  const { createTransport } = await import('nodemailer');
  const { protocol, hostname: host, port, username, password } = new URL(smtp);
  const secure = protocol === 'smtps:';
  const transport = createTransport({
    host,
    port: Number(port || (secure ? 465 : 587)),
    secure,
    requireTLS: !secure && !isLoopback(host),
    ...(username === ''
      ? {}
      : { auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) } }),
    connectionTimeout: TIMEOUT_MS,
    greetingTimeout: TIMEOUT_MS,
    socketTimeout: TIMEOUT_MS,
  });
  await transport
    .sendMail({ from, to: [...to], subject: message.summary, text: withLink(message) })
    .finally(() => transport.close())
    // The text of the error may repeat what was sent to sign in.
    .catch(({ code = 'refused', responseCode = '' }: MailError) => {
      throw new Error(`the mail server did not take it: ${code} ${responseCode}`);
    });
}

interface MailError {
  readonly code?: string;
  readonly responseCode?: number | '';
}
