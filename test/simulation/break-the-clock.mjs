// Breaks the one clock on purpose, to see the simulation notice: every process stamps and judges by the
// clock of its own machine again, and trusts it.
import { breakLines } from './breaking.mjs';

breakLines(
  '/core/database-clock.js',
  ['now() {', 'now() { return this.own.now();'],
  ['isTrusted() {', 'isTrusted() { return true;'],
);
