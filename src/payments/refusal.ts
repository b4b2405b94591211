import { type Change } from '../core/change.js';
import { Problem, type ProblemCode } from '../core/problem.js';
import { type Reply, reply } from '../idempotency/operation.js';

/** Why an operation cannot begin in the present state of a payment. */
export interface Refusal {
  readonly code: ProblemCode;
  readonly detail: string;
  /** The obstacle, for the problem document. */
  readonly members?: Readonly<Record<string, string | number>>;
}

/** The refusal as an answer that is stored under the client's key. */
export function refuse({ code, detail, members }: Refusal, changes: readonly Change[] = []): Reply {
  const problem = new Problem(code, detail, members ? { members } : {});
  return reply(problem.status, JSON.stringify(problem.document()), changes);
}

export function notFound(): Problem {
  return new Problem('not_found', 'No such payment.');
}
