/** What a pattern alone does not say of a text. Each takes time in proportion to the text. */

/** One @ and something on both sides, no white space. */
const EMAIL = /^[^\s@"(),:;<>[\\\]\p{Cc}]+@([^\s@"(),:;<>[\\\]\p{Cc}]+)$/u;
/** RFC 3339, section 5.6, without leap seconds, which JavaScript's dates do not have. */
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?(Z|[+-]\d{2}:\d{2})$/;

/** With a dot inside the domain. Mail servers know the rest. */
export function isEmail(text: string): boolean {
  const domain = EMAIL.exec(text)?.[1] ?? '';
  const dot = domain.indexOf('.', 1);
  return dot > 0 && dot < domain.length - 1;
}

export function isHttpUrl(text: string): boolean {
  if (!/^https?:\/\/[^\s\p{Cc}]+$/iu.test(text) || !URL.canParse(text)) return false;
  const { username, password } = new URL(text);
  return username === '' && password === '';
}

/** Whether it is a time that exists: `2026-02-30T00:00:00Z` parses, and to another day. */
export function isTime(text: string): boolean {
  if (!TIME.test(text) || Number.isNaN(Date.parse(text))) return false;
  const [year, month, day] = text.slice(0, 10).split('-').map(Number) as [number, number, number];
  return new Date(Date.UTC(year, month - 1, day)).getUTCDate() === day;
}
