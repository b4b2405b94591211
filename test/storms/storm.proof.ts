import { playStorm } from './storm.js';

playStorm([0, 0]);
