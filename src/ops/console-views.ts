import { type OperatorRole } from '../core/operator-role.js';

/** What the console's API answers. The pages in console/ are typed by this file, and import no other one. */

export interface OperatorView {
  readonly name: string;
  readonly role: OperatorRole;
}
