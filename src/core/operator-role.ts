/**
 * The roles of operators; each may do all that those before it may. `finance`: imports of reports, and breaks; nothing that
 * asks a PSP to do something.
 */
export const operatorRoles = ['viewer', 'finance', 'operator', 'approver', 'admin'] as const;

export type OperatorRole = (typeof operatorRoles)[number];

/** Whether an operator with the role `has` may do what takes the role `needed`. */
export function mayActAs(has: OperatorRole, needed: OperatorRole): boolean {
  return operatorRoles.indexOf(has) >= operatorRoles.indexOf(needed);
}
