import { Ajv, type ErrorObject } from 'ajv';
import { readFileSync } from 'node:fs';
import { ConfigError, isLoopback } from '../config/config.js';
import { type AlertKind, alertKinds } from './alert-rules.js';

/** A way to people. `name` tells channels apart; `kinds`: all where it is left out. Secrets may be `env:NAME`. */
export type Channel = {
  readonly name: string;
  readonly kinds?: readonly AlertKind[];
} & (
  | { readonly type: 'webhook'; readonly url: string; readonly token?: string }
  | { readonly type: 'slack'; readonly url: string }
  | { readonly type: 'pagerduty'; readonly routingKey: string; readonly url?: string }
  | { readonly type: 'mail'; readonly smtp: string; readonly from: string; readonly to: readonly string[] }
);

/** The file in PAYONCE_ALERTS_FILE. */
export interface AlertSettings {
  /** The console's address as people reach it: `https://pay.example/ops`. Null: alerts have no link. */
  readonly consoleUrl: string | null;
  readonly channels: readonly Channel[];
}

const text = { type: 'string', minLength: 1, maxLength: 2_000 };
const texts = { type: 'array', items: text, minItems: 1, maxItems: 50 };
const channel = (type: string, required: readonly string[], optional: readonly string[] = []) => ({
  type: 'object',
  additionalProperties: false,
  required: ['name', 'type', ...required],
  properties: {
    name: { type: 'string', pattern: '^[a-z0-9][a-z0-9-]{0,39}$' },
    type: { const: type },
    kinds: { type: 'array', items: { enum: [...alertKinds] }, minItems: 1 },
    ...Object.fromEntries([...required, ...optional].map((name) => [name, name === 'to' ? texts : text])),
  },
});
const schema = {
  type: 'object',
  additionalProperties: false,
  required: ['channels'],
  properties: {
    consoleUrl: text,
    channels: {
      type: 'array',
      minItems: 1,
      maxItems: 20,
      items: {
        type: 'object',
        discriminator: { propertyName: 'type' },
        required: ['type'],
        oneOf: [
          channel('webhook', ['url'], ['token']),
          channel('slack', ['url']),
          channel('pagerduty', ['routingKey'], ['url']),
          channel('mail', ['smtp', 'from', 'to']),
        ],
      },
    },
  },
};
/** Members whose values are secrets, or may hold one. */
const secrets = ['url', 'token', 'routingKey', 'smtp'] as const;

/** @throws ConfigError with all that is wrong with the file */
export function readAlertsFile(
  file: string,
  env: Readonly<Record<string, string | undefined>>,
): AlertSettings {
  const complaints: string[] = [];
  const wrong = (what: string) => void complaints.push(`PAYONCE_ALERTS_FILE (${file}): ${what}`);
  const given = contentOf(file);
  const validate = new Ajv({ allErrors: true, discriminator: true }).compile<{
    readonly consoleUrl?: string;
    readonly channels: readonly Channel[];
  }>(schema);
  if (!validate(given)) {
    for (const error of validate.errors ?? []) wrong(inWords(error));
    throw new ConfigError(complaints);
  }
  const { consoleUrl = null } = given;
  if (consoleUrl !== null && !isSafe(consoleUrl)) wrong('consoleUrl must be an https URL');
  const channels = given.channels.map((each) => resolved(each, env, wrong));
  const names = channels.map(({ name }) => name);
  if (new Set(names).size < names.length) wrong('two channels have one name');
  if (complaints.length > 0) throw new ConfigError(complaints);
  return { consoleUrl, channels };
}

/** With the values that `env:` names. Complains without them: they are secrets. */
function resolved(
  channel: Channel,
  env: Readonly<Record<string, string | undefined>>,
  wrong: (what: string) => void,
): Channel {
  const members: Record<string, unknown> = { ...channel };
  for (const name of secrets) {
    const value = members[name];
    const [, variable] = /^env:(\w+)$/.exec(typeof value === 'string' ? value : '') ?? [];
    if (variable === undefined) continue;
    if (!env[variable]) wrong(`${channel.name}.${name}: ${variable} is not set`);
    members[name] = env[variable] ?? '';
  }
  const { url, smtp } = members as { readonly url?: string; readonly smtp?: string };
  if (url && !isSafe(url)) {
    wrong(`${channel.name}.url must be an https URL, or http on a loopback address`);
  }
  if (smtp && !isMailServer(smtp)) {
    wrong(
      `${channel.name}.smtp must be smtp:// or smtps://, with what stands in its password percent-encoded`,
    );
  }
  return members as unknown as Channel;
}

/** The values by which a stranger could tell people something. Some systems have them in their addresses. */
export function secretsOf(channel: Channel): readonly string[] {
  switch (channel.type) {
    case 'webhook':
      return [channel.url, channel.token ?? ''];
    case 'slack':
      return [channel.url];
    case 'pagerduty':
      return [channel.routingKey];
    case 'mail':
      return [decodeURIComponent(new URL(channel.smtp).password)];
  }
}

function contentOf(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    // The text may hold a secret, and a syntax error quotes it.
    const why = error instanceof SyntaxError ? 'it is not JSON' : 'it cannot be read';
    throw new ConfigError([`PAYONCE_ALERTS_FILE (${file}): ${why}`]);
  }
}

function inWords({ instancePath, message, params }: ErrorObject): string {
  const { additionalProperty: unknown } = params as { readonly additionalProperty?: string };
  return `${instancePath || '/'} ${unknown === undefined ? message : `has ${unknown}, which is not known`}`;
}

function isMailServer(text: string): boolean {
  if (!/^smtps?:\/\//.test(text) || !URL.canParse(text)) return false;
  const { hostname, username, password } = new URL(text);
  try {
    decodeURIComponent(username + password);
    return hostname !== '';
  } catch {
    return false;
  }
}

function isSafe(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, hostname } = new URL(url);
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname));
}
