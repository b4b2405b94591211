import { describeSchedules } from './describe-schedules.js';

describeSchedules(1);
