/**
 * The minor units of an amount as a person writes it: `1234.56`, with a point before the decimals of the currency. Null where it
 * could mean another one: `12,34` is twelve to some and twelve hundred to others, and what is pasted brings either.
 */
export function minorUnitsOf(text: string, decimals: number): number | null {
  const [, whole, fraction = ''] = /^(\d{1,12})(?:\.(\d+))?$/.exec(text.trim()) ?? [];
  if (whole === undefined || fraction.length > decimals) return null;
  const minor = Number(whole + fraction.padEnd(decimals, '0'));
  return Number.isSafeInteger(minor) ? minor : null;
}
