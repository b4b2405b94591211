import { Inject, Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { Clock } from '../core/clock.js';
import { Ids } from '../core/ids.js';
import { Problem } from '../core/problem.js';
import { recordAct } from '../database/record-act.js';
import { translateOutage } from '../database/store-unavailable.js';
import { shapeProblems } from '../psp/psp-entry.js';
import { PspsConfig } from '../psp/psps-config.js';
import { type RoutingRule } from '../psp/routing-rule.js';
import { faultsOfRouting, routingRules } from '../psp/routing-rules.js';
import { shape } from '../psp/shape.js';
import { MerchantRouting } from './psp-account.entity.js';
import { invalid, PspAdministration } from './psp-administration.js';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const SET = 'merchant.routing_set';
/** The newest changes that are shown. */
const LISTED = 20;

const rulesShape = shape<RoutingRule[]>(routingRules);

/** By the index of what people do to a subject. */
const HISTORY = `
SELECT at, actor, detail -> 'rules' AS rules FROM audit_records
 WHERE (actor LIKE 'operator:%' OR actor LIKE 'cli:%') AND subject = $1 AND action = '${SET}' ORDER BY id DESC LIMIT ${LISTED}`;

/** The version of the rules is raised by each change; a change of others than were looked at finds no row. */
const STORE = `
INSERT INTO merchant_routing AS r (merchant_id, rules, changed_at) VALUES ($1, $2, $3)
ON CONFLICT (merchant_id) DO UPDATE
   SET rules = excluded.rules, version = r.version + 1, changed_at = excluded.changed_at
 WHERE $4::integer IS NULL OR r.version = $4
RETURNING version`;

/** The rules of one merchant. */
interface MerchantRules {
  /** null: the rules of the PSPs file apply. */
  readonly rules: readonly RoutingRule[] | null;
  /** Raised by each change; 0 before the first. */
  readonly version: number;
}

/** A change of the rules of a merchant, by a person. */
interface RoutingChange {
  readonly at: Date;
  readonly actor: string;
  readonly rules: readonly RoutingRule[] | null;
}

/** Routing rules of merchants, in the place of those of the PSPs file. A change holds in all processes within a few seconds. */
@Injectable()
export class RoutingAdministration {
  constructor(
    @InjectDataSource() private readonly source: DataSource,
    @Inject(PspsConfig) private readonly psps: Pick<PspsConfig, 'ofFile'>,
    private readonly accounts: PspAdministration,
    @Inject(Clock) private readonly clock: Pick<Clock, 'now'>,
    @Inject(Ids) private readonly ids: Pick<Ids, 'uuid'>,
  ) {}

  /** @throws Problem `not_found` for what is no id */
  async of(merchantId: string): Promise<MerchantRules> {
    refuseNoId(merchantId);
    const found = this.source.getRepository(MerchantRouting).findOneBy({ merchantId });
    const { rules = null, version = 0 } = (await translateOutage(found)) ?? {};
    return { rules, version };
  }

  /** The newest first. */
  historyOf(merchantId: string): Promise<RoutingChange[]> {
    return translateOutage(this.source.query<RoutingChange[]>(HISTORY, [`merchant:${merchantId}`]));
  }

  /** The accounts that rules of this merchant may name. */
  async accountsFor(merchantId: string): Promise<string[]> {
    const all = [...this.psps.ofFile, ...(await this.accounts.list())];
    return all.flatMap(({ name, merchants }) => (merchants?.includes(merchantId) === false ? [] : [name]));
  }

  /**
   * Checks rules that are to take the place of those of this version.
   * @throws Problem `validation_failed`, `invalid_state` where they were changed since
   */
  async check(merchantId: string, rules: unknown, replaces: number): Promise<readonly RoutingRule[] | null> {
    if ((await this.of(merchantId)).version !== replaces) throw changedMeanwhile();
    return this.checked(merchantId, rules);
  }

  /**
   * Sets the rules of one merchant; null takes them away. `replaces`: the version that was looked at; null: whichever there is.
   * @throws Problem `not_found` where there is no such merchant, `validation_failed`, `invalid_state` where they were changed since
   */
  async set(
    merchantId: string,
    rules: unknown,
    actor: string,
    replaces: number | null = null,
  ): Promise<readonly RoutingRule[] | null> {
    refuseNoId(merchantId);
    const checked = await this.checked(merchantId, rules);
    const at = this.clock.now();
    const set = this.source.transaction(async (tx) => {
      const [merchant] = await tx.query<unknown[]>('SELECT FROM merchants WHERE id = $1', [merchantId]);
      if (merchant === undefined) throw noMerchant(merchantId);
      const text = checked === null ? null : JSON.stringify(checked);
      const stored = await tx.query<unknown[]>(STORE, [merchantId, text, at, replaces]);
      if (stored.length === 0) throw changedMeanwhile();
      const subject = `merchant:${merchantId}`;
      const detail = { rules: checked };
      await recordAct(tx, { merchantId, id: this.ids.uuid(), at, actor, action: SET, subject, detail });
    });
    await translateOutage(set);
    return checked;
  }

  private async checked(merchantId: string, rules: unknown): Promise<readonly RoutingRule[] | null> {
    if (rules === null) return null;
    if (!rulesShape.fits(rules)) throw invalid(shapeProblems(rulesShape, rules));
    const faults = faultsOfRouting(rules, await this.accountsFor(merchantId), '');
    if (faults.length > 0) throw invalid(faults);
    return rules;
  }
}

function changedMeanwhile(): Problem {
  return new Problem('invalid_state', 'The rules were changed meanwhile: look at them again.');
}

function noMerchant(merchantId: string): Problem {
  return new Problem('not_found', `There is no merchant ${merchantId}.`);
}

function refuseNoId(merchantId: string): void {
  if (!UUID.test(merchantId)) throw noMerchant(merchantId);
}
