// Breaks THE RULE on purpose, to see the simulation notice: whatever a PSP leaves in doubt is passed
// off as never sent, so that the next PSP is asked at once.
import { breakLines } from './breaking.mjs';

breakLines(
  '/request-storage/decisions/assess-route.js',
  ["a.outcome === 'unknown' || a.outcome === null", 'false'],
  ['default:', "default: return { ...ruledOut('not_sent', last), untouched: true };"],
);
