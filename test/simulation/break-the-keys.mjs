// Breaks the keys that PSPs see on purpose, to see the simulation notice: the key of a first route is drawn
// anew for every payment, so that the PSP does not recognize a request that comes again after a loss.
import { breakLines } from './breaking.mjs';

breakLines('/request-storage/entity-key.js', [
  /clientKey\) ?=> ?digest\(/,
  'clientKey) => digest(Math.random() + ',
]);
