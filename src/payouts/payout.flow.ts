import { insert, type Refusal } from '../core/change.js';
import { Problem } from '../core/problem.js';
import { audit } from '../database/audit.js';
import { type BeginResult, type KeyedRun, makeCall } from '../idempotency/operation.js';
import { type PspRouter } from '../psp/router.js';
import { startOperation } from '../request-storage/decisions/advance.js';
import { entityKey, pspIdempotencyKey, refuseForgottenKey } from '../request-storage/entity-key.js';
import { OperationFlow } from '../request-storage/operation-flow.js';
import { type Payout } from './payout.entity.js';
import { encryptTokens, type PayoutOperations, type PayoutState, transitionTo } from './payout-operations.js';
import { payouts } from './payout.table.js';
import { type NewPayout } from './dto/create-payout.dto.js';
import { type RegisteredRecipients } from './recipients.js';
import { refuseOutOfTurn, type Sequences } from './sequence.js';

const CREATE_PAYOUT = 'POST /v1/payouts';

/** Picks the PSP accounts that may be asked, best first. Throws Problems as those of a charge. */
type PayoutCandidates = (payout: NewPayout, drawnFrom: string, merchantId: string) => readonly string[];

/** By the routing rules, of which conditions on a card match no payout. `isTest`: accounts of test mode. */
export function candidatesOf(router: PspRouter, isTest: boolean): PayoutCandidates {
  return ({ amount, currency, recipient }, drawnFrom, merchantId) =>
    router.candidatesFor(
      { at: '/recipient', tokens: recipient.tokens },
      { operation: 'payout', amount, currency },
      drawnFrom,
      { merchantId, isTest },
    );
}

/**
 * Sends a payout. Two commits and one call, when all is well; `PayoutOperations` calls and settles. Whether it is the
 * recipient's turn is not read beforehand, for that could change before it is written: the first
 * commit itself breaks a rule of the database where it is not, or where it is too much for a day. Only then the
 * sequence is read, to say why.
 */
export class PayoutFlow extends OperationFlow<NewPayout, PayoutState> {
  readonly name = CREATE_PAYOUT;

  /** Not unless a request may have to be refused that was carried out before. */
  get readsFirst(): boolean {
    return this.operations.tools.storage.isHeld;
  }

  constructor(
    protected override readonly operations: PayoutOperations,
    private readonly candidates: PayoutCandidates,
    private readonly sequences: Sequences,
    private readonly recipients: RegisteredRecipients,
    /** Whether the merchant pays out to registered recipients alone, as it was known a moment ago. */
    private readonly needsRecipient: boolean,
    private readonly isTest = false,
  ) {
    super(operations, operations.tools.clock);
  }

  /**
   * begin: the payout and route 1 with its first attempt. One commit writes it all. Nothing is read, except for a
   * merchant that pays out to registered recipients alone: the commit holds the payout to the version that was read.
   */
  async begin(input: NewPayout, run: KeyedRun, refused: Refusal | null): Promise<BeginResult<PayoutState>> {
    refuseForgottenKey(refused);
    if (refused) {
      refuseOverLimit(refused);
      await refuseOutOfTurn(this.sequences, run.merchantId, input);
    }
    const { seal, clock, ids, storage } = this.operations.tools;
    const now = clock.now();
    const id = ids.uuid();
    const { merchantId, actor } = run;
    const { reference: recipient, tokens } = input.recipient;
    const { reference, amount, currency, previous, statementDescriptor, metadata } = input;
    const keyAtPsp = pspIdempotencyKey.ofRequest(merchantId, CREATE_PAYOUT, run.key);
    const able = this.candidates(input, keyAtPsp, merchantId);
    const [first] = able;
    if (first === undefined) {
      throw new Problem(
        'no_route',
        'No PSP account has a token in recipient.tokens, makes payouts and takes this currency.',
      );
    }
    storage.refuseWhileHeld(able);
    const isUnknown = refused?.by === 'check' && refused.rule === 'payouts_known_recipient';
    const recipientVersion =
      this.needsRecipient || isUnknown
        ? await this.recipients.versionToPay(merchantId, input.recipient)
        : null;
    const payout: Payout = {
      merchantId,
      recipient,
      id,
      version: 1,
      reference,
      status: 'processing',
      amount,
      currency,
      statementDescriptor,
      metadata: { ...metadata },
      candidates: [...able],
      recipientVersion,
      sealed: encryptTokens(seal, merchantId, id, tokens),
      psp: null,
      pspReference: null,
      failure: null,
      previous,
      ...(this.isTest ? { isTest: true } : {}),
      createdAt: now,
      updatedAt: now,
    };
    const opening = {
      merchantId,
      paymentId: null,
      payoutId: id,
      entityKey: entityKey.send(id),
      operation: 'payout',
      amount,
      currency,
      pspIdempotencyKey: keyAtPsp,
    } as const;
    const stepResult = startOperation(opening, storage.accountAt(first, opening.operation), run, now);
    // It may be an e-mail address, and an audit record is never deleted: it shows only whether two are equal.
    const recipientDigest = seal.digest(`payout-recipient:${merchantId}:${recipient}`);
    const detail = { amount, currency, recipient_digest: recipientDigest, previous, psp: first };
    const changes = [
      insert(payouts, payout),
      ...stepResult.changes,
      transitionTo(payout, { event: 'opened', from: null, actor }, now),
      audit({
        merchantId,
        id: ids.uuid(),
        at: now,
        actor,
        action: 'payout.opened',
        subject: `payout:${id}`,
        detail,
      }),
    ];
    const state: PayoutState = { payout, history: stepResult.history, tokens, call: stepResult.call };
    return { subjectId: id, params: {}, decision: makeCall(state, changes) };
  }

  load(payoutId: string, _params: unknown, _point: string, { merchantId }: KeyedRun): Promise<PayoutState> {
    return this.operations.read({ merchantId, paymentId: null, payoutId });
  }

  protected override statusOf(): number {
    return 201;
  }
}

/** The limits of payouts; the rule of the database is `payouts_limit_<name>` (migration 0100). */
const payoutLimitNames = [
  'merchant_amount',
  'merchant_count',
  'recipient_amount',
  'recipient_count',
  'currency',
] as const;
type PayoutLimitName = (typeof payoutLimitNames)[number];

const details: Readonly<Record<PayoutLimitName, string>> = {
  merchant_amount: 'With this payout you would pay out more of this currency in a day (UTC) than you may.',
  merchant_count: 'You have made as many payouts in this currency as you may in a day (UTC).',
  recipient_amount:
    'With this payout you would pay this recipient more of this currency in a day (UTC) than you may.',
  recipient_count:
    'You have made as many payouts to this recipient in this currency as you may in a day (UTC).',
  currency: 'Your payouts are limited by currency, and none is allowed in this one.',
};

/** Says which limit the commit of a payout ran into, if any. @throws Problem `payout_limit_exceeded` */
function refuseOverLimit(refused: Refusal): void {
  if (refused.by !== 'check') return;
  const limit = payoutLimitNames.find((name) => refused.rule === `payouts_limit_${name}`);
  if (!limit) return;
  throw new Problem('payout_limit_exceeded', details[limit], { members: { limit } });
}
