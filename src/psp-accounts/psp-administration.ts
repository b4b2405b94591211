import { Inject, Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { Config } from '../config/config.js';
import { Clock } from '../core/clock.js';
import { Encryption } from '../core/encryption.js';
import { Ids, NO_MERCHANT } from '../core/ids.js';
import { Problem } from '../core/problem.js';
import { recordAct } from '../database/record-act.js';
import { translateOutage } from '../database/store-unavailable.js';
import { faultsOfHosts, faultsOfMoves, movedAddresses, withoutSecretsOf } from '../psp/addresses.js';
import {
  DEFAULT_TIMEOUT_MS,
  faultsOfTimeout,
  type PspConfig,
  type PspEntry,
  type PspProblem,
  pspEntry,
  pspOf,
  shapeProblems,
} from '../psp/psp-entry.js';
import { adapterNamed } from '../psp/registry.js';
import { fingerprintsOf, PspsConfig } from '../psp/psps-config.js';
import { type Fingerprints } from '../psp/psp-directory.js';
import { shape } from '../psp/shape.js';
import { entryContext, StoredPspAccount } from './psp-account.entity.js';

const MAX_ACCOUNTS = 1_000;
const entryShape = shape<PspEntry>(pspEntry);

/** A stored account as people may see it: the names of its credentials, and no value. */
export interface StoredPspView {
  readonly name: string;
  readonly adapter: string;
  /** Ids; null: it is shared by all. */
  readonly merchants: readonly string[] | null;
  readonly credentials: readonly string[];
  /** Those of its credentials that are no secret. */
  readonly shown: Readonly<Record<string, string>>;
  readonly baseUrl: string | null;
  readonly account: string | null;
  readonly test: boolean;
  readonly timeoutMs: number;
  readonly disabledAt: Date | null;
  readonly changedAt: Date;
}

/** An account that may be stored: its references to variables are resolved. */
interface Checked extends Fingerprints {
  readonly entry: PspEntry;
}

/**
 * Adds and changes the PSP accounts that are stored. Each change holds in all processes within a few
 * seconds. An account is written as an entry of the PSPs file is, and checked as one; `env` is where its references to
 * variables are looked up.
 */
@Injectable()
export class PspAdministration {
  constructor(
    @InjectDataSource() private readonly source: DataSource,
    @Inject(PspsConfig) private readonly psps: Pick<PspsConfig, 'ofFile'>,
    @Inject(Encryption) private readonly encryption: Pick<Encryption, 'encrypt' | 'decrypt'>,
    @Inject(Config) private readonly config: Pick<Config, 'simulated' | 'exposed' | 'lockTtlMs'>,
    @Inject(Clock) private readonly clock: Pick<Clock, 'now'>,
    @Inject(Ids) private readonly ids: Pick<Ids, 'uuid'>,
  ) {}

  /** By name. */
  async list(): Promise<StoredPspView[]> {
    const all = await translateOutage(
      this.source.getRepository(StoredPspAccount).find({ order: { name: 'ASC' } }),
    );
    return all.map((account) => this.storedPspView(account));
  }

  /** @throws Problem `not_found` */
  async show(name: string): Promise<StoredPspView> {
    const account = await translateOutage(this.source.getRepository(StoredPspAccount).findOneBy({ name }));
    if (!account) throw new Problem('not_found', `No stored PSP account is named ${name}.`);
    return this.storedPspView(account);
  }

  /** An account that is not stored, as it would be used. @throws Problem `validation_failed` */
  async foresee(entry: unknown): Promise<PspConfig> {
    const {
      timeoutMs = DEFAULT_TIMEOUT_MS,
      bank: _ofFilesAlone,
      ...psp
    } = (await this.checked(entry, {})).entry;
    return { ...psp, timeoutMs };
  }

  /** @throws Problem `validation_failed`, `invalid_state` where the name is taken */
  async add(entry: unknown, actor: string, env: NodeJS.ProcessEnv = {}): Promise<StoredPspView> {
    const checked = await this.checked(entry, env);
    const { name, credentials, ...settings } = checked.entry;
    if (this.psps.ofFile.some((psp) => psp.name === name)) throw taken(name);
    const [id, now] = [this.ids.uuid(), this.clock.now()];
    return this.within(async (tx) => {
      if ((await tx.count(StoredPspAccount)) >= MAX_ACCOUNTS) {
        throw new Problem(
          'invalid_state',
          `There are ${MAX_ACCOUNTS} stored PSP accounts; no more are kept.`,
        );
      }
      const account = {
        id,
        name,
        ...this.sealed(id, checked),
        disabledAt: null,
        version: 1,
        createdAt: now,
        changedAt: now,
      };
      const { raw } = await tx
        .createQueryBuilder()
        .insert()
        .into(StoredPspAccount)
        .values(account)
        .orIgnore()
        .returning('id')
        .execute();
      if ((raw as unknown[]).length === 0) throw taken(name);
      const detail = { settings, credentials: Object.keys(credentials) };
      await this.record(tx, actor, 'psp.account_added', `psp:${name}`, detail);
      return this.storedPspView(account);
    });
  }

  /**
   * Changes members of a stored account, credentials among them, each by itself; null takes one away (RFC 7396). The
   * account at the PSP stays the same, and a secret that is stored goes to no other address than before.
   * @throws Problem `not_found`, `validation_failed`, `invalid_state` where it would be another account at the PSP
   */
  async change(
    name: string,
    patch: Readonly<Record<string, unknown>>,
    actor: string,
    env: NodeJS.ProcessEnv = {},
  ): Promise<StoredPspView> {
    return this.within(async (tx) => {
      const { account, checked } = await this.changed(tx, name, patch, env);
      const { credentials = {}, ...members } = patch;
      const changed = { ...this.sealed(account.id, checked), ...this.raised(account) };
      await tx.update(StoredPspAccount, { id: account.id }, changed);
      const detail = { members, credentials: Object.keys(credentials as object) };
      await this.record(tx, actor, 'psp.account_changed', `psp:${name}`, detail);
      return this.storedPspView(Object.assign(account, changed));
    });
  }

  /** The members whose addresses the change would make others. @throws what `change` does */
  foreseeMoves(name: string, patch: Readonly<Record<string, unknown>>): Promise<readonly string[]> {
    return this.within(async (tx) => (await this.changed(tx, name, patch, {})).moved);
  }

  private async changed(
    tx: EntityManager,
    name: string,
    patch: Readonly<Record<string, unknown>>,
    env: NodeJS.ProcessEnv,
  ): Promise<{ account: StoredPspAccount; checked: Checked; moved: readonly string[] }> {
    const account = await this.locked(tx, name);
    const { credentials = {}, ...members } = patch;
    if ('name' in members || 'adapter' in members) {
      throw invalid([{ pointer: '/name', message: 'name and adapter stay what they are' }]);
    }
    const before = this.entryOf(account);
    const wanted = merged({ ...before, credentials: merged(before.credentials, credentials) }, members);
    const moved = movedAddresses(adapterNamed(before.adapter)!, before, wanted);
    const faults = faultsOfMoves(moved, wanted, credentials as object);
    if (faults.length > 0) throw invalid(faults);
    const checked = await this.checked(withoutSecretsOf(moved, wanted, credentials as object), env);
    if (checked.fingerprint !== account.fingerprint) {
      throw new Problem(
        'invalid_state',
        `This is another account at the PSP than ${name}, whose open operations it does not know. Add it under ` +
          'another name. (A key of Stripe that does not name its account needs "account".)',
      );
    }
    const { bank: _ofFilesAlone, ...asItIs } = before;
    const isElsewhere = checked.payoutsFingerprint !== fingerprintsOf(asItIs).payoutsFingerprint;
    if (isElsewhere) await refuseOpenPayouts(tx, name);
    return { account, checked, moved: moved.map(({ name: member }) => member) };
  }

  /**
   * From now on no payment and no payout begins there; or again. What began there goes on: it is looked up, captured,
   * refunded.
   * @throws Problem `not_found`
   */
  async setDisabled(name: string, isDisabled: boolean, actor: string): Promise<StoredPspView> {
    return this.within(async (tx) => {
      const account = await this.locked(tx, name);
      if ((account.disabledAt !== null) === isDisabled) return this.storedPspView(account);
      const raised = this.raised(account);
      const changed = { ...raised, disabledAt: isDisabled ? raised.changedAt : null };
      await tx.update(StoredPspAccount, { id: account.id }, changed);
      const action = isDisabled ? 'psp.account_disabled' : 'psp.account_enabled';
      await this.record(tx, actor, action, `psp:${name}`, {});
      return this.storedPspView(Object.assign(account, changed));
    });
  }

  private async checked(entry: unknown, env: NodeJS.ProcessEnv): Promise<Checked> {
    if (!entryShape.fits(entry)) throw invalid(shapeProblems(entryShape, entry));
    const problems: PspProblem[] = [];
    const { bank, ...psp } = pspOf(entry, '', { env, rules: this.config, problems });
    if (psp.adapter === 'bank-sepa' || bank !== undefined) {
      problems.push({
        pointer: '/adapter',
        message: 'a bank that takes files has its account in the PSPs file',
      });
    }
    problems.push(...faultsOfTimeout(this.config, psp), ...faultsOfHosts(this.config, psp));
    problems.push(...(await this.unknownMerchants(psp.merchants ?? [])));
    if (problems.length > 0) throw invalid(problems);
    return { entry: psp, ...fingerprintsOf(psp) };
  }

  private async unknownMerchants(ids: readonly string[]): Promise<PspProblem[]> {
    if (ids.length === 0) return [];
    const found = await translateOutage(
      this.source.query<{ id: string }[]>('SELECT id FROM merchants WHERE id = ANY($1)', [ids]),
    );
    const known = new Set(found.map(({ id }) => id));
    return [...ids.entries()]
      .filter(([, id]) => !known.has(id))
      .map(([index]) => ({ pointer: `/merchants/${index}`, message: 'there is no such merchant' }));
  }

  private entryOf({ id, entry }: StoredPspAccount): PspEntry {
    return this.encryption.decrypt(entry, entryContext(id)) as PspEntry;
  }

  private sealed(id: string, { entry, fingerprint }: Checked) {
    return { entry: this.encryption.encrypt(entry, entryContext(id)), fingerprint };
  }

  private raised({ version }: StoredPspAccount) {
    return { version: version + 1, changedAt: this.clock.now() };
  }

  private async locked(tx: EntityManager, name: string): Promise<StoredPspAccount> {
    const account = await tx.findOne(StoredPspAccount, {
      where: { name },
      lock: { mode: 'pessimistic_write' },
    });
    if (account) return account;
    const isOfFile = this.psps.ofFile.some((psp) => psp.name === name);
    const hint = isOfFile ? ' It is in the PSPs file, and is changed there.' : '';
    throw new Problem('not_found', `No stored PSP account is named ${name}.${hint}`);
  }

  private within<T>(work: (tx: EntityManager) => Promise<T>): Promise<T> {
    return translateOutage(this.source.transaction(work));
  }

  private record(
    tx: EntityManager,
    actor: string,
    action: string,
    subject: string,
    detail: Readonly<Record<string, unknown>>,
  ): Promise<void> {
    return recordAct(tx, {
      merchantId: NO_MERCHANT,
      id: this.ids.uuid(),
      at: this.clock.now(),
      actor,
      action,
      subject,
      detail,
    });
  }

  private storedPspView(account: StoredPspAccount): StoredPspView {
    const { disabledAt, changedAt } = account;
    const { name, adapter, merchants = null, credentials, ...entry } = this.entryOf(account);
    const { baseUrl = null, account: accountName = null, test = false } = entry;
    const known = adapterNamed(adapter)?.credentials ?? [];
    const isShown = (key: string) => known.some((each) => each.name === key && !each.secret);
    return {
      name,
      adapter,
      merchants,
      credentials: Object.keys(credentials).toSorted(),
      shown: Object.fromEntries(Object.entries(credentials).filter(([key]) => isShown(key))),
      baseUrl,
      account: accountName,
      test,
      timeoutMs: entry.timeoutMs ?? DEFAULT_TIMEOUT_MS,
      disabledAt,
      changedAt,
    };
  }
}

/** @throws Problem `invalid_state` while a payout is open there, or one that the PSP did beside our record is not given back */
async function refuseOpenPayouts(tx: EntityManager, psp: string): Promise<void> {
  const open = await tx.query<unknown[]>(
    `SELECT FROM psp_requests WHERE psp = $1 AND operation = 'payout' AND verdict = 'open'
      UNION ALL
     SELECT FROM orphan_effects WHERE psp = $1 AND operation = 'payout' AND status NOT IN ('compensated', 'closed')
      LIMIT 1`,
    [psp],
  );
  if (open.length === 0) return;
  throw new Problem(
    'invalid_state',
    `Payouts of ${psp} are open, which another balance account or address does not know. Wait until they are done, or add that one under another name.`,
  );
}

function merged<T extends object>(target: T, patch: unknown): T {
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) {
    throw invalid([{ pointer: '', message: 'must be an object' }]);
  }
  const all = Object.entries({ ...target, ...patch }).filter(([, value]) => value !== null);
  return Object.fromEntries(all) as T;
}

export function invalid(problems: readonly PspProblem[]): Problem {
  const detail = problems.map(({ pointer, message }) => `${pointer || '/'}: ${message}`).join('; ');
  return new Problem('validation_failed', detail, { errors: [...problems] });
}

function taken(name: string): Problem {
  return new Problem('invalid_state', `There is a PSP account named ${name} already.`);
}
