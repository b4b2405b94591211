import { parseArgs } from 'node:util';

/** What a run was asked for. */
export interface Options {
  /** How long each contender is measured at each load, in one round. */
  readonly seconds: number;
  readonly rounds: number;
  /** One more measurement of each contender, at 64 in flight for so long, after the rounds; 0: none. */
  readonly sustainedS: number;
  readonly loads: readonly Load[];
  /** Further services, measured in the same rounds: another build, or the same one set otherwise. */
  readonly beside: readonly Variant[];
  /** A directory for a CPU profile of the service; null: none is taken. */
  readonly profile: string | null;
  /** Sizes to measure at, in stored payments; empty: none but the empty one. */
  readonly growth: readonly number[];
  /** Without what the service is compared with; for profiles and for two builds. */
  readonly onlyServices: boolean;
  /** APIs and workers as processes of their own over one database, instead of one process with both. */
  readonly processes: boolean;
  /** Two merchants at one service, one of them beyond its limit. */
  readonly tenants: boolean;
  /** What is done behind the requests, measured alone. */
  readonly background: boolean;
}

/** How many payments are under way at once, at a PSP that takes so long. */
export interface Load {
  readonly inFlight: number;
  readonly pspMs: number;
}

export function isSame(one: Load, other: Load): boolean {
  return one.inFlight === other.inFlight && one.pspMs === other.pspMs;
}

/** A PSP that is neither near nor far. */
export const SLOW_PSP_MS = 50;
const MAX_IN_FLIGHT = 512;

export interface Variant {
  /** A checkout that was built; its service is started. */
  readonly checkout: string;
  readonly env: Readonly<Record<string, string>>;
}

export const usage = `npm run bench -- [options]

  --seconds <s>          each measurement, 0.5 to 60 (2.5)
  --rounds <n>           1 to 50 (3)
  --sustained <s>        64 in flight for so long, after the rounds: what background work does shows; 0 for none (60)
  --in-flight <n,n,…>    payments at once, each 1 to 512 (1,16,64,256)
  --slow <n,n,…>         the same at a PSP that takes 50 ms; - for none (64,512)
  --beside <dir[,X=y]…>  another built checkout as a further service, or this one set otherwise (may be repeated)
  --profile <dir>        writes a CPU profile of the service
  --only-services        without pgbench and the bare service
  --growth <n,n,…>       the service alone, with so many payments stored, each up to 20 million
  --processes            one process, then an API and a worker, then two of each, over one database
  --tenants              a merchant who pays steadily, beside one at its limit and at ten times of it
  --background           fan-out, ledger and resolver, measured alone behind payments of an API without a worker
  --reports <n>          imports a report of so many lines instead, beside --attempts <n> attempts
  --jobs                 drains staged jobs instead, and takes no other option
`;

export class UsageError extends Error {}

/** Throws a UsageError for what it does not understand. */
export function optionsOf(args: readonly string[]): Options {
  let values;
  try {
    ({ values } = parseArgs({
      args: [...args],
      options: {
        seconds: { type: 'string', default: '2.5' },
        rounds: { type: 'string', default: '3' },
        sustained: { type: 'string', default: '60' },
        'in-flight': { type: 'string', default: '1,16,64,256' },
        slow: { type: 'string', default: '64,512' },
        beside: { type: 'string', multiple: true, default: [] },
        profile: { type: 'string' },
        growth: { type: 'string' },
        'only-services': { type: 'boolean', default: false },
        processes: { type: 'boolean', default: false },
        tenants: { type: 'boolean', default: false },
        background: { type: 'boolean', default: false },
      },
    }));
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
  return {
    seconds: numberIn('--seconds', values.seconds, 0.5, 60),
    rounds: wholeIn('--rounds', values.rounds, 1, 50),
    sustainedS: numberIn('--sustained', values.sustained, 0, 600),
    loads: [
      ...loadsOf('--in-flight', values['in-flight'], 0),
      ...loadsOf('--slow', values.slow, SLOW_PSP_MS),
    ],
    beside: values.beside.map(variantOf),
    profile: values.profile ?? null,
    growth: (values.growth?.split(',') ?? []).map((text) => wholeIn('--growth', text, 1, 20_000_000)),
    onlyServices: values['only-services'] || values.growth !== undefined,
    processes: values.processes,
    tenants: values.tenants,
    background: values.background,
  };
}

function loadsOf(name: string, text: string, pspMs: number): Load[] {
  if (text === '-') return [];
  return text.split(',').map((one) => ({ inFlight: wholeIn(name, one, 1, MAX_IN_FLIGHT), pspMs }));
}

function variantOf(text: string): Variant {
  const [checkout = '', ...settings] = text.split(',');
  const env = settings.map((setting) => {
    const [, name, value] = /^([A-Z_]+)=(.*)$/.exec(setting) ?? [];
    if (name === undefined || value === undefined) throw new UsageError(`--beside: ${setting} is no setting`);
    return [name, value] as const;
  });
  if (checkout === '') throw new UsageError('--beside takes a directory');
  return { checkout, env: Object.fromEntries(env) };
}

function wholeIn(name: string, text: string, least: number, most: number): number {
  const value = numberIn(name, text, least, most);
  if (!Number.isInteger(value)) throw new UsageError(`${name} takes whole numbers`);
  return value;
}

function numberIn(name: string, text: string, least: number, most: number): number {
  const value = Number(text);
  if (text.trim() === '' || !(value >= least && value <= most)) {
    throw new UsageError(`${name} is ${JSON.stringify(text)}; it takes a number from ${least} to ${most}`);
  }
  return value;
}
