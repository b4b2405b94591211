import { OTHER_PARAMETERS } from '../../psp/contract.js';
import { type OpenBecause } from './assess-route.js';
import { type PspAttempt } from '../route.entity.js';

/** Why a route is stuck that `failover resume` continues. */
export const HELD = 'commits may be lost';
export const TOO_MANY_CALLS = 'too many calls';
export const OTHER_ACCOUNT = 'another account is configured under the name of this PSP';
/** The `pspCode` of a conflict: the PSP answered with its id of another operation of ours. */
export const ID_OF_ANOTHER_OPERATION = 'id_of_another_operation';

const conflicts = {
  [OTHER_PARAMETERS]: 'the PSP knows this key with other parameters',
  [ID_OF_ANOTHER_OPERATION]: 'the PSP answered with its id of another operation',
} as const;
export const OTHER_THING = 'the PSP holds something else than was asked for';

/** Why only a person decides a conflict. */
export function conflictOf({ pspCode }: Pick<PspAttempt, 'pspCode'>): string {
  return Object.entries(conflicts).find(([code]) => code === pspCode)?.[1] ?? OTHER_THING;
}

/** Left open by every call that was due. */
const undecided: readonly OpenBecause[] = ['doubt', 'undoing', 'pending', 'requires_action'];

/** Every reason of a stuck route. The runbook of stuck payments has a section for each. */
export const stuckReasons: readonly string[] = [
  ...undecided,
  OTHER_THING,
  ...Object.values(conflicts),
  OTHER_ACCOUNT,
  TOO_MANY_CALLS,
  HELD,
];
