// Breaks the rule about accounts on purpose, to see the simulation notice: whichever account a name stands for now is
// taken for the one that the route was opened with.
import { breakLines } from './breaking.mjs';

breakLines('/request-storage/decisions/next-step.js', ['!isSameAccount(opened, configured)', 'false']);
