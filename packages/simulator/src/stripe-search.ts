export interface SearchClause {
  /** `metadata.<key>`, `status`, `currency`, `amount`. */
  readonly field: string;
  readonly value: string;
}

const CLAUSE =
  /^\s*(?:metadata\[(?:'((?:[^'\\]|\\.)+)'|"((?:[^"\\]|\\.)+)")\]|(status|currency|amount))\s*:\s*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|(\d+))\s*/;

/**
 * The part of Stripe's search language that names payments: `metadata['k']:'v'`, `status:'s'`,
 * `currency:'c'`, `amount:n`, joined by AND. Anything else is undefined: refused, never guessed at.
 */
export function search(query: string): SearchClause[] | undefined {
  const clauses: SearchClause[] = [];
  let rest = query;
  while (rest !== '') {
    const match = CLAUSE.exec(rest);
    if (match === null) return undefined;
    const [whole, single, double, name = '', quoted, doubleQuoted, number] = match;
    const key = single ?? double;
    const field = key === undefined ? name : `metadata.${unescape(key)}`;
    clauses.push({ field, value: unescape(quoted ?? doubleQuoted ?? number ?? '') });
    rest = rest.slice(whole.length);
    if (rest === '') break;
    const and = /^AND\s+/i.exec(rest);
    if (and === null) return undefined;
    rest = rest.slice(and[0].length);
  }
  return clauses.length === 0 ? undefined : clauses;
}

function unescape(text: string): string {
  return text.replaceAll(/\\(.)/g, '$1');
}
