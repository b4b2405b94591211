export { sumOf, tableOf } from './report.js';
export { broken, type Outcome, runTrial, type RunOptions, type Verdict } from './run.js';
export { type Ask, type Target, type Told } from './target.js';
export { type Behaviour, type Trial, trialsAt, type Tried } from './trials.js';
