import { Injectable } from '@nestjs/common';
import { Pool } from 'pg';
import { Ids } from '../core/ids.js';
import { mayActAs } from '../core/operator-role.js';
import { Problem } from '../core/problem.js';
import { sqlState, sqlStateOf } from '../database/sql-state.js';
import { translateOutage } from '../database/store-unavailable.js';
import {
  type ApprovableAction,
  hashOfAction,
  isAboutOperator,
  isSetting,
  type OperationAction,
  type SettingAction,
  shownAction,
  subjectOfAction,
} from './approvable-action.js';
import { type ApprovalView } from './approval-views.js';
import { OperatorActions } from './actions.js';
import { ActionLog } from '../operators/action-log.js';
import { OperatorSessions, type SignedIn } from '../operators/operator-sessions.js';
import { SettingActs } from './setting-actions.js';

/** A request of the evening may be approved in the morning. */
const VALID = "interval '12 hours'";
const LISTED = 100;

const SELECT = `
SELECT a.id, a.merchant_id, a.action, a.action_hash, a.subject, a.requested_at, a.expires_at, a.decision,
       (a.decision IS NULL AND a.expires_at > now()) AS waits,
       a.decided_at, a.result, r.name AS requested_by, d.name AS decided_by,
       CASE WHEN a.subject LIKE 'payment:%' THEN (
         SELECT p.currency FROM payments p WHERE p.merchant_id = a.merchant_id AND p.id = substr(a.subject, 9)::uuid
       ) END AS currency
  FROM approvals a JOIN operators r ON r.id = a.requested_by LEFT JOIN operators d ON d.id = a.decided_by`;

/** Lets exactly this action through, once, while it is fresh, for anyone but the person who asked for it. */
const APPROVE = `
UPDATE approvals SET decision = 'approved', decided_by = $3, decided_at = now()
 WHERE id = $1 AND action_hash = $2 AND decision IS NULL AND expires_at > now() AND requested_by <> $3
   AND (SELECT person FROM operators WHERE id = requested_by) <> (SELECT person FROM operators WHERE id = $3)
RETURNING id`;

const SAME_PERSON = `
SELECT FROM approvals a JOIN operators r ON r.id = a.requested_by JOIN operators d ON d.person = r.person
 WHERE a.id = $1 AND d.id = $2`;

const DECLINE = `
UPDATE approvals SET decision = 'declined', decided_by = $2, decided_at = now()
 WHERE id = $1 AND decision IS NULL RETURNING id`;

/** The result of an action that ended with an error of ours: it may have been done. */
const FAILED = 'failed: an internal error; look at the timeline before you ask again';

interface Stored extends Omit<ApprovalView, 'action'> {
  readonly merchant_id: string;
  readonly action: ApprovableAction;
}

/** Acts that move money, overrule evidence or lift a bound: one operator asks, another approves, and then they are done. */
@Injectable()
export class Approvals {
  constructor(
    private readonly pool: Pool,
    private readonly ids: Ids,
    private readonly actions: OperatorActions,
    private readonly acts: ActionLog,
    private readonly settings: SettingActs,
    private readonly sessions: OperatorSessions,
  ) {}

  /** Those that wait, the newest first, and then the latest that were decided. */
  list(): Promise<ApprovalView[]> {
    return this.views(
      `${SELECT} ORDER BY (a.decision IS NULL AND a.expires_at > now()) DESC, a.id DESC LIMIT ${LISTED}`,
      [],
    );
  }

  about(subject: string): Promise<ApprovalView[]> {
    return this.views(`${SELECT} WHERE a.subject = $1 ORDER BY a.id DESC LIMIT ${LISTED}`, [subject]);
  }

  /**
   * Does what one person may do; asks for what lifts a bound. That takes a code, as does what is done to operators in any case.
   * Returns what was asked for, or null.
   * @throws Problem where it would be refused
   */
  async change(action: SettingAction, operator: SignedIn, code: string | null): Promise<ApprovalView | null> {
    const takesTwo = await this.settings.takesTwo(action, operator);
    if (takesTwo || isAboutOperator(action)) await this.sessions.confirm(operator, code);
    if (takesTwo) return this.request(action, operator);
    await this.settings.perform(action, operator);
    return null;
  }

  /** Whether a key that pays out takes two people, and then the code for asking. @throws Problem `forbidden` */
  async confirmPayouts(merchantId: string, operator: SignedIn, code: string | null): Promise<boolean> {
    if (!(await this.settings.keyTakesTwo(merchantId))) return false;
    await this.sessions.confirm(operator, code);
    return true;
  }

  /** @throws Problem where the action would be refused now, or is asked for already */
  async request(asked: ApprovableAction, operator: SignedIn): Promise<ApprovalView> {
    if (!isSetting(asked)) await this.actions.foresee(asked, operator);
    const action = isSetting(asked) ? asked : await this.actions.lookedUp(asked, operator);
    const id = this.ids.uuid();
    const { merchant_id: merchantId } = action;
    const subject = subjectOfAction(action);
    const hash = hashOfAction(action);
    try {
      await this.rows(
        `WITH expired AS (
           UPDATE approvals SET decision = 'declined', decided_by = requested_by, decided_at = now()
            WHERE merchant_id = $1 AND action_hash = $4 AND decision IS NULL AND expires_at <= now())
         INSERT INTO approvals (merchant_id, id, action, action_hash, subject, requested_by, expires_at)
         VALUES ($1, $2, $3, $4, $5, $6, now() + ${VALID})`,
        [merchantId, id, JSON.stringify(action), hash, subject, operator.id],
      );
    } catch (error) {
      if (sqlStateOf(error) !== sqlState.UNIQUE_VIOLATION) throw error;
      throw new Problem('invalid_state', 'This is asked for already, and waits for an approval.');
    }
    await this.acts.record(operator, merchantId, 'approval.requested', subject, {
      approval: id,
      ...shownAction(action),
    });
    return approvalViewOf(await this.find(id));
  }

  /**
   * Approves the action with this hash and performs it, after checking again that it is allowed. `code`: for what lifts a bound.
   * @throws Problem `forbidden` to who asked for it and without the code, `invalid_state` where it is not to be had any more
   */
  async approve(id: string, hash: string, operator: SignedIn, code: string | null): Promise<ApprovalView> {
    const stored = await this.find(id);
    if (stored.action_hash !== hash || hashOfAction(stored.action) !== hash) {
      throw new Problem('invalid_state', 'This is not the action that was asked for.');
    }
    if (isSetting(stored.action)) await this.sessions.confirm(operator, code);
    const approved = await this.rows(APPROVE, [id, hash, operator.id]);
    if (approved.length === 0) {
      if ((await this.rows(SAME_PERSON, [id, operator.id])).length > 0) {
        throw new Problem('forbidden', 'You asked for this yourself: another person has to approve it.');
      }
      throw new Problem('invalid_state', 'This was decided already, or waited for too long.');
    }
    const result = await this.perform(stored, id).catch(async (error: unknown) => {
      // The database may be what failed; then this fails as well, and the first error says more.
      await this.end(stored, operator, FAILED).catch(() => {});
      throw error;
    });
    await this.end(stored, operator, result);
    return approvalViewOf(await this.find(id));
  }

  /** The act on an operation, and whether it still waits. @throws Problem `not_found`, also for a setting */
  async operationActionOf(
    id: string,
  ): Promise<{ readonly action: OperationAction; readonly waits: boolean }> {
    const { action, waits } = await this.find(id);
    if (isSetting(action)) throw new Problem('not_found', 'This acts on no operation.');
    return { action, waits };
  }

  private async end(stored: Stored, operator: SignedIn, result: string): Promise<void> {
    await this.rows('UPDATE approvals SET result = $2 WHERE id = $1', [stored.id, result]);
    await this.record(stored, 'approval.approved', operator, { result });
  }

  /** Also withdraws what one asked for oneself. @throws Problem `invalid_state` where it is decided */
  async decline(id: string, operator: SignedIn): Promise<ApprovalView> {
    const stored = await this.find(id);
    if (!mayActAs(operator.role, 'operator') && stored.requested_by !== operator.name) {
      throw new Problem('forbidden', 'To decline what others ask for takes the role operator.');
    }
    const declined = await this.rows(DECLINE, [id, operator.id]);
    if (declined.length === 0) throw new Problem('invalid_state', 'This was decided already.');
    await this.record(stored, 'approval.declined', operator, {});
    return approvalViewOf(await this.find(id));
  }

  /** An approval is used up in any case; an operator who still wants the action asks anew. */
  private async perform({ action, requested_by: name }: Stored, id: string): Promise<string> {
    try {
      const result = isSetting(action)
        ? await this.settings.perform(action, { name })
        : await this.actions.perform(action, { name }, id);
      return `done: ${result}`;
    } catch (error) {
      if (error instanceof Problem) return `refused: ${error.detail}`;
      throw error;
    }
  }

  private record(
    { id, merchant_id: merchantId, subject, requested_by, action_hash }: Stored,
    action: string,
    operator: SignedIn,
    detail: Readonly<Record<string, unknown>>,
  ): Promise<void> {
    return this.acts.record(operator, merchantId, action, subject, {
      approval: id,
      requested_by,
      action_hash,
      ...detail,
    });
  }

  private async find(id: string): Promise<Stored> {
    const [found] = await this.rows<Stored>(`${SELECT} WHERE a.id = $1`, [id]);
    if (!found) throw new Problem('not_found', 'There is no approval of this id.');
    return found;
  }

  private async views(sql: string, values: readonly unknown[]): Promise<ApprovalView[]> {
    return (await this.rows<Stored>(sql, values)).map(approvalViewOf);
  }

  private async rows<Row extends object>(sql: string, values: readonly unknown[]): Promise<Row[]> {
    return (await translateOutage(this.pool.query<Row>(sql, [...values]))).rows;
  }
}

function approvalViewOf({ merchant_id: _merchant, action, ...view }: Stored): ApprovalView {
  return { ...view, action: shownAction(action) };
}
