import { type EntityManager } from 'typeorm';
import { type Clock } from '../core/clock.js';
import { type Ids } from '../core/ids.js';
import { Problem } from '../core/problem.js';
import { recordAct } from '../database/record-act.js';

/** The actor of audit records where none is named. */
export const SYSTEM = 'system:setup';

export const UUID_SHAPE = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Writes down, in the transaction that does it, what was done for a merchant. */
export function recordMerchantAct(
  tx: EntityManager,
  { ids, clock }: { readonly ids: Ids; readonly clock: Clock },
  act: {
    readonly actor: string;
    readonly merchantId: string;
    readonly action: string;
    readonly subject: string;
    readonly detail: Readonly<Record<string, unknown>>;
  },
): Promise<void> {
  return recordAct(tx, { id: ids.uuid(), at: clock.now(), ...act });
}

export function noMerchant(merchantId: string): Problem {
  return new Problem('not_found', `There is no merchant ${merchantId}.`);
}

export function invalid(pointer: string, message: string): Problem {
  return new Problem('validation_failed', message, { errors: [{ pointer, message }] });
}
