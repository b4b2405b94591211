import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, Equal } from 'typeorm';
import { Problem } from '../core/problem.js';
import { translateOutage } from '../database/store-unavailable.js';
import { type SignedIn } from '../operators/operator-sessions.js';
import { subjectOf } from '../request-storage/entity-key.js';
import { readHistories } from '../request-storage/read-histories.js';
import { OperatorActions } from './actions.js';
import { type OperationAction } from './approvable-action.js';
import { type ActionVerdictView, type ApprovalDetailsView } from './approval-views.js';
import { Approvals } from './approvals.js';
import { EvidenceFiles } from './evidence-files.js';
import { pspWordOf } from './psp-word.js';

const PAYMENT = `
SELECT m.name AS merchant, p.reference, p.order_reference AS "order", p.amount::float8 AS amount, p.currency, p.status, p.psp
  FROM payments p JOIN merchants m ON m.id = p.merchant_id WHERE p.merchant_id = $1 AND p.id = $2`;
const PAYOUT = `
SELECT m.name AS merchant, p.reference, NULL AS "order", p.amount::float8 AS amount, p.currency, p.status, p.psp
  FROM payouts p JOIN merchants m ON m.id = p.merchant_id WHERE p.merchant_id = $1 AND p.id = $2`;

/** All that a person needs who decides about an act: on what it acts, and what would come of it now. */
@Injectable()
export class ApprovalDetails {
  constructor(
    @InjectDataSource() private readonly source: DataSource,
    private readonly approvals: Approvals,
    private readonly actions: OperatorActions,
    private readonly files: EvidenceFiles,
  ) {}

  /** @throws Problem `not_found`, also for a setting, which acts on no operation */
  async show(id: string, operator: SignedIn): Promise<ApprovalDetailsView> {
    const { action, waits } = await this.approvals.operationActionOf(id);
    const { merchant_id: merchantId, entity_key: entityKey } = action;
    const { manager } = this.source;
    const subject = subjectOf(entityKey)!;
    const [rows, histories, files, verdict] = await Promise.all([
      translateOutage(
        manager.query<ApprovalDetailsView['about'][]>(subject.kind === 'payment' ? PAYMENT : PAYOUT, [
          merchantId,
          subject.id,
        ]),
      ),
      translateOutage(readHistories(manager, { merchantId, entityKey: Equal(entityKey) })),
      this.files.list(merchantId, [entityKey]),
      waits ? this.judged(action, operator) : null,
    ]);
    const [about] = rows;
    if (!about) throw new Problem('not_found', 'There is no operation of this name.');
    const route = histories.get(entityKey)?.routes.at(-1);
    const named = action.kind === 'resolve_stuck' ? (action.evidence_file ?? null) : null;
    return {
      about,
      psp_word: route ? pspWordOf(route) : null,
      verdict,
      file: files.find((file) => file.id === named) ?? null,
    };
  }

  private async judged(action: OperationAction, operator: SignedIn): Promise<ActionVerdictView> {
    try {
      return await this.actions.foresee(action, operator);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      return { allowed: false, headline: error.detail ?? 'It is refused.', facts: [], against: null };
    }
  }
}
