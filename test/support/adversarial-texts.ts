import { createContext, Script } from 'node:vm';

/** Of an adversarial text, in characters: quadratic work over it takes some ten seconds. */
const LENGTH = 80_000;
/** For one text. Linear work of this size takes milliseconds. */
export const MAX_MS = 2_000;

/**
 * Texts on which patterns backtrack: runs of each of these characters, of each pair of them and of each
 * word, alone and behind what may be the beginning of a match, with an end that fits nothing.
 */
export function* adversarialTexts(characters: string, words: readonly string[] = []): Generator<string> {
  const single = [...new Set(characters)];
  const pairs = single.flatMap((one) => single.map((other) => (one === other ? one : one + other)));
  const runOf = (repeated: string) => repeated.repeat(Math.ceil(LENGTH / repeated.length));
  for (const repeated of [...pairs, ...words]) yield `${runOf(repeated)}\u0000`;
  const signs = single.filter((character) => !/[\p{L}\p{N}]/u.test(character));
  for (const begin of [...signs.map((sign) => `a${sign}`), ...words]) {
    for (const repeated of single) yield `${begin}${runOf(repeated)}\u0000`;
  }
}

/** A scan, and the CPU ms that it takes where nothing else runs. */
const KNOWN_TEXT = '4242 a0 '.repeat(131_072);
const KNOWN_MS = 10;
const scanKnown = () => KNOWN_TEXT.replaceAll(/(?<![0-9A-Za-z])(?:[0-9a-f]{8}-|[A-Z]{3})|x-[a-z]{3}/g, '');

function measured(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

/**
 * The cost where nothing else runs, the best of five: a millisecond of CPU does less on a machine that others keep busy,
 * and how much less shows in the scan beside it.
 */
export function cpuMsOf(work: () => unknown): number {
  const once = () => Math.min(1, KNOWN_MS / measured(scanKnown)) * measured(work);
  return Math.min(...Array.from({ length: 5 }, once));
}

const script = new Script('run()');
/** One for all calls: to make a context takes longer than most of what runs in it. */
const context = createContext({});

/** Runs it, and throws where it takes longer twice: also out of the middle of a pattern that backtracks. */
export function withinMs(ms: number, run: () => void): void {
  context['run'] = run;
  try {
    script.runInContext(context, { timeout: ms });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
    // The time is that of the wall: on a busy machine the process may have stood still for all of it.
    script.runInContext(context, { timeout: ms });
  }
}
