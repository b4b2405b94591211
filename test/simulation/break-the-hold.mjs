// Breaks the hold on purpose, to see the simulation notice: after lost commits an open route is sent again and
// failed over though a later route may have done it at another PSP.
import { breakLines } from './breaking.mjs';

breakLines('/request-storage/decisions/next-step.js', ['return isHeld && ', 'return false && ']);
