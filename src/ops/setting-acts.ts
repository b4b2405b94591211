import { Injectable } from '@nestjs/common';
import { Encryption } from '../core/encryption.js';
import { NO_MERCHANT } from '../core/ids.js';
import { Problem } from '../core/problem.js';
import { Merchants } from '../merchants/merchants.js';
import { checkPayoutLimit, PayoutLimits } from '../merchants/payout-limits.js';
import { PspAdministration } from '../psp-accounts/psp-administration.js';
import { loosens, type SettingAction, widens } from './approvable-action.js';
import { InstallationReader } from './installation-reader.js';
import { actorOf } from './operator-acts.js';

/** Encryption context of a change of a stored PSP account that waits for an approval. */
const CHANGE = 'approval/psp-account';

type Change = Readonly<Record<string, unknown>>;

/** What changes what merchants and accounts may do. What lifts a bound takes two people, what sets one takes one. */
@Injectable()
export class SettingActs {
  constructor(
    private readonly reader: InstallationReader,
    private readonly merchants: Merchants,
    private readonly limits: PayoutLimits,
    private readonly psps: PspAdministration,
    private readonly seal: Encryption,
  ) {}

  /**
   * Whether it lifts a bound; nothing of a test mode does, where no money moves.
   * @throws Problem `not_found`, `validation_failed`
   */
  async takesTwo(action: SettingAction): Promise<boolean> {
    if (action.kind === 'change_psp_account') return action.addresses.length > 0;
    const { merchant } = await this.reader.merchant(action.merchant_id);
    if (merchant.is_test) return false;
    switch (action.kind) {
      case 'set_payout_recipients':
        return widens(merchant.payout_recipients, action.rule);
      case 'set_payout_limit':
        checkPayoutLimit(action);
        return loosens(await this.limits.list(merchant.id), action);
      case 'remove_payout_limit':
        return (await this.limits.list(merchant.id)).some(
          ({ currency, per }) => currency === action.currency && per === action.per,
        );
      case 'allow_payouts':
        return true;
    }
  }

  /** Does it. `operator`: who asked for it. Returns what it came to. @throws Problem */
  async perform(action: SettingAction, operator: { readonly name: string }): Promise<string> {
    const actor = actorOf(operator);
    switch (action.kind) {
      case 'set_payout_recipients':
        await this.merchants.setPayoutRecipients(action.merchant_id, action.rule, actor);
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
        await this.merchants.allowPayouts(action.merchant_id, action.api_key, actor);
        break;
      case 'change_psp_account':
        await this.psps.change(action.psp, this.changeOf(action.sealed), actor);
        break;
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
