import { type PspName, pspNames } from '../../simulator/index.js';

/** What a client asks for. */
export const asks = ['charge', 'authorize', 'capture', 'capture a part', 'cancel'] as const;
export type Ask = (typeof asks)[number];

/**
 * What the PSPs do meanwhile: nothing special; the first answer is lost after the effect; the first
 * PSP refuses connections; the first PSP declines softly.
 */
export const weathers = ['fair', 'answer lost', 'first PSP down', 'first PSP declines'] as const;
export type Weather = (typeof weathers)[number];

/** Where the process is killed: by a hook at a checkpoint, or by the simulator while it serves a call. */
export type Death =
  | { readonly by: 'hook'; readonly place: string; readonly visit: number }
  | { readonly by: 'psp'; readonly when: 'arrival' | 'after_effect' };

export interface Plan {
  readonly ask: Ask;
  readonly first: PspName;
  readonly weather: Weather;
  readonly death: Death;
}

/** One run: a plan, and what the dice said about its further course. */
export interface Run extends Plan {
  readonly number: number;
  /** Where the process that recovers is killed in its turn; null: it lives. */
  readonly secondDeath: Death | null;
  /** Whether the client asks to be kept waiting (`Prefer: wait`) when it tries again. */
  readonly waits: boolean;
}

const at = (place: string, visit = 1): Death => ({ by: 'hook', place, visit });
const bothSides = (what: string, place: string, visit = 1): Death[] => [
  at(`${what}:before:${place}`, visit),
  at(`${what}:after:${place}`, visit),
];

const outside: readonly Death[] = [
  { by: 'psp', when: 'arrival' },
  { by: 'psp', when: 'after_effect' },
];
const accept = bothSides('commit', 'new:accepted');
const settle = bothSides('commit', 'finished');

/** Both sides of every commit and of every call to a PSP, as far as each weather leads there. */
function deathsIn(weather: Weather, first: PspName): readonly Death[] {
  const again = [...bothSides('commit', 'accepted'), ...settle];
  switch (weather) {
    case 'fair':
      return [...accept, ...bothSides('psp', 'execute'), ...settle, ...outside];
    case 'answer lost':
      // Adyen cannot be asked: it is sent the same again. The others are looked up.
      return [...again, ...(first === 'adyen' ? sentAgain : bothSides('psp', 'lookup'))];
    case 'first PSP down':
      return [...again, ...sentAgain, ...outside];
    case 'first PSP declines':
      return [...again, ...bothSides('psp', 'execute', 2), ...outside];
  }
}

/** The second call, where the first was not answered: `after` was not reached by that one. */
const sentAgain = [at('psp:before:execute', 2), at('psp:after:execute')];

/** Every plan there is. A capture and a cancel are never failed over, so they know two weathers. */
export function everyPlan(): Plan[] {
  return asks.flatMap((ask) =>
    pspNames.flatMap((first) =>
      weathers
        .filter((weather) => ask === 'charge' || ask === 'authorize' || !weather.startsWith('first PSP'))
        .flatMap((weather) => deathsIn(weather, first).map((death) => ({ ask, first, weather, death }))),
    ),
  );
}

const secondDeaths: readonly Death[] = [
  ...bothSides('commit', 'accepted'),
  ...bothSides('psp', 'lookup'),
  ...bothSides('psp', 'execute'),
  ...settle,
  ...outside,
];

/** `count` runs, drawn without replacement until the table is used up; the same for the same seed. */
export function draw(seed: number, count: number): Run[] {
  const random = randomFrom(seed);
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)]!;
  const runs: Run[] = [];
  let left: Plan[] = [];
  for (let number = 1; number <= count; number++) {
    if (left.length === 0) left = everyPlan();
    const [plan] = left.splice(Math.floor(random() * left.length), 1);
    const secondDeath = random() < 0.3 ? pick(secondDeaths) : null;
    runs.push({ ...plan!, number, secondDeath, waits: random() < 0.5 });
  }
  return runs;
}

export function titleOf({ number, ask, first, weather, death, secondDeath }: Run): string {
  const then = secondDeath ? `, then ${nameOf(secondDeath)}` : '';
  return `${number}: ${ask} at ${first}, ${weather}, killed ${nameOf(death)}${then}`;
}

function nameOf(death: Death): string {
  if (death.by === 'psp')
    return death.when === 'arrival' ? 'when the call arrives' : 'right after the effect';
  return death.visit === 1 ? `at ${death.place}` : `at ${death.place} (visit ${death.visit})`;
}

/** mulberry32. */
function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
