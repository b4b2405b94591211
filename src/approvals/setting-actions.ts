import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { Encryption } from '../core/encryption.js';
import { Ids, NO_MERCHANT } from '../core/ids.js';
import { Problem } from '../core/problem.js';
import { checkCorrection, type Correction, postCorrection } from '../ledger/corrections.js';
import { ApiKeysService } from '../merchants/api-keys.service.js';
import { MerchantsService } from '../merchants/merchants.service.js';
import { checkPayoutLimit, PayoutLimits } from '../merchants/payout-limits.js';
import { PspAdministration } from '../psp-accounts/psp-administration.js';
import { RoutingAdministration } from '../psp-accounts/routing-administration.js';
import { type CorrectLedger, isAboutOperator, type SettingAction } from './approvable-action.js';
import { type Bounds, liftsBound } from './lifts-bound.js';
import { actorOf } from '../operators/action-log.js';
import { Operators } from '../operators/operators.js';

/** Encryption context of a change of a stored PSP account that waits for an approval. */
const CHANGE = 'approval/psp-account';

type Change = Readonly<Record<string, unknown>>;

/** Changes of what merchants and accounts may do, and of the books. Two people lift a bound, one sets it. */
@Injectable()
export class SettingActs {
  constructor(
    private readonly merchants: MerchantsService,
    private readonly apiKeys: ApiKeysService,
    private readonly limits: PayoutLimits,
    private readonly psps: PspAdministration,
    private readonly routing: RoutingAdministration,
    private readonly seal: Encryption,
    @InjectDataSource() private readonly source: DataSource,
    private readonly ids: Ids,
    private readonly operators: Operators,
  ) {}

  /**
   * Whether the action takes two people. A new operator does not where nobody else could approve it.
   * @throws Problem `not_found`, `validation_failed`
   */
  async takesTwo(action: SettingAction, operator: { readonly name: string }): Promise<boolean> {
    if (isAboutOperator(action)) {
      if (action.name === operator.name) {
        throw new Problem('invalid_state', 'Another administrator resets you, or the command line.');
      }
      await (action.kind === 'invite_operator'
        ? this.operators.checkInvited(action.name, action.person)
        : this.operators.checkReset(action.name));
      return this.operators.hasColleague(operator.name);
    }
    if (action.kind === 'correct_ledger') {
      if (!(await checkCorrection(this.source.manager, correctionOf(action)))) return true;
      throw new Problem('invalid_state', `The correction ${action.name} is posted already.`);
    }
    if (action.kind === 'change_psp_account') return action.addresses.length > 0;
    if (action.kind === 'set_payout_limit') checkPayoutLimit(action);
    return liftsBound(action, await this.boundsOf(action.merchant_id));
  }

  /** Whether a key that pays out takes two people at this merchant. @throws Problem `not_found` */
  async keyTakesTwo(merchantId: string): Promise<boolean> {
    return !(await this.boundsOf(merchantId)).isTest;
  }

  private async boundsOf(merchantId: string): Promise<Bounds> {
    const { testOf, payoutRecipients } = await this.merchants.get(merchantId);
    const limits = await this.limits.list(merchantId);
    return { isTest: testOf !== null, rule: payoutRecipients, limits };
  }

  /** Does it. `operator`: who asked for it. Returns what it came to. @throws Problem */
  async perform(action: SettingAction, operator: { readonly name: string }): Promise<string> {
    const actor = actorOf(operator);
    switch (action.kind) {
      case 'set_payout_recipients':
        await this.merchants.set(action.merchant_id, 'payoutRecipients', action.rule, actor);
        break;
      case 'set_payout_limit': {
        const { currency, per, amount, count } = action;
        await this.limits.set(action.merchant_id, { currency, per, amount, count }, actor);
        break;
      }
      case 'remove_payout_limit':
        await this.limits.remove(action.merchant_id, action, actor);
        break;
      case 'allow_payouts':
        await this.apiKeys.allowPayouts(action.merchant_id, action.api_key, actor);
        break;
      case 'set_routing':
        await this.routing.set(action.merchant_id, action.rules, actor, action.replaces);
        break;
      case 'change_psp_account':
        await this.psps.change(action.psp, this.changeOf(action.sealed), actor);
        break;
      case 'invite_operator':
        await this.operators.invite(action.name, action.role, actor, action.person);
        return 'invited: an administrator makes the link';
      case 'reset_operator':
        await this.operators.reset(action.name, actor);
        return 'reset: an administrator makes the link';
      case 'correct_ledger': {
        const by = { actor, auditId: this.ids.uuid() };
        const { source, isNew } = await postCorrection(this.source, correctionOf(action), by);
        return isNew ? `posted as ${source}` : `${source} was posted before`;
      }
    }
    return 'set';
  }

  /** A change of a stored account as an action. @throws Problem where it would be refused */
  async ofAccount(psp: string, change: Change): Promise<SettingAction> {
    const moved = await this.psps.foreseeMoves(psp, change);
    const { credentials = {}, ...members } = change;
    const given = { ...members, ...(credentials as object) };
    const isMoved = (name: string) => moved.includes(name);
    return {
      kind: 'change_psp_account',
      merchant_id: NO_MERCHANT,
      psp,
      addresses: Object.entries(given).flatMap(([name, url]) =>
        isMoved(name) ? [`${name}: ${String(url)}`] : [],
      ),
      members: Object.keys(given).filter((name) => !isMoved(name)),
      sealed: Buffer.from(this.seal.encrypt(change, CHANGE)).toString('base64'),
    };
  }

  private changeOf(sealed: string): Change {
    try {
      return this.seal.decrypt(Buffer.from(sealed, 'base64'), CHANGE) as Change;
    } catch {
      throw new Problem('invalid_state', 'The seal key was changed since: ask for it again.');
    }
  }
}

function correctionOf({ merchant_id: merchantId, amount, currency, ...action }: CorrectLedger): Correction {
  const { name, psp, debit, credit, day, note } = action;
  const money = { amount, currency };
  return {
    name,
    merchantId: merchantId === NO_MERCHANT ? null : merchantId,
    psp,
    debit,
    credit,
    money,
    day,
    note,
  };
}
