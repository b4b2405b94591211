import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { Clock } from '../core/clock.js';
import { NO_MERCHANT, Ids } from '../core/ids.js';
import { Problem } from '../core/problem.js';
import { redact } from '../core/redact.js';
import { recordAct } from '../database/record-act.js';
import { translateOutage } from '../database/store-unavailable.js';
import { RoutingAdministration } from '../psp-accounts/routing-administration.js';
import { checkConnection } from '../psp/connection-check.js';
import { PspDirectory } from '../psp/psp-directory.js';
import { type PspConfig } from '../psp/psp-entry.js';
import { PspsConfig } from '../psp/psps-config.js';
import { PspRouter, type RoutingFacts } from '../psp/router.js';
import {
  type ConnectionView,
  type PspAccountRow,
  type RoutingRulesView,
  type RoutingView,
} from './installation-views.js';
import { actorOf } from '../operators/action-log.js';
import { type SignedIn } from '../operators/operator-sessions.js';

/** A process says every second which of its breakers are open; one that died says nothing any more. */
const BREAKERS = `
SELECT p.psp, b.held_open, b.changed_by, b.changed_at, b.note, o.open_in, o.since
  FROM unnest($1::text[]) AS p (psp)
  LEFT JOIN psp_breakers b ON b.psp = p.psp
  LEFT JOIN LATERAL (
    SELECT count(*)::int AS open_in, min(opened_at) AS since FROM psp_open_breakers x
     WHERE x.psp = p.psp AND x.seen_at > now() - interval '5 seconds') o ON true`;

/** The most calls that are read: under load a part of the five minutes says as much. */
const CALLS = `
SELECT r.psp, count(*)::int AS made,
       count(*) FILTER (WHERE a.outcome IN ('unknown', 'not_sent') OR a.outcome IS NULL)::int AS unanswered,
       count(*) FILTER (WHERE a.kind = 'execute' AND a.outcome = 'succeeded')::int AS succeeded,
       count(*) FILTER (WHERE a.kind = 'execute' AND a.outcome IN ('declined', 'rejected'))::int AS declined,
       round(percentile_cont(0.5) WITHIN GROUP (ORDER BY a.latency_ms))::int AS p50_ms,
       round(percentile_cont(0.95) WITHIN GROUP (ORDER BY a.latency_ms))::int AS p95_ms
  FROM (SELECT merchant_id, entity_key, route, kind, outcome, latency_ms FROM psp_attempts
         WHERE started_at > now() - interval '5 minutes' AND kind <> 'notice' LIMIT 50000) a
  JOIN psp_requests r USING (merchant_id, entity_key, route)
 GROUP BY r.psp`;

const CHANGE = `
INSERT INTO psp_breakers AS b (psp, held_open, changed_by, changed_at, note) VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (psp) DO UPDATE
   SET held_open = excluded.held_open, version = b.version + 1, changed_by = excluded.changed_by,
       changed_at = excluded.changed_at, note = excluded.note`;

const HEAVIEST = 0;
const NO_CALLS = { made: 0, unanswered: 0, succeeded: 0, declined: 0, p50_ms: null, p95_ms: null };

interface BreakerRow {
  readonly psp: string;
  readonly held_open: boolean | null;
  readonly changed_by: string | null;
  readonly changed_at: Date | null;
  readonly note: string | null;
  readonly open_in: number;
  readonly since: Date | null;
}

/** PSP accounts as operators see them: how they are, which of them a payment would go to, and their breakers. */
@Injectable()
export class PspAccounts {
  constructor(
    @InjectDataSource() private readonly source: DataSource,
    private readonly psps: PspDirectory,
    private readonly config: PspsConfig,
    private readonly router: PspRouter,
    private readonly clock: Clock,
    private readonly ids: Ids,
    private readonly routing: RoutingAdministration,
  ) {}

  async list(): Promise<PspAccountRow[]> {
    const [breakers, calls] = await Promise.all([
      this.breakers(),
      translateOutage(this.source.query<(PspAccountRow['calls'] & { psp: string })[]>(CALLS)),
    ]);
    return breakers.map((row): PspAccountRow => {
      const { operations, currencies } = this.psps.capabilities(row.psp);
      const { psp: _psp, ...made } = calls.find(({ psp }) => psp === row.psp) ?? {
        psp: row.psp,
        ...NO_CALLS,
      };
      return {
        psp: row.psp,
        operations,
        currencies,
        timeout_ms: this.psps.timeoutMs(row.psp),
        kept_in: this.config.ofFile.some(({ name }) => name === row.psp) ? 'file' : 'database',
        disabled: this.psps.isDisabled(row.psp),
        merchants: this.config.named(row.psp)?.merchants?.length ?? null,
        breaker: {
          state: stateOf(row),
          open_in: row.open_in,
          since: ((row.held_open ? row.changed_at : null) ?? row.since)?.toISOString() ?? null,
          changed_by: row.changed_by,
          changed_at: row.changed_at?.toISOString() ?? null,
          note: row.note,
        },
        calls: made,
      };
    });
  }

  /** Which PSP would get it, by the function that routes payments; of weights, the heaviest is drawn. */
  async route(
    facts: Omit<RoutingFacts, 'tokens'>,
    tokens: readonly string[] | null,
    merchantId: string | null,
  ): Promise<RoutingView> {
    const all = { ...facts, tokens: tokens ?? this.psps.names() };
    const { accounts, ...explained } = this.router.explain(all, HEAVIEST, merchantId);
    const breakers = await this.breakers();
    return {
      ...explained,
      accounts: accounts.map((account) => {
        const row = breakers.find(({ psp }) => psp === account.psp);
        return { ...account, breaker: row === undefined ? 'closed' : stateOf(row) };
      }),
    };
  }

  /** @throws Problem `not_found` */
  async check(psp: string): Promise<ConnectionView> {
    const account = this.config.named(psp);
    if (!account) throw new Problem('not_found', 'No PSP account has this name.');
    return this.checked(account);
  }

  /** Whether the PSP takes the credentials of this account. */
  checked(account: PspConfig): Promise<ConnectionView> {
    return checkConnection(account, this.clock);
  }

  /** The rules that hold for a merchant; null: for all that have none of their own. */
  async rulesOf(merchantId: string | null): Promise<RoutingRulesView> {
    const { routing: rules } = this.config;
    if (merchantId === null) {
      return { rules, is_own: false, version: 0, accounts: this.psps.names(), history: [] };
    }
    const [own, accounts, history] = await Promise.all([
      this.routing.of(merchantId),
      this.routing.accountsFor(merchantId),
      this.routing.historyOf(merchantId),
    ]);
    return {
      rules: own.rules ?? rules,
      is_own: own.rules !== null,
      version: own.version,
      accounts,
      history: history.map(({ at, ...change }) => ({ at: at.toISOString(), ...change })),
    };
  }

  /**
   * Opens the breaker of an account until it is closed by hand, or closes it, in all processes within two seconds.
   * @throws Problem `not_found`, `validation_failed` for the note
   */
  async setBreaker(psp: string, isHeldOpen: boolean, why: string, operator: SignedIn): Promise<void> {
    if (!this.psps.has(psp)) throw new Problem('not_found', 'No PSP account has this name.');
    const [at, actor, note] = [this.clock.now(), actorOf(operator), redact(why)];
    await translateOutage(
      this.source.transaction(async (tx) => {
        await tx.query(CHANGE, [psp, isHeldOpen, actor, at, note]);
        await recordAct(tx, {
          merchantId: NO_MERCHANT,
          id: this.ids.uuid(),
          at,
          actor,
          action: isHeldOpen ? 'psp.breaker_opened' : 'psp.breaker_closed',
          subject: `psp:${psp}`,
          detail: { note, source_address: operator.sourceAddress },
        });
      }),
    );
  }

  private breakers(): Promise<BreakerRow[]> {
    return translateOutage(this.source.query<BreakerRow[]>(BREAKERS, [this.psps.names()]));
  }
}

function stateOf({ held_open, open_in }: BreakerRow): PspAccountRow['breaker']['state'] {
  if (held_open === true) return 'held_open';
  return open_in > 0 ? 'open' : 'closed';
}
