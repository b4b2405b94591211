import { Inject, Injectable } from '@nestjs/common';
import { Pool } from 'pg';
import { type EntityManager } from 'typeorm';
import { Clock } from '../core/clock.js';
import { Encryption } from '../core/encryption.js';
import { Ids } from '../core/ids.js';
import { type Page, pageOf } from '../core/page.js';
import { Problem } from '../core/problem.js';
import { newestFirst } from '../database/conditions.js';
import { recordAct } from '../database/record-act.js';
import { translateOutage } from '../database/store-unavailable.js';
import { TenantDatabase } from '../database/tenants.js';
import { actorOf, type Caller } from '../core/caller.js';
import { Merchant } from '../merchants/merchant.entity.js';
import { Recipient } from './recipient.entity.js';
import { type RecipientView, recipientViewOf } from './recipient.view.js';
import { type NewPayout } from './dto/create-payout.dto.js';

export type NewRecipient = NewPayout['recipient'];

/** Decides whether a payout may go to its recipient. */
export interface RegisteredRecipients {
  /**
   * The version of the recipient that was registered with these tokens, for the commit to hold the payout to.
   * @throws Problem `recipient_not_registered`, `recipient_not_approved`
   */
  versionToPay(merchantId: string, recipient: NewRecipient): Promise<number>;
}

const SHOWN_CHARACTERS = 4;

/** The recipients of merchants, and what is done to them. Every refusal is a thrown `Problem`. */
@Injectable()
export class Recipients implements RegisteredRecipients {
  constructor(
    private readonly tenants: TenantDatabase,
    private readonly clock: Clock,
    private readonly ids: Ids,
    private readonly seal: Encryption,
    @Inject(Pool) private readonly ofOperators: Pick<Pool, 'query'>,
  ) {}

  /** The same recipient again changes nothing; other tokens are a new version, which nobody has approved. */
  async register(caller: Caller, wanted: NewRecipient): Promise<RecipientView> {
    const { merchantId } = caller;
    const actor = actorOf(caller);
    const registered = await this.within(merchantId, async (tx) => {
      const first = this.versionOf({ merchantId, id: this.ids.uuid(), version: 1 }, wanted, actor);
      const made = await tx
        .createQueryBuilder()
        .insert()
        .into(Recipient)
        .values(first)
        .orIgnore()
        .returning('id')
        .execute();
      let version = first;
      if ((made.raw as unknown[]).length === 0) {
        const where = { merchantId, reference: wanted.reference };
        const before = await tx.findOneOrFail(Recipient, { where, lock: { mode: 'pessimistic_write' } });
        const { id } = before;
        if (this.hasTokens(before, wanted, 'all')) return before;
        version = this.versionOf({ merchantId, id, version: before.version + 1 }, wanted, actor);
        await tx.update(Recipient, { merchantId, id }, version);
      }
      await this.record(tx, version, actor, 'recipient.registered', caller.sourceAddress);
      return version;
    });
    return recipientViewOf(registered, caller);
  }

  private versionOf(
    { merchantId, id, version }: Pick<Recipient, 'merchantId' | 'id' | 'version'>,
    { reference, tokens }: NewRecipient,
    registeredBy: string,
  ): Recipient {
    const accounts = Object.entries(tokens).map(([psp, token]) => [psp, lastOf(token)] as const);
    return {
      merchantId,
      id,
      reference,
      version,
      tokens: this.seal.encrypt(tokens, contextOf(merchantId, id)),
      accounts: Object.fromEntries(accounts),
      registeredBy,
      registeredAt: this.clock.now(),
      approvedBy: null,
      approvedAt: null,
    };
  }

  /** @throws Problem `not_found` */
  async get(caller: Caller, id: string): Promise<RecipientView> {
    const { merchantId } = caller;
    const recipient = await this.within(merchantId, (tx) => tx.findOneBy(Recipient, { merchantId, id }));
    return recipientViewOf(found(recipient), caller);
  }

  /** Newest first; removed ones too. */
  async list(
    caller: Pick<Caller, 'merchantId' | 'payoutRecipients' | 'isTest'>,
    reference: string | undefined,
    limit: number,
    cursor: string | null,
  ): Promise<Page<RecipientView>> {
    const { merchantId } = caller;
    const found = await this.within(merchantId, (tx) =>
      newestFirst(tx.getRepository(Recipient), { merchantId, reference }, limit, cursor),
    );
    return pageOf(found, limit, (recipient) => recipientViewOf(recipient, caller));
  }

  /** It is not paid any more. May be repeated. @throws Problem `not_found` */
  async remove(merchantId: string, id: string, actor: string, address?: string): Promise<void> {
    await this.within(merchantId, async (tx) => {
      const { version, tokens } = await this.lock(tx, { merchantId, id });
      if (tokens === null) return;
      const set = { version: version + 1, tokens: null, approvedBy: null, approvedAt: null };
      await tx.update(Recipient, { merchantId, id }, set);
      await this.record(tx, { merchantId, id, ...set }, actor, 'recipient.removed', address);
    });
  }

  /**
   * Approves this version. The operator may not be the person who created the API key that registered it.
   * @throws Problem `not_found`, `invalid_state` where the recipient has changed, `forbidden`
   */
  async approve(
    merchantId: string,
    { id, version }: Pick<Recipient, 'id' | 'version'>,
    operator: { readonly id: string; readonly name: string; readonly sourceAddress: string },
  ): Promise<void> {
    await this.within(merchantId, async (tx) => {
      const recipient = await this.lock(tx, { merchantId, id });
      if (recipient.version !== version || recipient.tokens === null) {
        throw new Problem('invalid_state', 'The recipient has changed since; look at it again.');
      }
      if (recipient.approvedAt !== null) return;
      // Operators are no merchant's; one who cannot be seen approves nothing.
      const { rows } = await this.ofOperators.query<{ isOwn: boolean }>(OF_THEIR_KEY, [
        merchantId,
        recipient.registeredBy,
        operator.id,
      ]);
      if (rows[0]?.isOwn !== false) throw new Problem('forbidden', OWN_KEY);
      const actor = `operator:${operator.name}`;
      const set = { approvedBy: actor, approvedAt: this.clock.now() };
      await tx.update(Recipient, { merchantId, id }, set);
      await this.record(tx, { merchantId, id, version }, actor, 'recipient.approved', operator.sourceAddress);
    });
  }

  async versionToPay(merchantId: string, wanted: NewRecipient): Promise<number> {
    const [recipient, { payoutRecipients: rule }] = await this.within(
      merchantId,
      async (tx) =>
        [
          await tx.findOneBy(Recipient, { merchantId, reference: wanted.reference }),
          await tx.findOneByOrFail(Merchant, { id: merchantId }),
        ] as const,
    );
    if (!recipient || !this.hasTokens(recipient, wanted, 'some')) {
      throw new Problem('recipient_not_registered', recipient?.tokens ? OTHER_TOKENS : NOT_REGISTERED);
    }
    if (rule === 'approved' && recipient.approvedAt === null) {
      throw new Problem(
        'recipient_not_approved',
        'An operator has to approve this recipient, or its new tokens.',
      );
    }
    return recipient.version;
  }

  /** Whether these are registered: all its tokens, or some of them. */
  private hasTokens(
    { merchantId, id, tokens }: Recipient,
    wanted: NewRecipient,
    which: 'all' | 'some',
  ): boolean {
    if (tokens === null) return false;
    const registered = this.seal.decrypt(tokens, contextOf(merchantId, id)) as NewRecipient['tokens'];
    const given = Object.entries(wanted.tokens);
    const isWhole = which === 'some' || given.length === Object.keys(registered).length;
    return (
      isWhole && given.every(([psp, token]) => Object.hasOwn(registered, psp) && registered[psp] === token)
    );
  }

  private async lock(tx: EntityManager, where: Pick<Recipient, 'merchantId' | 'id'>): Promise<Recipient> {
    return found(await tx.findOne(Recipient, { where, lock: { mode: 'pessimistic_write' } }));
  }

  private within<T>(merchantId: string, work: (tx: EntityManager) => Promise<T>): Promise<T> {
    return translateOutage(this.tenants.within(merchantId, work));
  }

  /** Its reference may be an e-mail address, and an audit record is never deleted: the id stands for it. */
  private record(
    tx: EntityManager,
    { merchantId, id: recipient, version }: Pick<Recipient, 'merchantId' | 'id' | 'version'>,
    actor: string,
    action: `recipient.${string}`,
    address: string | undefined,
  ): Promise<void> {
    const [id, at] = [this.ids.uuid(), this.clock.now()];
    const detail = { version, ...(address === undefined ? {} : { source_address: address }) };
    return recordAct(tx, { merchantId, id, at, actor, action, subject: `recipient:${recipient}`, detail });
  }
}

const OWN_KEY = 'You created the API key that registered it: another operator has to approve it.';
const NOT_REGISTERED = 'Register the recipient first: POST /v1/recipients.';
const OTHER_TOKENS = 'The recipient is registered with other tokens. To change them, register it again.';

/** Whether the actor `$2` is an API key that the person of the operator `$3` created. */
const OF_THEIR_KEY = `
SELECT EXISTS (SELECT FROM api_keys k JOIN operators creator ON 'operator:' || creator.name = k.created_by
                WHERE k.merchant_id = $1 AND 'api-key:' || k.id = $2 AND creator.person = approver.person) AS "isOwn"
  FROM operators approver WHERE approver.id = $3`;

function contextOf(merchantId: string, id: string): string {
  return `recipient/${merchantId}/${id}`;
}

function lastOf(token: string): string {
  return token.length < 2 * SHOWN_CHARACTERS ? '' : token.slice(-SHOWN_CHARACTERS);
}

function found(recipient: Recipient | null): Recipient {
  if (!recipient) throw new Problem('not_found', 'No such recipient.');
  return recipient;
}
