import { Client } from 'pg';
import { openDatabase } from '../../src/database/database.js';
import { entities } from '../../src/entities.js';
import { SystemClock } from '../../src/core/clock.js';
import { SystemIds } from '../../src/core/ids.js';
import { OrphanEffects } from '../../src/request-storage/orphan-effects.js';
import { OrphanEffect } from '../../src/request-storage/route.entity.js';
import {
  atRest,
  eventually,
  orderOf,
  paymentOf,
  type Reply,
  type ServiceProcess,
  ApiClient,
  type TestEnvironment,
} from '../support/test-environment.js';
import { AMOUNT } from './scenario.js';
import { type OrphanRun } from './plan.js';
import { type Outcome, PROOF_MS } from './outcome.js';
import { type Succession } from './succession.js';
import { attemptsOf, checkRoutes, checkTables, Verdict } from './verdict.js';

/**
 * Later than anybody looked before the payment was made elsewhere. Not by much more: the simulator tells
 * the machine's time, and "not found" is no proof where a PSP's clock is 5 minutes off.
 */
const LATE_MS = 300_000;
const MAX_JUMPS = 2;
/** A route that was ruled out by a lookup is looked at again after 5 minutes. */
const LOOK_MS = 6 * 60_000;

/**
 * A charge does not arrive, is looked for in vain when that is final, and is made by another PSP. Then
 * it arrives after all: nobody asks for anything, and the service that finds it dies of giving it back.
 */
export class OrphanPlay {
  private readonly client: ApiClient;
  private paymentId = '';

  constructor(
    private readonly environment: TestEnvironment,
    private readonly run: OrphanRun,
    private readonly line: Succession,
    apiKey: string,
  ) {
    this.client = new ApiClient(() => line.url, apiKey);
  }

  async whole(present: ServiceProcess | null): Promise<Outcome> {
    const { run, line, environment } = this;
    await line.begin(present);
    // What other runs left to be looked at is not of this run: it would be killed of that.
    await environment.sql('UPDATE psp_requests SET look_again_at = NULL WHERE look_again_at IS NOT NULL');
    const { answer, again } = await this.makeOrphan();
    if (run.weather === 'answer lost') {
      environment.simulator.faults(run.first, { fault: 'reset_after', next: 1, on: 'execute' });
    }

    const dying = await this.startDoomed();
    if (dying) await line.expectDeath(dying);
    else line.deaths += 1;
    await line.recover();
    const { waitedForProof } = await this.givenBack();
    await this.check(answer, again);
    return { deaths: line.deaths, waitedForProof };
  }

  private async makeOrphan(): Promise<{ answer: Reply; again: () => Promise<Reply> }> {
    const { run, environment, client } = this;
    const { first } = run;
    // Whatever is sent again under the same key is as late, and is the same charge.
    environment.simulator.faults(first, { fault: 'late_effect', delay_ms: LATE_MS, times: 100 });
    const capture = run.ask === 'orphan charge' ? 'automatic' : 'manual';
    const again = () =>
      client.post('/v1/payments', orderOf({ first, capture, amount: AMOUNT }), 'the-only-key');
    await client.until(again, ({ status }) => status === 202);
    const answer = await this.elsewhere(again);
    const { id, psp } = paymentOf(answer);
    this.paymentId = id;
    if (psp === null || psp === first) throw new Error(`it was not made elsewhere: ${answer.text}`);
    if (environment.simulator.ledger(first).effects.length > 0) throw new Error('it has landed too early');
    await environment.simulator.clearFaults(first);
    environment.simulator.advance(LATE_MS);
    const landed = environment.simulator.ledger(first).effects.length;
    if (landed !== 1) throw new Error(`it landed ${landed} times`);
    return { answer, again };
  }

  /** Where Stripe was sent the same again meanwhile, it takes longer until "not found" is final. */
  private async elsewhere(again: () => Promise<Reply>): Promise<Reply> {
    for (let jumps = 1; ; jumps++) {
      // Nobody works by itself here, so that it is the client's own request that goes elsewhere.
      await this.line.jump(PROOF_MS, { PAYONCE_ROLE: 'api' });
      try {
        return await this.client.until(again, atRest);
      } catch (error) {
        if (jumps === MAX_JUMPS) throw error;
      }
    }
  }

  /** null: it died before it said that it is ready. */
  private async startDoomed(): Promise<ServiceProcess | null> {
    const { line, environment } = this;
    const { death } = this.run;
    if (death.by === 'hook') {
      return line.jump(LOOK_MS, {}, death).catch((error: unknown) => {
        if (String(error).includes('ended before')) return null;
        throw error;
      });
    }
    // Whom the simulator is to kill is known once it has started: until then it cannot look.
    const holder = new Client({ connectionString: environment.database.url, application_name: 'crashes' });
    await holder.connect();
    try {
      await holder.query('BEGIN');
      await holder.query('SELECT 1 FROM psp_requests WHERE payment_id = $1 FOR UPDATE', [this.paymentId]);
      const dying = await line.jump(LOOK_MS);
      line.sendExecutioner(death, 'execute', null);
      return dying;
    } finally {
      await holder.end();
    }
  }

  /** No client asks: a worker gives it back. Where there are no keys that may take proof, and a person. */
  private async givenBack(): Promise<{ waitedForProof: boolean }> {
    const { environment, run, line } = this;
    let waitedForProof = false;
    const isInDoubt = async () => {
      if (run.first !== 'keyless' || waitedForProof) return false;
      const misses = await environment.sql(
        "SELECT 1 FROM psp_attempts WHERE entity_key = $1 AND kind = 'lookup' AND outcome = 'not_found'",
        [this.compensation],
      );
      return misses.length > 0;
    };
    for (let approvals = 0; ;) {
      const seen = await eventually(async () => {
        const status = (await this.orphans())[0]?.status;
        if (status === 'compensated' || status === 'failed') return status;
        return (await isInDoubt()) ? 'in doubt' : null;
      }, 'it is given back');
      if (seen === 'compensated') return { waitedForProof };
      if (seen === 'in doubt') {
        waitedForProof = true;
        await environment.simulator.clearFaults();
        environment.simulator.advance(PROOF_MS);
        await line.jump(PROOF_MS);
        continue;
      }
      approvals += 1;
      if (run.first !== 'keyless' || approvals > 1) throw new Error('it is left to a person');
      await this.approve();
    }
  }

  private orphans(): Promise<OrphanEffect[]> {
    return this.environment.sql<OrphanEffect>(
      `SELECT o.merchant_id AS "merchantId", o.entity_key AS "entityKey", o.route, o.psp, o.status
         FROM orphan_effects o WHERE o.entity_key LIKE 'payment-' || $1 || '-%'`,
      [this.paymentId],
    );
  }

  /** The entity key under which route 1 is given back. */
  private get compensation(): string {
    return `payment-${this.paymentId}-orphan-1`;
  }

  /** A person says that it is to be tried again, as `payonce orphans approve` does. */
  private async approve(): Promise<void> {
    const [orphan] = await this.orphans();
    const clock = new SystemClock();
    const database = await openDatabase({
      url: this.environment.database.url,
      entities,
      migrations: [],
      poolSize: 1,
      applicationName: 'crashes',
    });
    try {
      const { merchantId, entityKey, route } = orphan!;
      const by = { actor: 'operator:crashes', auditId: new SystemIds(clock).uuid(), at: clock.now() };
      await new OrphanEffects(database.dataSource.getRepository(OrphanEffect)).approve(
        { merchantId, entityKey, route, pspReference: null },
        by,
      );
    } finally {
      await database.close();
    }
  }

  private async check(answer: Reply, again: () => Promise<Reply>): Promise<void> {
    const { run, client, environment, line, paymentId } = this;
    const verdict = new Verdict();
    const { must } = verdict;
    const replay = await eventually(() => again().catch(() => null), 'a replay');
    must(replay.text === answer.text && replay.status === answer.status, `another answer: ${replay.text}`);
    const now = await eventually(
      () => client.get(`/v1/payments/${paymentId}`).catch(() => null),
      'the payment',
    );
    must(untouched(now) === untouched(answer), `the payment itself was touched: ${now.text}`);
    line.end();

    const effects = environment.effects();
    must(
      effects.every(({ reference }) => reference?.includes(paymentId) === true),
      'an effect of nobody',
    );
    const [done, undone] =
      run.ask === 'orphan charge' ? (['charge', 'refund'] as const) : (['authorize', 'void'] as const);
    const told = effects.map(({ psp, operation, amount }) => `${operation} ${amount} at ${psp}`);
    const expected = [done, undone].map((operation) => `${operation} ${AMOUNT} at ${run.first}`);
    expected.push(`${done} ${AMOUNT} at ${paymentOf(answer).psp}`);
    must(told.toSorted().join() === expected.toSorted().join(), `the ledgers hold ${told.join(', ')}`);
    const at = (operation: string) => effects.find((e) => e.psp === run.first && e.operation === operation);
    must(at(undone)?.parent_reference === at(done)?.psp_reference, 'what was given back is something else');

    const orphans = (await this.orphans()).map(({ route, psp, status }) => `${route} ${psp} ${status}`);
    must(orphans.join() === `1 ${run.first} compensated`, `orphan effects: ${orphans.join(', ')}`);
    const attempts = await attemptsOf(environment, paymentId);
    const effective = attempts.filter((a) => a.entity_key === this.compensation && a.verdict === 'effective');
    must(new Set(effective.map(({ route }) => route)).size === 1, 'no effective route gave it back');
    checkRoutes(environment, attempts, must);
    await checkTables(environment, paymentId, must);
    verdict.pronounce(attempts, effects);
  }
}

/** The payment without what is known by now of the route that was ruled out. */
function untouched(reply: Reply): string {
  const payment = paymentOf(reply);
  const routes = payment.routes.map(({ route, psp, verdict }) => ({ route, psp, verdict }));
  return JSON.stringify({ ...payment, routes });
}
