import { MAX_DELAY_MS } from './clock.js';
import { randomFrom } from './random.js';
import { BadControl } from './wire.js';

const modes = ['once', 'duplicate', 'late', 'shuffled', 'early', 'storm'] as const;
type Mode = (typeof modes)[number];

/** How often each event is sent where that is not said. */
const COPIES: Readonly<Partial<Record<Mode, number>>> = { duplicate: 2, storm: 5 };
const MAX_COPIES = 20;
const TRIES = 4;
const MAX_TRIES = 20;

/** Where one PSP's notifications go, and how. */
export interface Hook {
  readonly id: number;
  readonly url: string;
  /** The address that the PSP was told, where a proxy leads on from it to `url`: some sign it. */
  readonly known_as: string;
  /** What notifications are signed with: Stripe's `whsec_…`, Adyen's key in hexadecimal. */
  secrets: readonly string[];
  readonly mode: Mode;
  readonly delay_ms: number;
  readonly copies: number;
  readonly tries: number;
  readonly seed: number;
  /** Drawn from `seed`. */
  readonly random: () => number;
}

type Given = Readonly<Record<string, unknown>>;

/** Checks what is asked for. `anywhere`: by the process that started the simulator, which may name any host. */
export function hookFrom(value: unknown, id: number, anywhere = false): Hook {
  const given = objectOf(value);
  const mode = modes.find((one) => one === (given['mode'] ?? 'once'));
  if (mode === undefined) throw new BadControl(`mode: one of ${modes.join(', ')}`);
  const seed = whole(given, 'seed', 1, 0, Number.MAX_SAFE_INTEGER);
  const delay = given['delay_ms'] ?? 100;
  if (typeof delay !== 'number' || !(delay >= 0 && delay <= MAX_DELAY_MS)) {
    throw new BadControl(`delay_ms: a number from 0 to ${MAX_DELAY_MS}`);
  }
  const url = httpUrl(given['url'], anywhere);
  const { known_as: knownAs = url } = given;
  if (typeof knownAs !== 'string' || !URL.canParse(knownAs)) throw new BadControl('known_as: an address');
  return {
    id,
    url,
    known_as: knownAs,
    secrets: [secretOf(given)],
    mode,
    delay_ms: delay,
    copies: whole(given, 'copies', COPIES[mode] ?? 1, 1, MAX_COPIES),
    tries: whole(given, 'tries', TRIES, 1, MAX_TRIES),
    seed,
    random: randomFrom(seed),
  };
}

/** A hook without what is secret. */
export type ShownHook = Omit<Hook, 'secrets' | 'random'>;

export function shownHook(hook: Hook): ShownHook {
  const { id, url, known_as, mode, delay_ms, copies, tries, seed } = hook;
  return { id, url, known_as, mode, delay_ms, copies, tries, seed };
}

/** Gives one of the hooks another secret. */
export function rotateSecret(value: unknown, hooks: readonly Hook[]): void {
  const given = objectOf(value);
  const hook = hooks.find(({ id }) => id === given['id']);
  if (hook === undefined) throw new BadControl('id: that of a webhook');
  const keep = given['keep_previous'] ?? false;
  if (typeof keep !== 'boolean') throw new BadControl('keep_previous: true or false');
  hook.secrets = [secretOf(given), ...(keep ? hook.secrets.slice(0, 1) : [])];
}

function objectOf(value: unknown): Given {
  if (typeof value !== 'object' || value === null) throw new BadControl('a webhook is a JSON object');
  return value as Given;
}

function secretOf(given: Given): string {
  const secret = given['secret'] ?? given['hmac_key'] ?? '';
  if (typeof secret !== 'string') throw new BadControl('secret: a string');
  return secret;
}

function whole(given: Given, name: string, otherwise: number, least: number, most: number): number {
  const value = given[name] ?? otherwise;
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= least && value <= most)
    return value;
  throw new BadControl(`${name}: a whole number from ${least} to ${most}`);
}

/** A simulator that calls any address for any caller could be used to attack others. */
function httpUrl(value: unknown, anywhere: boolean): string {
  const url = typeof value === 'string' && URL.canParse(value) ? new URL(value) : undefined;
  const loopback = url !== undefined && /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(url.hostname);
  if (url === undefined || !(loopback || anywhere) || url.protocol !== 'http:') {
    throw new BadControl(`url: http://${anywhere ? '' : ' to a loopback address'}`);
  }
  return url.href;
}
