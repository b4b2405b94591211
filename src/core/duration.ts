/** From the largest unit: its name, and how long it is. */
const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1_000],
] as const;

/** `3 h 12 min`, `42 s`: the two largest units that it has. */
export function duration(ms: number): string {
  const first = UNITS.findIndex(([, size]) => ms >= size);
  if (first < 0) return '0 s';
  const [unit, size] = UNITS[first]!;
  const whole = `${Math.floor(ms / size)} ${unit}`;
  const next = UNITS[first + 1];
  const rest = next === undefined ? 0 : Math.floor((ms % size) / next[1]);
  return rest === 0 ? whole : `${whole} ${rest} ${next![0]}`;
}
