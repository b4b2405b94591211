import { inTurn } from '../support/turns.js';
import { playStorm } from './storm.js';

/** The clocks of the two services agree, or are 100 s apart; the one that is off proves and resends nothing. */
const clocks: readonly [number, number][] = [
  [0, 0],
  [0, 100_000],
];
describe.each(inTurn(clocks))('a storm over clocks that are %i and %i ms off', (...off) => playStorm(off));
