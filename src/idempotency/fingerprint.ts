/**
 * JSON with the members of every object in order: two requests that mean the same give the same
 * text, in any order of keys and with any white space.
 */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item)).join(',')}]`;
  if (value !== null && typeof value === 'object') {
    const object = value as Readonly<Record<string, unknown>>;
    let members = '';
    for (const name of Object.keys(object).toSorted()) {
      if (object[name] === undefined) continue;
      members += `${members === '' ? '' : ','}${JSON.stringify(name)}:${canonicalJson(object[name])}`;
    }
    return `{${members}}`;
  }
  return JSON.stringify(value);
}
