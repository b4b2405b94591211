import { describeSchedules } from './describe-schedules.js';

describeSchedules(0);
