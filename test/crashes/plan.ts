import {
  authorizes,
  capturesAPart,
  capturesInParts,
  paysOut,
  type PspName,
  pspNames,
} from '../support/test-environment.js';

/** What a client asks for. `again`: of a refund, under a second key as well once the first one died. */
export const asks = [
  'charge',
  'authorize',
  'capture',
  'capture a part',
  'capture another part',
  'cancel',
  'refund',
  'refund a part',
  'refund again',
  'payout',
] as const;
export type Ask = (typeof asks)[number];

/**
 * What nobody asks for: what a PSP did after it was ruled out is given back, by a refund of a charge and
 * by a void of an authorization.
 */
export const orphanKinds = ['orphan charge', 'orphan authorization'] as const;
export type OrphanKind = (typeof orphanKinds)[number];

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

interface Plan<Kind> {
  readonly ask: Kind;
  readonly first: PspName;
  readonly weather: Weather;
  readonly death: Death;
}

/** One run: a plan, and what the dice said about its further course. */
interface RunOf<Kind> extends Plan<Kind> {
  readonly number: number;
  /** Where the process that recovers is killed in its turn; null: it lives. */
  readonly secondDeath: Death | null;
  /** Whether the client asks to be kept waiting (`Prefer: wait`) when it tries again. */
  readonly waits: boolean;
}

export type AskedRun = RunOf<Ask>;
export type OrphanRun = RunOf<OrphanKind>;
export type Run = AskedRun | OrphanRun;

export function isOrphanRun(run: Run): run is OrphanRun {
  return run.ask === 'orphan charge' || run.ask === 'orphan authorization';
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
function deathsIn(ask: Ask, weather: Weather, first: PspName): readonly Death[] {
  const again = [...bothSides('commit', 'accepted'), ...settle];
  switch (weather) {
    case 'fair':
      return [...accept, ...bothSides('psp', 'execute'), ...settle, ...outside];
    case 'answer lost':
      return [...again, ...(isSentAgain(ask, first) ? sentAgain : bothSides('psp', 'lookup'))];
    case 'first PSP down':
      return [...again, ...sentAgain, ...outside];
    case 'first PSP declines':
      return [...again, ...bothSides('psp', 'execute', 2), ...outside];
  }
}

/** Adyen cannot be asked, and PayPal not without its id of the order: they are sent the same again. */
function isSentAgain(ask: Ask, first: PspName): boolean {
  return first === 'adyen' || (first === 'paypal' && (ask === 'charge' || ask === 'authorize'));
}

/** The second call, where the first was not answered: `after` was not reached by that one. */
const sentAgain = [at('psp:before:execute', 2), at('psp:after:execute')];

/**
 * The look that finds the orphan effect, the commit that writes it down, the one that opens its
 * compensation, the call, and the commit that decides. A lost answer makes for a second look.
 */
function orphanDeathsIn(weather: Weather): readonly Death[] {
  if (weather === 'answer lost') {
    return [...bothSides('psp', 'lookup', 2), ...bothSides('commit', 'driven'), at('commit:after:driven', 2)];
  }
  return [
    ...bothSides('psp', 'lookup'),
    ...bothSides('commit', 'looked'),
    ...bothSides('commit', 'compensating'),
    ...bothSides('psp', 'execute'),
    ...bothSides('commit', 'driven'),
    ...outside,
  ];
}

/** A capture, a cancel and a refund are never failed over, and a refused payout is not sent elsewhere. */
function weathersOf(ask: Ask, first: PspName): readonly Weather[] {
  // No other PSP takes its debits.
  if (first === 'gocardless') return ['fair', 'answer lost'];
  if (ask === 'charge' || ask === 'authorize') return weathers;
  return ask === 'payout' ? ['fair', 'answer lost', 'first PSP down'] : ['fair', 'answer lost'];
}

/** Not every PSP captures in several parts, or pays out. */
function pspsOf(ask: Ask): readonly PspName[] {
  if (ask === 'capture another part') return capturesInParts;
  if (ask === 'capture a part') return capturesAPart;
  if (ask === 'authorize' || ask === 'capture' || ask === 'cancel') return authorizes;
  return ask === 'payout' ? paysOut : pspNames;
}

function plansOf(kind: Ask | OrphanKind): (Plan<Ask> | Plan<OrphanKind>)[] {
  if (kind === 'orphan charge' || kind === 'orphan authorization') {
    // Adyen cannot be looked up, so nothing is found there late.
    return (['stripe', 'keyless'] as const).flatMap((first) =>
      (['fair', 'answer lost'] as const).flatMap((weather) =>
        orphanDeathsIn(weather).map((death) => ({ ask: kind, first, weather, death })),
      ),
    );
  }
  return pspsOf(kind).flatMap((first) =>
    weathersOf(kind, first).flatMap((weather) =>
      deathsIn(kind, weather, first).map((death) => ({ ask: kind, first, weather, death })),
    ),
  );
}

/** Every plan there is. */
export function everyPlan(): (Plan<Ask> | Plan<OrphanKind>)[] {
  return [...asks, ...orphanKinds].flatMap(plansOf);
}

const secondDeaths: readonly Death[] = [
  ...bothSides('commit', 'accepted'),
  ...bothSides('psp', 'lookup'),
  ...bothSides('psp', 'execute'),
  ...bothSides('commit', 'driven'),
  ...settle,
  ...outside,
];

const secondOrphanDeaths: readonly Death[] = [
  ...bothSides('psp', 'lookup'),
  ...bothSides('commit', 'compensating'),
  ...bothSides('psp', 'execute'),
  ...bothSides('commit', 'driven'),
  ...outside,
];

/**
 * `count` runs; the same for the same seed. Kinds take turns, so that a few runs are of every kind, and
 * the plans of a kind are drawn without replacement until they are used up.
 */
export function draw(seed: number, count: number, only: readonly string[] = []): Run[] {
  const random = randomFrom(seed);
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)]!;
  const take = <T>(from: T[]): T => from.splice(Math.floor(random() * from.length), 1)[0]!;
  const wanted = (kind: Ask | OrphanKind) => only.length === 0 || only.includes(kind);
  // Orphan effects take three processes before one is killed: both kinds share a turn.
  const all = [...asks.map((ask) => [ask]), orphanKinds].map((turn) => turn.filter(wanted));
  const plans = new Map<object, (Plan<Ask> | Plan<OrphanKind>)[]>();
  const runs: Run[] = [];
  let turns: (readonly (Ask | OrphanKind)[])[] = [];
  for (let number = 1; number <= count; number++) {
    if (turns.length === 0) turns = all.filter((turn) => turn.length > 0);
    const turn = take(turns);
    const left = plans.get(turn) ?? [];
    if (left.length === 0) left.push(...turn.flatMap(plansOf));
    plans.set(turn, left);
    const plan = take(left);
    const deaths = turn === all.at(-1) ? secondOrphanDeaths : secondDeaths;
    const secondDeath = random() < 0.3 ? pick(deaths) : null;
    runs.push({ ...plan, number, secondDeath, waits: random() < 0.5 });
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
