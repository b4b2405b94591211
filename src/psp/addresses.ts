import { isLoopback } from '../config/config.js';
import { type PspEntry, type PspProblem, type PspRules } from './psp-entry.js';
import { type AdapterEntry } from './adapter-entry.js';
import { adapterNamed } from './registry.js';

/** An address of an account, and the names of the secrets that are sent to it alone. */
interface Address {
  readonly name: string;
  readonly url: string;
  readonly takes: readonly string[];
}

function addressesOf(entry: AdapterEntry, { baseUrl, credentials }: PspEntry): Address[] {
  const own = baseUrl === undefined ? [] : [{ name: 'baseUrl', url: baseUrl, takes: [] }];
  const others = entry.credentials.flatMap(({ name, url }) => {
    const written = credentials[name];
    return url && typeof written === 'string' ? [{ name, url: written, ...url }] : [];
  });
  return [...own, ...others];
}

/**
 * Addresses that are no host of their PSP. An administrator of accounts has no say about this machine: it sends nothing
 * to other hosts, unless a simulator plays the PSPs.
 */
export function faultsOfHosts({ simulated, exposed }: PspRules, psp: PspEntry): PspProblem[] {
  const entry = adapterNamed(psp.adapter);
  if (!entry || simulated) return [];
  return addressesOf(entry, psp).flatMap(({ name, url }) => {
    // A value that is no URL has a fault of its own.
    if (!URL.canParse(url)) return [];
    const { hostname } = new URL(url);
    if (entry.hosts?.test(hostname) || (!exposed && isLoopback(hostname))) return [];
    return [{ pointer: pointerOf(name), message: `is no host of ${entry.adapter}` }];
  });
}

/**
 * Those that are new, have another origin than before, or have lost their key, in whose place another one may be sent.
 * That of payments cannot change: it is part of the account.
 */
export function movedAddresses(entry: AdapterEntry, before: PspEntry, after: PspEntry): readonly Address[] {
  const known = new Map(addressesOf(entry, before).map(({ name, url }) => [name, originOf(url)]));
  const hasKey = ({ credentials }: PspEntry, takes: readonly string[]) =>
    takes.some((name) => name in credentials);
  return addressesOf(entry, after).filter(
    ({ name, url, takes }) =>
      known.get(name) !== originOf(url) || (hasKey(before, takes) && !hasKey(after, takes)),
  );
}

/** A moved address takes a secret of its own with it: else the key of another address may be sent there. */
export function faultsOfMoves(moved: readonly Address[], after: PspEntry, given: object): PspProblem[] {
  return moved
    .filter(({ takes }) => takes.length > 0 && !takes.some((name) => isGiven(name, after, given)))
    .map(({ name, takes }) => ({
      pointer: pointerOf(name),
      message: `a new address takes a key with it: ${takes.join(' or ')}`,
    }));
}

/** Without the stored secrets that would be sent to a moved address: those that are given with it stay. */
export function withoutSecretsOf(moved: readonly Address[], after: PspEntry, given: object): PspEntry {
  const dropped = moved.flatMap(({ takes }) => takes).filter((name) => !isGiven(name, after, given));
  const credentials = Object.entries(after.credentials).filter(([name]) => !dropped.includes(name));
  return { ...after, credentials: Object.fromEntries(credentials) };
}

function isGiven(name: string, { credentials }: PspEntry, given: object): boolean {
  return name in given && name in credentials;
}

function pointerOf(name: string): string {
  return name === 'baseUrl' ? '/baseUrl' : `/credentials/${name}`;
}

function originOf(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : url;
}
