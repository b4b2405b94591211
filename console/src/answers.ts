import { type BreakSidesView } from '../../src/console/break-page.view.js';
import { type components } from '../../packages/client/src/api-types.js';

/** Answers that programs with the operators' token read too, from the OpenAPI document. */
type Answers = components['schemas'];

export type Balances = Answers['LedgerBalances'];
export type Entry = Answers['LedgerEntry'];
export type Run = Answers['ReconciliationRun'];
export type RunResult = Answers['ReconciliationResult'];
export type Break = Answers['ReconciliationBreak'];
export type BreakNote = Answers['ReconciliationBreakNote'];
export type BreakAnswer = Answers['ReconciliationBreakWithNotes'] & BreakSidesView;
export type DeadLetter = Answers['DeadLetter'];
export type DeadLetterCount = Answers['DeadLetterCount'];
