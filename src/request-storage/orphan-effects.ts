import { In, Not, type Repository } from 'typeorm';
import { Problem } from '../core/problem.js';
import { recordAct } from '../database/record-act.js';
import { OrphanEffect, type OrphanStatus } from './route.entity.js';

/** An orphan effect, as an operator names it. */
interface NamedOrphan {
  readonly merchantId: string;
  readonly entityKey: string;
  readonly route: number;
  /** Which object of the route; null where only one waits. */
  readonly pspReference: string | null;
}

/** Who decides about an orphan effect, and when. */
interface OrphanDecision {
  readonly actor: string;
  readonly auditId: string;
  readonly at: Date;
}

/** Orphan effects, for operators. */
export class OrphanEffects {
  constructor(private readonly orphans: Repository<OrphanEffect>) {}

  /** Orphan effects that are not given back yet, oldest first, at most `limit`. */
  list(limit = 100): Promise<OrphanEffect[]> {
    const where = { status: Not(In(['compensated', 'closed'])) };
    return this.orphans.find({ where, order: { foundAt: 'ASC' }, take: limit });
  }

  /**
   * Approves giving it back; the decision and its author are one commit. Also tries a failed one again. Throws
   * Problem `not_found` if none waits.
   */
  approve(orphan: NamedOrphan, by: OrphanDecision): Promise<OrphanEffect> {
    const set = { status: 'approved', dueAt: by.at } as const;
    return this.decide(orphan, ['open', 'failed'], set, by, 'approved', {});
  }

  /**
   * Closes one that a person has handled; the author, the time and the note are in the same commit. Throws Problem
   * `not_found` if none waits for a person.
   */
  close(orphan: NamedOrphan, by: OrphanDecision & { readonly note: string }): Promise<OrphanEffect> {
    const { note } = by;
    const waiting = ['open', 'approved', 'failed'] as const;
    return this.decide(orphan, waiting, { status: 'closed' }, by, 'closed', { note });
  }

  private decide(
    { merchantId, entityKey, route, pspReference }: NamedOrphan,
    waiting: readonly OrphanStatus[],
    set: Partial<OrphanEffect>,
    { actor, auditId: id, at }: OrphanDecision,
    action: 'approved' | 'closed',
    detail: Readonly<Record<string, unknown>>,
  ): Promise<OrphanEffect> {
    return this.orphans.manager.transaction(async (tx) => {
      const named = { merchantId, entityKey, route, ...(pspReference === null ? {} : { pspReference }) };
      const [found, ...others] = await tx.find(OrphanEffect, {
        where: { ...named, status: In(waiting) },
        lock: { mode: 'pessimistic_write' },
      });
      if (!found || others.length > 0) {
        const what = action === 'approved' ? 'a decision' : 'a person';
        throw new Problem('not_found', `No orphan effect of this name waits for ${what}.`);
      }
      const decided = { ...found, ...set };
      await tx.update(OrphanEffect, { merchantId, entityKey, route, object: found.object }, set);
      await recordAct(tx, {
        merchantId,
        id,
        at,
        actor,
        action: `orphan.${action}`,
        subject: entityKey,
        detail: { route, psp_reference: found.pspReference, ...detail },
      });
      return decided;
    });
  }
}
