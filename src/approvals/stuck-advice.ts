import {
  conflictOf,
  HELD,
  ID_OF_ANOTHER_OPERATION,
  OTHER_ACCOUNT,
  OTHER_THING,
  TOO_MANY_CALLS,
} from '../request-storage/decisions/stuck-reason.js';
import { OTHER_PARAMETERS } from '../psp/contract.js';
import { type StuckAdviceView } from './approval-views.js';

type Advice = (psp: string) => StuckAdviceView;

const by =
  (way: StuckAdviceView['way']) =>
  (say: (psp: string) => string): Advice =>
  (psp) => ({ way, say: say(psp) });
const [ask, state, other] = [by('ask'), by('state'), by('other')];

const unknown = ask(
  (psp) =>
    `Look in the dashboard of ${psp}, or ask its support, what became of it, and state what you found.`,
);

const advice: Readonly<Record<string, Advice>> = {
  doubt: unknown,
  undoing: ask((psp) => `Look in the dashboard of ${psp} whether it is canceled, and state what you found.`),
  pending: ask((psp) => `Ask the support of ${psp} with its id, and state what it decided.`),
  requires_action: other(
    () =>
      'Nothing was taken. Cancel it at the PSP, so that the customer can pay anew, or wait for the PSP to end it.',
  ),
  [OTHER_THING]: state(
    (psp) =>
      `Give back in the dashboard of ${psp} what is too much, and state what is left: done, with its id, or not done.`,
  ),
  [conflictOf({ pspCode: OTHER_PARAMETERS })]: state(
    (psp) =>
      `Search ${psp} for the entity key. What stands there under the key of this route is of an earlier request.`,
  ),
  [conflictOf({ pspCode: ID_OF_ANOTHER_OPERATION })]: state(
    (psp) =>
      `That other operation is done. Search ${psp} for the entity key of this one, and state what you found.`,
  ),
  [OTHER_ACCOUNT]: other(
    (psp) =>
      `Configure the old account under the name ${psp} again, and the new one under a name of its own; then retry.`,
  ),
  [TOO_MANY_CALLS]: ask(
    (psp) =>
      `Stop the client that asks again and again. Then look in the dashboard of ${psp}, and state what you found.`,
  ),
  [HELD]: other(
    () =>
      'Commits may be lost: follow the guide of lost commits. `npx payonce failover resume` continues all of these at once.',
  ),
};

/** The way out where the PSP's last word is what was asked for. */
const agreed = state(
  (psp) =>
    `Look in the dashboard of ${psp} what is there. The right one alone: state that it was done, with its id. Give back only what is there besides.`,
);

/**
 * The way out of an operation that is stuck for this reason, where the PSP cannot be asked. `agrees`: the PSP said something else
 * before, and says what was asked for now. Pure.
 */
export function stuckAdvice(reason: string | null, psp: string, agrees = false): StuckAdviceView {
  return (agrees && reason === OTHER_THING ? agreed : (advice[reason ?? ''] ?? unknown))(psp);
}
