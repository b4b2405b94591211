// Breaks the refusal on purpose, to see the simulation notice: after lost commits a new payment is taken though
// another PSP may have made it before.
import { breakLines } from './breaking.mjs';

breakLines('/request-storage/request-storage.js', [
  'if (candidates.length < 2 || ',
  'if (candidates.length < 99 || ',
]);
