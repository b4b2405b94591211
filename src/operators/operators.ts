import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { createHash } from 'node:crypto';
import { type EntityManager, IsNull, Not, Repository } from 'typeorm';
import { Clock } from '../core/clock.js';
import { Encryption } from '../core/encryption.js';
import { NO_MERCHANT, Ids } from '../core/ids.js';
import { Problem } from '../core/problem.js';
import { recordAct } from '../database/record-act.js';
import { sqlState, sqlStateOf } from '../database/sql-state.js';
import { translateOutage } from '../database/store-unavailable.js';
import { Operator, OperatorSession, SignInLink } from './operator.entity.js';
import { type OperatorRole } from '../core/operator-role.js';
import { hashPassword, isPassword, newSecret } from './password.js';
import { counterOf, encryptTotp, newTotp, type NewTotp } from './totp.js';

/** The credentials of a new operator, shown this once. */
interface Credentials {
  readonly password: string;
  readonly totp: NewTotp;
}

/** The credentials that an operator chooses. `secret`: of the authenticator, base32; `code`: what it shows now. */
interface Enrolment {
  readonly password: string;
  readonly secret: string;
  readonly code: string;
}

/** Who signs in by the link that a first start prints. */
const FIRST = 'first';
/** `needsCredentials` in SQL, of an operator `o`. */
export const LACKS_CREDENTIALS = `(o.password_hash IS NULL AND o.oidc_subject IS NULL AND o.name <> '${FIRST}')`;

/** Disabled operators count: an administrator could otherwise disable the second person and invite a false one alone. */
const COLLEAGUE = `
SELECT FROM operators o
 WHERE o.role IN ('approver', 'admin') AND num_nonnulls(o.password_hash, o.oidc_subject) > 0
   AND o.person <> (SELECT person FROM operators WHERE name = $1) LIMIT 1`;

/** How a provider names a person. */
interface OidcSubject {
  readonly issuer: string;
  readonly subject: string;
}

/** Not `ops-token@…`, by which audit records name the operators' token. */
const NAME = /^(?!ops-token@)[a-z0-9][a-z0-9._@+-]{0,63}$/;
const PERSON = /^[^\p{Cc}\p{Cs}]{1,320}$/u;
const FIRST_LINK_MINUTES = 60;
const NEWCOMER_LINK_MINUTES = 24 * 60;
/** The actor of what a provider's word changes: chained like what people do. */
const OIDC = 'operator:oidc';
const NO_SUBJECT = { oidcIssuer: null, oidcSubject: null };

/** The people who sign in to the console, as an administrator at the command line keeps them. */
@Injectable()
export class Operators {
  constructor(
    @InjectRepository(Operator) private readonly operators: Repository<Operator>,
    private readonly seal: Encryption,
    private readonly clock: Clock,
    private readonly ids: Ids,
  ) {}

  /** @throws Problem `validation_failed` for a name that cannot be one, `invalid_state` for one that is taken */
  async create(
    name: string,
    role: OperatorRole,
    actor: string,
    person = name,
  ): Promise<{ readonly operator: Operator; readonly credentials: Credentials }> {
    checkNames(name, person);
    const [id, password, totp] = [this.ids.uuid(), newSecret(), newTotp(name)];
    const secrets = {
      passwordHash: await hashPassword(password),
      totpSecret: encryptTotp(this.seal, id, totp.secret),
    };
    const operator = await this.insert({ id, name, role, person: person.toLowerCase(), ...secrets }, actor);
    return { operator, credentials: { password, totp } };
  }

  /**
   * Adds an operator without credentials, who chooses them after signing in by a link.
   * @throws Problem as `create`
   */
  async invite(name: string, role: OperatorRole, actor: string, person = name): Promise<void> {
    await this.checkInvited(name, person);
    const nothing = { passwordHash: null, totpSecret: null };
    await this.insert({ id: this.ids.uuid(), name, role, person: person.toLowerCase(), ...nothing }, actor);
  }

  /** @throws Problem where `invite` would be refused */
  async checkInvited(name: string, person: string): Promise<void> {
    checkNames(name, person);
    if (await translateOutage(this.operators.existsBy({ name }))) throw taken(name);
  }

  /** Takes the credentials away, for a lost phone or password: the operator chooses new ones after signing in by a link. */
  async reset(name: string, actor: string): Promise<void> {
    await this.change(name, 'operator.reset', actor, async (operator) => {
      checkReset(operator);
      return { passwordHash: null, totpSecret: null, totpUsed: 0 };
    });
  }

  /** @throws Problem where `reset` would be refused */
  async checkReset(name: string): Promise<void> {
    const operator = await translateOutage(this.operators.findOneBy({ name }));
    if (!operator) throw unknown(name);
    checkReset(operator);
  }

  /** The token of a link that signs the operator in once, within a day, to choose credentials. Earlier links end. */
  async newcomerLink(name: string, actor: string): Promise<string> {
    const token = newSecret();
    await this.operators.manager.transaction(async (tx) => {
      const operator = await locked(tx, name);
      if (!needsCredentials(operator) || operator.disabledAt !== null) {
        throw new Problem('invalid_state', `${name} is not an operator without credentials.`);
      }
      await tx.delete(SignInLink, { operatorId: operator.id });
      await keepLink(tx, operator.id, token, NEWCOMER_LINK_MINUTES);
      await this.record(tx, actor, 'operator.link_made', operator, {});
    });
    return token;
  }

  /**
   * Gives an operator who has none a password and an authenticator, which shows `code` now. Ends the session.
   * @throws Problem `invalid_state` where the operator has credentials, `forbidden` for a wrong code
   */
  async enrol(name: string, { password, secret, code }: Enrolment): Promise<void> {
    const passwordHash = await hashPassword(password);
    await this.change(name, 'operator.enrolled', `operator:${name}`, async (operator) => {
      if (!needsCredentials(operator)) throw new Problem('invalid_state', `${name} has credentials already.`);
      const totpUsed = counterOf(secret, code, this.clock.now());
      if (totpUsed === null)
        throw new Problem('forbidden', 'The code is not the one that the authenticator shows.');
      return { passwordHash, totpSecret: encryptTotp(this.seal, operator.id, secret), totpUsed };
    });
    await this.operators.manager.transaction((tx) => this.retireFirst(tx, `operator:${name}`));
  }

  /** Ends the operator's sessions too. @throws Problem `forbidden` where `current` is wrong */
  async changePassword(name: string, current: string, password: string): Promise<void> {
    const passwordHash = await hashPassword(password);
    await this.change(name, 'operator.password_changed', `operator:${name}`, async (operator) => {
      if (operator.passwordHash === null) throw new Problem('invalid_state', `${name} has no password.`);
      if (!(await isPassword(operator.passwordHash, current))) {
        throw new Problem('forbidden', 'The password until now is wrong.');
      }
      return { passwordHash };
    });
  }

  /** True if another person has, or had, a role that approves what this operator asks for. */
  async hasColleague(name: string): Promise<boolean> {
    const others = await translateOutage(this.operators.query<object[]>(COLLEAGUE, [name]));
    return others.length > 0;
  }

  /** By name. */
  list(): Promise<Operator[]> {
    return translateOutage(this.operators.find({ order: { name: 'ASC' } }));
  }

  /** Ends the operator's sessions too. */
  disable(name: string, actor: string): Promise<void> {
    return this.change(name, 'operator.disabled', actor, async () => ({ disabledAt: this.clock.now() }));
  }

  async resetTotp(name: string, actor: string): Promise<NewTotp> {
    const totp = newTotp(name);
    await this.change(name, 'operator.totp_reset', actor, async ({ id, passwordHash }) => {
      if (passwordHash === null) throw new Problem('invalid_state', `${name} signs in by a link alone.`);
      return { totpSecret: encryptTotp(this.seal, id, totp.secret), totpUsed: 0 };
    });
    return totp;
  }

  async resetPassword(name: string, actor: string): Promise<string> {
    const password = newSecret();
    await this.change(name, 'operator.password_reset', actor, async ({ totpSecret }) => {
      if (totpSecret === null) throw new Problem('invalid_state', `${name} signs in by a link alone.`);
      return { passwordHash: await hashPassword(password) };
    });
    return password;
  }

  /** An OpenID provider knows the operator as this from now on. */
  link(name: string, subject: OidcSubject, actor: string): Promise<void> {
    return this.change(name, 'operator.linked', actor, async () => ({
      oidcIssuer: subject.issuer,
      oidcSubject: subject.subject,
    }));
  }

  /**
   * The operator that a provider identifies, with the role that it gives. For a person without a link, `newcomer`
   * creates an operator, and never takes over an existing one of the same name. null: refused.
   */
  async ofSubject(
    { issuer, subject }: OidcSubject,
    role: OperatorRole,
    newcomer: { readonly name: string; readonly person: string } | null,
  ): Promise<Pick<Operator, 'id' | 'name' | 'role'> | null> {
    const where = { oidcIssuer: issuer, oidcSubject: subject };
    const found = await translateOutage(this.operators.findOneBy(where));
    if (found) {
      if (found.disabledAt !== null) return null;
      if (found.role !== role) {
        await this.change(found.name, 'operator.role_changed', OIDC, async () => ({ role }));
      }
      return { id: found.id, name: found.name, role };
    }
    if (newcomer === null || !NAME.test(newcomer.name)) return null;
    const { name, person } = newcomer;
    try {
      const known = { passwordHash: null, totpSecret: null, ...where };
      return await this.insert(
        { id: this.ids.uuid(), name, role, person: person.toLowerCase(), ...known },
        OIDC,
      );
    } catch (error) {
      if (error instanceof Problem && error.code === 'invalid_state') return null;
      throw error;
    }
  }

  /** The provider gives the person no role any more: their sessions end, and here they are a viewer at most. */
  async loseRole({ issuer, subject }: OidcSubject): Promise<void> {
    const where = { oidcIssuer: issuer, oidcSubject: subject };
    const found = await translateOutage(this.operators.findOneBy(where));
    if (!found) return;
    await this.change(found.name, 'operator.role_lost', OIDC, async () => ({ role: 'viewer' as const }));
  }

  /** The token of a link that signs a newcomer in once; null where operators sign in with passwords. */
  async firstLink(): Promise<string | null> {
    const signsIn = [{ passwordHash: Not(IsNull()) }, { oidcSubject: Not(IsNull()) }];
    if (await this.operators.existsBy(signsIn)) return null;
    const known = await this.operators.findOneBy({ name: FIRST });
    if (known?.disabledAt) return null;
    const first = { id: this.ids.uuid(), name: FIRST, person: FIRST, role: 'admin' as const };
    const { id } =
      known ?? (await this.insert({ ...first, passwordHash: null, totpSecret: null }, 'system:setup'));
    const token = newSecret();
    await keepLink(this.operators.manager, id, token, FIRST_LINK_MINUTES);
    return token;
  }

  private insert(
    fields: Pick<Operator, 'id' | 'name' | 'role' | 'person' | 'passwordHash' | 'totpSecret'> &
      Partial<Pick<Operator, 'oidcIssuer' | 'oidcSubject'>>,
    actor: string,
  ): Promise<Operator> {
    const operator = {
      ...NO_SUBJECT,
      ...fields,
      totpUsed: 0,
      disabledAt: null,
      createdAt: this.clock.now(),
    };
    const { name, role, person } = fields;
    return this.operators.manager.transaction(async (tx) => {
      await tx.insert(Operator, operator).catch((error: unknown) => {
        if (sqlStateOf(error) !== sqlState.UNIQUE_VIOLATION) throw error;
        throw taken(name);
      });
      await this.record(tx, actor, 'operator.created', operator, { role, person });
      if (name !== FIRST && !needsCredentials(operator)) await this.retireFirst(tx, actor);
      return operator;
    });
  }

  /** Disables the operator of the first link, who is needed only until another operator can sign in. */
  private async retireFirst(tx: EntityManager, actor: string): Promise<void> {
    const first = await tx.findOneBy(Operator, { name: FIRST, disabledAt: IsNull(), oidcSubject: IsNull() });
    if (first) await this.apply(tx, first, { disabledAt: this.clock.now() }, 'operator.disabled', actor);
  }

  /** Changes the operator, and ends every session, link and count of failed sign-ins. */
  private async apply(
    tx: EntityManager,
    operator: Operator,
    set: Partial<Operator>,
    action: string,
    actor: string,
  ): Promise<void> {
    await tx.update(Operator, { id: operator.id }, set);
    await tx.delete(OperatorSession, { operatorId: operator.id });
    await tx.delete(SignInLink, { operatorId: operator.id });
    await tx.query('DELETE FROM sign_in_tries WHERE operator_id = $1', [operator.id]);
    await this.record(tx, actor, action, operator, {});
  }

  private change(
    name: string,
    action: string,
    actor: string,
    set: (operator: Operator) => Promise<Partial<Operator>>,
  ): Promise<void> {
    return this.operators.manager.transaction(async (tx) => {
      const operator = await locked(tx, name);
      await this.apply(tx, operator, await set(operator), action, actor);
    });
  }

  private record(
    tx: EntityManager,
    actor: string,
    action: string,
    { id, name }: Pick<Operator, 'id' | 'name'>,
    detail: Readonly<Record<string, unknown>>,
  ): Promise<void> {
    return recordAct(tx, {
      merchantId: NO_MERCHANT,
      id: this.ids.uuid(),
      at: this.clock.now(),
      actor,
      action,
      subject: `operator:${id}`,
      detail: { name, ...detail },
    });
  }
}

async function locked(tx: EntityManager, name: string): Promise<Operator> {
  const operator = await tx.findOne(Operator, { where: { name }, lock: { mode: 'pessimistic_write' } });
  if (!operator) throw unknown(name);
  return operator;
}

async function keepLink(
  sql: Pick<EntityManager, 'query'>,
  operatorId: string,
  token: string,
  minutes: number,
): Promise<void> {
  await sql.query(
    `INSERT INTO sign_in_links (token_hash, operator_id, expires_at)
     VALUES ($1, $2, now() + $3 * interval '1 minute')`,
    [digestOfToken(token), operatorId, minutes],
  );
}

function checkNames(name: string, person: string): void {
  if (!NAME.test(name) || name === FIRST) {
    throw new Problem(
      'validation_failed',
      'A name takes 1 to 64 of a-z 0-9 . _ @ + -, is not "first", and does not begin with ops-token@',
    );
  }
  if (!PERSON.test(person)) {
    throw new Problem('validation_failed', 'A person takes 1 to 320 printable characters.');
  }
}

function checkReset({ name, oidcSubject, disabledAt }: Operator): void {
  if (oidcSubject !== null) throw new Problem('invalid_state', `${name} signs in at a provider.`);
  if (disabledAt !== null || name === FIRST) throw new Problem('invalid_state', `${name} is disabled.`);
}

/** True if the operator has no password and no account at a provider. False for the operator of the first link. */
function needsCredentials({
  name,
  passwordHash,
  oidcSubject,
}: Pick<Operator, 'name' | 'passwordHash' | 'oidcSubject'>): boolean {
  return passwordHash === null && oidcSubject === null && name !== FIRST;
}

const taken = (name: string) => new Problem('invalid_state', `There is an operator ${name} already.`);
const unknown = (name: string) => new Problem('not_found', `There is no operator ${name}.`);

/** Only the hash of a token is stored; nobody can sign in with it. */
export function digestOfToken(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
