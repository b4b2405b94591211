import { Inject, Injectable } from '@nestjs/common';
import { type Logger } from 'pino';
import { Counter, Registry } from 'prom-client';
import { LOGGER } from '../config/config.module.js';
import { Completer } from '../idempotency/completer.js';
import { type IdempotencyKey } from '../idempotency/idempotency-key.entity.js';
import { IdempotentRunner } from '../idempotency/idempotent-runner.js';
import { workThrough } from '../core/work-through.js';
import { type PeriodicTask } from '../jobs/periodic-task-leases.js';
import { PspsConfig } from '../psp/psps-config.js';
import { accountFilters } from './account-filters.js';
import { DueKeys } from './due-keys.js';
import { OperationRegistry } from './operation-registry.js';
import { OperationTools } from './operation-tools.js';
import { isSignOfLife, PspReturns } from './psp-returns.js';
import { type PspFilter } from './request-storage.js';
import { Resolver } from './resolver.js';

/** The tasks that advance operations when no client asks: resolvers by route, completers by idempotency key. */
@Injectable()
export class RouteTasks {
  /** Registered by workers alone. */
  private notAdvanced: Counter<'psp'> | null = null;

  constructor(
    private readonly tools: OperationTools,
    private readonly registry: OperationRegistry,
    private readonly runner: IdempotentRunner,
    private readonly psps: PspsConfig,
    private readonly dueKeys: DueKeys,
    private readonly returns: PspReturns,
    private readonly metrics: Registry,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  all(): readonly PeriodicTask[] {
    return [...this.resolvers(), ...this.completers(), this.probes()];
  }

  /** Finds out which accounts are back, by one call for each that has failed. */
  private probes(): PeriodicTask {
    const { tools, registry, returns, psps, logger } = this;
    return {
      name: 'psp-probes',
      everyMs: 5_000,
      runOnce: async () =>
        workThrough(
          await returns.claimProbes(psps.psps.map(({ name }) => name)),
          8,
          async (probe) => {
            const calls = await registry.of(probe.entityKey).askNow(probe, `probe-${tools.ids.uuid()}`);
            // Another process may have seen the failures.
            if (calls.some(isSignOfLife)) await returns.announce(probe.psp);
            return calls.length > 0;
          },
          (err, { entityKey, psp }) =>
            logger.warn({ err, entity_key: entityKey, psp }, 'a PSP that had failed could not be asked'),
        ),
    };
  }

  private resolvers(): PeriodicTask[] {
    const { tools, registry, logger } = this;
    const notAdvanced = (this.notAdvanced ??= new Counter({
      name: 'payonce_routes_not_advanced_total',
      help: 'Due routes that the resolver could not advance, because of an error that it logged',
      labelNames: ['psp'],
      registers: [this.metrics],
    }));
    const resolverOf = (psp: PspFilter) =>
      new Resolver(
        tools.storage,
        (due, traceId) => registry.of(due.entityKey).advance(due, traceId),
        () => tools.ids.uuid(),
        (err, { entityKey, route, psp: account }) => {
          notAdvanced.inc({ psp: account });
          logger.error({ err, entity_key: entityKey, route, psp: account }, 'a route was not advanced');
        },
        psp,
      );
    return accountFilters(this.psps).map(({ suffix, psp, slower }) => {
      const resolver = resolverOf(psp);
      return { name: `resolver${suffix}`, everyMs: 1_000 * slower, runOnce: () => resolver.runOnce() };
    });
  }

  private completers(): PeriodicTask[] {
    const { tools, runner, dueKeys, logger } = this;
    const accounts = this.psps.psps.map(({ name }) => name);
    const taskOf = (suffix: string, keys: (limit: number) => Promise<IdempotencyKey[]>) => {
      const completer = new Completer(
        tools.store,
        runner,
        tools.ids,
        (err, { operation, subjectId }) =>
          logger.error({ err, operation, subject: subjectId }, 'a key was not completed'),
        keys,
      );
      return { name: `completer${suffix}`, everyMs: 2_000, runOnce: () => completer.runOnce() };
    };
    return [
      ...accounts.map((account) => taskOf(`-${account}`, (limit) => dueKeys.at(account, limit))),
      taskOf('', (limit) => dueKeys.elsewhere(accounts, limit)),
    ];
  }
}
