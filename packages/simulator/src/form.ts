/** A parsed form: `metadata[order]=7` is `{ metadata: { order: '7' } }`; lists have '0', '1', … as keys. */
export interface Form {
  [name: string]: string | Form | undefined;
}

const MAX_DEPTH = 8;

/** Parses application/x-www-form-urlencoded with nested brackets, as Stripe takes it. */
export function parseForm(text: string): Form {
  const form = emptyForm();
  if (text === '') return form;
  for (const pair of text.split('&')) {
    const equals = pair.indexOf('=');
    const name = decode(equals < 0 ? pair : pair.slice(0, equals));
    if (name !== '') put(form, name, equals < 0 ? '' : decode(pair.slice(equals + 1)));
  }
  return form;
}

export function text(form: Form, name: string): string | undefined {
  const value = form[name];
  return typeof value === 'string' ? value : undefined;
}

export function group(form: Form, name: string): Form | undefined {
  const value = form[name];
  return typeof value === 'object' ? value : undefined;
}

/** The string values of a list. */
export function list(form: Form, name: string): string[] {
  return Object.values(group(form, name) ?? {}).filter((value) => typeof value === 'string');
}

function put(form: Form, name: string, value: string): void {
  const bracket = name.indexOf('[');
  if (bracket <= 0) {
    form[name] = value;
    return;
  }
  if (name.indexOf('[', bracket + 1) < 0 && name.endsWith(']') && name.length - bracket > 2) {
    const below = form[name.slice(0, bracket)];
    const at = typeof below === 'object' ? below : emptyForm();
    form[name.slice(0, bracket)] = at;
    at[name.slice(bracket + 1, -1)] = value;
    return;
  }
  const parts = [name.slice(0, bracket), ...name.slice(bracket + 1, name.length - 1).split('][')];
  if (parts.length > MAX_DEPTH || !name.endsWith(']')) {
    form[name] = value;
    return;
  }
  let at = form;
  for (const part of parts.slice(0, -1)) {
    const below = at[part];
    const next = typeof below === 'object' ? below : emptyForm();
    at[part] = next;
    at = next;
  }
  const last = parts.at(-1) ?? '';
  at[last === '' ? String(Object.keys(at).length) : last] = value;
}

function emptyForm(): Form {
  return Object.create(null) as Form;
}

function decode(text: string): string {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text;
  if (!spaced.includes('%')) return spaced;
  try {
    return decodeURIComponent(spaced);
  } catch {
    return spaced;
  }
}
