import { type OperatorRole } from '../core/operator-role.js';

/** Who is signed in to the console. */
export interface OperatorView {
  readonly name: string;
  readonly role: OperatorRole;
}
