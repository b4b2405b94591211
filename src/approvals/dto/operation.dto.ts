import { IsFlag, IsOneOf, IsText, IsWholeNumber } from '../../http/fields.js';
import { UUID } from '../../http/shared-fields.js';
import { invalidFields } from '../../core/problem.js';
import { type OperationAction } from '../approvable-action.js';
import { type Ask, asks } from '../actions.js';
import { type NewSnooze } from '../snoozes.js';
import { IsTotpCode } from '../../operators/dto/totp-code.js';

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

/** Which act on the operation is judged; a retry unless said otherwise. */
export class VerdictDto extends OperationDto {
  @IsOneOf(asks, { optional: true })
  act?: Ask;
}

const NOTE = { maxLength: 500, message: 'must be 1 to 500 characters' };

/** Puts a stuck operation off the list. */
export class SnoozeDto extends OperationDto {
  @IsWholeNumber({ minimum: 1, maximum: 720 })
  hours: number;

  @IsText({ maxLength: 64, optional: true, message: 'must be the name of an operator' })
  owner?: string;

  @IsText({ minLength: 1, ...NOTE })
  note: string;

  snooze(): NewSnooze {
    return { hours: this.hours, owner: this.owner ?? null, note: this.note };
  }
}

export class NoteDto extends OperationDto {
  @IsText({ minLength: 1, ...NOTE })
  note: string;
}

const kinds = ['resolve_stuck', 'cancel_payment', 'refund_payment', 'return_orphan', 'close_orphan'] as const;

/** An act that takes two people. */
export class ApprovableActionDto extends OperationDto {
  @IsOneOf(kinds)
  kind: (typeof kinds)[number];

  @IsWholeNumber({ minimum: 1, maximum: 1_000, optional: true })
  route?: number;

  /** The last attempt that the person saw who marks the operation resolved. */
  @IsWholeNumber({ minimum: 1, maximum: 100_000, optional: true })
  attempt?: number;

  /** The person who marks the operation resolved knows that the PSP said otherwise, and that it is wrong. */
  @IsFlag({ optional: true })
  overrules_psp?: boolean;

  /** It was there at the PSP, and has been given back. */
  @IsFlag({ optional: true })
  given_back?: boolean;

  /** The amount of a refund, in minor units. */
  @IsWholeNumber({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, optional: true })
  amount?: number;

  /** The name of a refund among several of the payment. */
  @IsText({
    maxLength: 200,
    pattern: '^[ -~]{1,200}$',
    optional: true,
    message: 'must be 1 to 200 printable characters',
  })
  reference?: string;

  /** The evidence for what is marked resolved: a file of the operation, and its hash. */
  @IsText({ maxLength: 36, pattern: UUID, optional: true, message: 'must be the id of a file' })
  evidence_file?: string;

  @IsText({
    maxLength: 64,
    pattern: '^[0-9a-f]{64}$',
    optional: true,
    message: 'must be the hash of the file',
  })
  evidence_sha256?: string;

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

  action(): OperationAction {
    const { kind, merchant_id, entity_key, route, as, amount, psp_reference = null } = this;
    const evidence = this.evidence.trim();
    if (evidence === '') throw invalidFields([{ pointer: '/evidence', message: 'must say how you know' }]);
    if (kind === 'cancel_payment') return { kind, merchant_id, entity_key, evidence };
    if (kind === 'refund_payment') {
      if (amount === undefined) throw invalidFields([{ pointer: '/amount', message: 'is required' }]);
      return { kind, merchant_id, entity_key, amount, reference: this.reference ?? null, evidence };
    }
    if (route === undefined) throw invalidFields([{ pointer: '/route', message: 'is required' }]);
    const named = { merchant_id, entity_key, route, psp_reference, evidence };
    if (kind !== 'resolve_stuck') return { kind, ...named };
    const { attempt, overrules_psp = false, given_back = false } = this;
    const { evidence_file = null, evidence_sha256 = null } = this;
    if (as === undefined) throw invalidFields([{ pointer: '/as', message: 'is required' }]);
    if (attempt === undefined) throw invalidFields([{ pointer: '/attempt', message: 'is required' }]);
    const said = { attempt, overrules_psp, ...(given_back ? { given_back } : {}) };
    return { kind, as, ...named, ...said, evidence_file, evidence_sha256 };
  }
}

/** Approves the action with this hash, and no other one. */
export class ApproveDto {
  @IsTotpCode()
  code?: string;

  @IsText({ maxLength: 64, pattern: '^[0-9a-f]{64}$', message: 'must be the hash of the action' })
  action_hash: string;
}
