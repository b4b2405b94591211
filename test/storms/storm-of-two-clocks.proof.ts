import { playStorm } from './storm.js';

/** The clocks of the two services are 100 s apart; the one that is off proves and resends nothing. */
playStorm([0, 100_000]);
