// Breaks the rule about our own locks on purpose, to see the simulation notice: a call that was not made because
// the lock had gone is taken for the PSP's word that nothing was done.
import { breakLines } from './breaking.mjs';

breakLines('/request-storage/decisions/assess-route.js', [
  "&& (a.kind === 'complete' || !wasSkipped(a))",
  '',
]);
