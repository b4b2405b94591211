import { Injectable } from '@nestjs/common';
import { randomBytes } from 'node:crypto';
import { Pool } from 'pg';
import { NO_MERCHANT } from '../core/ids.js';
import { Clock } from '../core/clock.js';
import { Encryption } from '../core/encryption.js';
import { type OperatorRole } from '../core/operator-role.js';
import { Problem } from '../core/problem.js';
import { translateOutage } from '../database/store-unavailable.js';
import { ActionLog } from './action-log.js';
import { digestOfToken, LACKS_CREDENTIALS } from './operators.js';
import { isPassword } from './password.js';
import { addressSource, CONFIRMATION, deviceSource } from './sign-in-source.js';
import { counterOf, decryptTotp } from './totp.js';

/** Who is signed in. */
export interface SignedIn {
  readonly id: string;
  readonly name: string;
  readonly role: OperatorRole;
  /** Let in by a link, and to choose a password and an authenticator before anything else. */
  readonly needsCredentials: boolean;
  readonly sourceAddress: string;
  readonly signedInAt: Date;
}

export interface NewSession {
  readonly token: string;
  readonly operator: SignedIn;
  /** The device cookie, by which the next sign-in from this browser is recognised; null if the browser has a valid one. */
  readonly device: string | null;
}

/** A session of an operator, as they see it. */
interface OwnSession {
  readonly id: string;
  readonly sourceAddress: string;
  readonly startedAt: Date;
  readonly seenAt: Date;
  readonly isThis: boolean;
}

interface SignInFactors {
  readonly name: string;
  readonly password: string;
  readonly code: string;
}

/** All by the database's clock. Idle: PCI DSS 4.0.1, 8.2.8. */
export const IDLE = "interval '15 minutes'";
const LONGEST = "interval '12 hours'";
/** How old the sign-in may be of an operator without an authenticator whose act takes a code. */
const FRESH = "interval '10 minutes'";
/** Ended sessions are deleted at the next sign-in after this time. */
const KEPT = "interval '1 day'";

/**
 * Counts the sign-in before it is checked, so that concurrent ones cannot share a count. After three failures each
 * further failure doubles the waiting time of that source, up to 15 minutes. Other sources do not wait.
 */
const TRY = `
WITH old AS (DELETE FROM sign_in_tries WHERE tried_at < now() - ${KEPT}),
operator AS (
  SELECT id, name, role, false AS "needsCredentials", password_hash AS "passwordHash", totp_secret AS "totpSecret"
    FROM operators WHERE name = $1 AND disabled_at IS NULL),
try AS (
  INSERT INTO sign_in_tries AS t (operator_id, source, failures, tried_at)
  SELECT id, $2, 1, now() FROM operator
      ON CONFLICT (operator_id, source) DO UPDATE
     SET failures = t.failures + 1, tried_at = now(),
         locked_until = CASE WHEN t.failures >= 3
                             THEN now() + LEAST(900, 2 ^ LEAST(t.failures - 3, 10)) * interval '1 second' END
   WHERE t.locked_until IS NULL OR t.locked_until <= now()
  RETURNING failures)
SELECT operator.*, failures FROM operator, try`;

/** Encryption context of the device cookie. */
const DEVICE = 'device of an operator';

type SessionOwner = Omit<SignedIn, 'sourceAddress' | 'signedInAt'>;

interface Tried extends SessionOwner {
  readonly passwordHash: string | null;
  readonly totpSecret: Uint8Array | null;
  readonly failures: number;
}

/** The most passwords that are checked together: each takes a thread of libuv, of which PSP calls need some. */
const MAX_STRANGERS = 2;
const MAX_KNOWN_DEVICES = 1;

/** One answer for a wrong name, password or code, and for a try that comes too soon: an attacker learns nothing from it. */
function refused(): Problem {
  return new Problem(
    'unauthorized',
    'The name, the password or the code is wrong; or the last tries failed, and the next one has to wait a little.',
  );
}

/** Signing in and out, and who is signed in. */
@Injectable()
export class OperatorSessions {
  /** Sources with a sign-in under way: one per source. */
  private readonly strangers = new Set<string>();
  private readonly knownDevices = new Set<string>();

  constructor(
    private readonly pool: Pool,
    private readonly seal: Encryption,
    private readonly clock: Clock,
    private readonly acts: ActionLog,
  ) {}

  /**
   * `device`: the browser's device cookie, if any. Known devices have places of their own, which guessers cannot take.
   * @throws Problem `unauthorized`; `overloaded` where too many sign in at once
   */
  async signIn(
    { name: given, password, code }: SignInFactors,
    sourceAddress: string,
    device: string | null,
  ): Promise<NewSession> {
    const name = given.trim().toLowerCase();
    const isKnown = device !== null && this.nameOfDevice(device) === name;
    const source = isKnown ? deviceSource(device) : addressSource(sourceAddress);
    const [underWay, most] = isKnown
      ? [this.knownDevices, MAX_KNOWN_DEVICES]
      : [this.strangers, MAX_STRANGERS];
    if (underWay.size >= most || underWay.has(source)) {
      throw new Problem('overloaded', 'Too many sign in at once.', { retryAfterS: 1 });
    }
    underWay.add(source);
    try {
      const { rows } = await translateOutage(this.pool.query<Tried>(TRY, [name, source]));
      const tried = rows[0];
      const counter = await this.proofOf(tried, password, code);
      if (!tried || counter === null || !(await this.useCode(tried.id, counter, source))) {
        if (tried)
          await this.record({ id: tried.id, name: tried.name, sourceAddress }, 'operator.sign_in_failed', {
            result: 'refused',
            tries: tried.failures,
          });
        throw refused();
      }
      const session = await this.begin(tried, sourceAddress, 'password');
      return isKnown ? session : { ...session, device: this.newDevice(name) };
    } finally {
      underWay.delete(source);
    }
  }

  private newDevice(name: string): string {
    return Buffer.from(this.seal.encrypt(name, DEVICE)).toString('base64url');
  }

  /** The operator's name in a device cookie; null if the cookie is not ours. */
  private nameOfDevice(device: string): string | null {
    try {
      return this.seal.decrypt(Buffer.from(device, 'base64url'), DEVICE) as string;
    } catch {
      return null;
    }
  }

  /** Only for who has no other way in. @throws Problem `unauthorized` */
  async signInByLink(link: string, sourceAddress: string): Promise<NewSession> {
    const { rows } = await translateOutage(
      this.pool.query<SessionOwner>(
        `WITH used AS (DELETE FROM sign_in_links WHERE token_hash = $1 RETURNING operator_id, expires_at)
         SELECT o.id, o.name, o.role, ${LACKS_CREDENTIALS} AS "needsCredentials"
           FROM used JOIN operators o ON o.id = used.operator_id
          WHERE used.expires_at > now() AND o.disabled_at IS NULL
            AND num_nonnulls(o.password_hash, o.oidc_subject) = 0`,
        [digestOfToken(link)],
      ),
    );
    if (!rows[0]) throw new Problem('unauthorized', 'This link was used already, or is too old.');
    return this.begin(rows[0], sourceAddress, 'link');
  }

  /** For an operator whom an OpenID provider has named. */
  signInBySubject(
    operator: Omit<SessionOwner, 'needsCredentials'>,
    sourceAddress: string,
  ): Promise<NewSession> {
    return this.begin({ ...operator, needsCredentials: false }, sourceAddress, 'oidc');
  }

  /** Whom the provider knows, and we do not let in. */
  refuseSubject(subject: string, sourceAddress: string, why: string): Promise<void> {
    const nobody = { name: `oidc:${subject}`, sourceAddress };
    const detail = { result: 'refused', why };
    return this.acts.record(nobody, NO_MERCHANT, 'operator.sign_in_failed', 'operator:unknown', detail);
  }

  /** The operator of the session; null if it has ended. `isIdle`: the console asks by itself, without a person at it. */
  async find(token: string, isIdle: boolean, sourceAddress: string): Promise<SignedIn | null> {
    const { rows } = await translateOutage(
      this.pool.query<SessionOwner & Pick<SignedIn, 'signedInAt'>>(
        `UPDATE operator_sessions s SET seen_at = CASE WHEN $2 THEN s.seen_at ELSE now() END
           FROM operators o
          WHERE s.token_hash = $1 AND o.id = s.operator_id AND o.disabled_at IS NULL
            AND s.seen_at > now() - ${IDLE} AND s.started_at > now() - ${LONGEST}
        RETURNING o.id, o.name, o.role, ${LACKS_CREDENTIALS} AS "needsCredentials", s.started_at AS "signedInAt"`,
        [digestOfToken(token), isIdle],
      ),
    );
    return rows[0] ? { ...rows[0], sourceAddress } : null;
  }

  /** The sessions of an operator that have not ended, the latest seen first. `token`: of the one that asks. */
  async list({ id }: Pick<SignedIn, 'id'>, token: string): Promise<OwnSession[]> {
    const { rows } = await translateOutage(
      this.pool.query<OwnSession>(
        `SELECT encode(token_hash, 'hex') AS id, source_address AS "sourceAddress", started_at AS "startedAt",
                seen_at AS "seenAt", token_hash = $2 AS "isThis"
           FROM operator_sessions
          WHERE operator_id = $1 AND seen_at > now() - ${IDLE} AND started_at > now() - ${LONGEST}
          ORDER BY seen_at DESC LIMIT 100`,
        [id, digestOfToken(token)],
      ),
    );
    return rows;
  }

  /** Ends all sessions of the operator but the one that asks. */
  async endOthers(operator: SignedIn, token: string): Promise<void> {
    await translateOutage(
      this.pool.query('DELETE FROM operator_sessions WHERE operator_id = $1 AND token_hash <> $2', [
        operator.id,
        digestOfToken(token),
      ]),
    );
    await this.record(operator, 'operator.others_signed_out', {});
  }

  async end(token: string, operator: SignedIn): Promise<void> {
    await translateOutage(
      this.pool.query('DELETE FROM operator_sessions WHERE token_hash = $1', [digestOfToken(token)]),
    );
    await this.record(operator, 'operator.signed_out', {});
  }

  /**
   * That the operator is there: by a code of their authenticator that was not used before, or, where they have none, by
   * a sign-in of the last ten minutes.
   * @throws Problem `forbidden`
   */
  async confirm({ id, name, sourceAddress, signedInAt }: SignedIn, code: string | null): Promise<void> {
    const { rows } = await translateOutage(
      this.pool.query<{ hasCode: boolean; isFresh: boolean }>(
        `SELECT totp_secret IS NOT NULL AS "hasCode", $2::timestamptz > now() - ${FRESH} AS "isFresh"
           FROM operators WHERE id = $1`,
        [id, signedInAt],
      ),
    );
    if (rows[0]?.hasCode !== true) {
      if (rows[0]?.isFresh) return;
      throw new Problem('forbidden', 'This takes a sign-in of the last ten minutes: sign in again.');
    }
    if (code === null) throw new Problem('forbidden', 'This takes a code of your authenticator.');
    const [tried] = (await translateOutage(this.pool.query<Tried>(TRY, [name, CONFIRMATION]))).rows;
    const counter = tried?.totpSecret
      ? counterOf(decryptTotp(this.seal, id, tried.totpSecret), code, this.clock.now())
      : null;
    if (counter !== null && (await this.useCode(id, counter, CONFIRMATION))) return;
    await this.record({ id, name, sourceAddress }, 'operator.confirmation_failed', {
      tries: tried?.failures ?? null,
    });
    throw new Problem('forbidden', 'The code is wrong or was used already; after several it has to wait.');
  }

  /** The counter of a right code beside a right password, else null. Looks at the password in any case. */
  private async proofOf(tried: Tried | undefined, password: string, code: string): Promise<number | null> {
    const isRight = await isPassword(tried?.passwordHash ?? null, password);
    if (!isRight || !tried?.totpSecret) return null;
    return counterOf(decryptTotp(this.seal, tried.id, tried.totpSecret), code, this.clock.now());
  }

  /** False where the code was used already. */
  private async useCode(id: string, counter: number, source: string): Promise<boolean> {
    const { rowCount } = await this.pool.query(
      `WITH used AS (
         UPDATE operators SET totp_used = $2 WHERE id = $1 AND totp_used < $2 AND disabled_at IS NULL RETURNING id)
       DELETE FROM sign_in_tries t USING used WHERE t.operator_id = used.id AND t.source = $3`,
      [id, counter, source],
    );
    return rowCount === 1;
  }

  /** Every sign-in has a new token; the cookie of the request is not used again. */
  private async begin(
    { id, name, role, needsCredentials }: SessionOwner,
    sourceAddress: string,
    by: 'password' | 'link' | 'oidc',
  ): Promise<NewSession> {
    const token = randomBytes(32).toString('base64url');
    const { rows } = await this.pool.query<Pick<SignedIn, 'signedInAt'>>(
      `WITH ended AS (DELETE FROM operator_sessions WHERE started_at < now() - ${KEPT})
       INSERT INTO operator_sessions (token_hash, operator_id, source_address) VALUES ($1, $2, $3)
       RETURNING started_at AS "signedInAt"`,
      [digestOfToken(token), id, sourceAddress],
    );
    const operator = { id, name, role, needsCredentials, sourceAddress, ...rows[0]! };
    await this.record(operator, 'operator.signed_in', { by });
    return { token, operator, device: null };
  }

  private record(
    operator: Pick<SignedIn, 'id' | 'name' | 'sourceAddress'>,
    action: string,
    detail: Readonly<Record<string, unknown>>,
  ): Promise<void> {
    return this.acts.record(operator, NO_MERCHANT, action, `operator:${operator.id}`, detail);
  }
}
