import { IsOneOf, IsText, IsWholeNumber } from '../../http/fields.js';
import { UUID } from '../../http/shared-fields.js';
import { refused } from '../../http/request.pipe.js';
import { type ApprovableAction } from '../approvable-action.js';

const ENTITY_KEY = '^(payment|payout)-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}-[ -~]{1,260}$';

/** An operation, by the name that it has with its merchant. */
export class OperationDto {
  @IsText({ maxLength: 36, pattern: UUID, message: 'must be the id of a merchant' })
  merchant_id: string;

  @IsText({ maxLength: 310, pattern: ENTITY_KEY, message: 'must be an entity key' })
  entity_key: string;

  named(): { merchantId: string; entityKey: string } {
    return { merchantId: this.merchant_id, entityKey: this.entity_key };
  }
}

const kinds = ['resolve_stuck', 'return_orphan', 'close_orphan'] as const;

/** An act that takes two people. */
export class ApprovableActionDto extends OperationDto {
  @IsOneOf(kinds)
  kind: (typeof kinds)[number];

  @IsWholeNumber({ minimum: 1, maximum: 1_000 })
  route: number;

  @IsOneOf(['done', 'not-done'], { optional: true })
  as?: 'done' | 'not-done';

  @IsText({
    maxLength: 200,
    pattern: '^[!-~]{1,200}$',
    optional: true,
    message: 'must be 1 to 200 characters without spaces',
  })
  psp_reference?: string;

  @IsText({ minLength: 1, maxLength: 500, message: 'must say in 1 to 500 characters how you know' })
  evidence: string;

  action(): ApprovableAction {
    const { kind, merchant_id, entity_key, route, as, psp_reference = null } = this;
    const evidence = this.evidence.trim();
    if (evidence === '') throw refused([{ pointer: '/evidence', message: 'must say how you know' }]);
    const named = { merchant_id, entity_key, route, psp_reference, evidence };
    if (kind !== 'resolve_stuck') return { kind, ...named };
    if (as === undefined) throw refused([{ pointer: '/as', message: 'is required' }]);
    return { kind, as, ...named };
  }
}

/** What is approved: the action with this hash, and no other one. */
export class ApproveDto {
  @IsText({ maxLength: 64, pattern: '^[0-9a-f]{64}$', message: 'must be the hash of the action' })
  action_hash: string;
}
