import { type NextAction } from './contract.js';

/** Addresses of 8,000 characters and more are in use. */
const MAX_ACTION_URL = 32_768;
/** The whole action as JSON, in UTF-16 units. */
const MAX_ACTION_CHARACTERS = 65_536;
/** Levels of objects and arrays in what a PSP's library is given. */
const MAX_ACTION_DEPTH = 16;

/**
 * The action as it may be kept and handed on, unchanged; or the reason why it may not. An action that cannot be
 * handed on leaves the rest of the answer as it is: the customer has no way on, and the PSP still waits.
 */
export function passableAction(
  action: NextAction,
  secrets: readonly string[],
): { readonly nextAction: NextAction } | { readonly fault: 'action_too_large' | 'action_unusable' } {
  const given: unknown = action;
  if (!isObject(given) || !fitsDepth(given, MAX_ACTION_DEPTH)) return { fault: 'action_unusable' };
  const json = JSON.stringify(action);
  if (json.length > MAX_ACTION_CHARACTERS) return { fault: 'action_too_large' };
  // Characters that Postgres cannot store, and credentials of ours, which no honest action holds.
  if (!isStorable(action)) return { fault: 'action_unusable' };
  if (secrets.some((secret) => secret.length >= 4 && json.includes(secret))) {
    return { fault: 'action_unusable' };
  }
  if (action.type === 'psp_sdk') {
    return isObject(action.data) ? { nextAction: action } : { fault: 'action_unusable' };
  }
  const { type, url, method, fields } = action;
  if (type !== 'redirect' || typeof url !== 'string' || !isObject(fields)) {
    return { fault: 'action_unusable' };
  }
  if (url.length > MAX_ACTION_URL) return { fault: 'action_too_large' };
  const isForm = Object.values(fields).every((field) => typeof field === 'string');
  const isUsable = isWebAddress(url) && isForm && (method === 'GET' || method === 'POST');
  return isUsable ? { nextAction: action } : { fault: 'action_unusable' };
}

/** A page that a browser may be sent to: nothing but http and https, so no `javascript:`. */
function isWebAddress(url: string): boolean {
  return URL.canParse(url) && ['https:', 'http:'].includes(new URL(url).protocol);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function fitsDepth(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return levels > 0 && Object.values(value).every((member) => fitsDepth(member, levels - 1));
}

const loneSurrogate = /\p{Surrogate}/u;

/** Without NUL and lone surrogates, in names as in values. */
function isStorable(value: unknown): boolean {
  if (typeof value === 'string') return !loneSurrogate.test(value) && !value.includes('\0');
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(([name, member]) => isStorable(name) && isStorable(member));
}
