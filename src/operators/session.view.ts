import { type OperatorRole } from '../core/operator-role.js';

/** Who is signed in to the console. */
export interface OperatorView {
  readonly name: string;
  readonly role: OperatorRole;
  /** Signed in by a link, and to choose a password and an authenticator first. */
  readonly needs_credentials: boolean;
}

/** A new authenticator. Times are RFC 3339. */
export interface EnrolmentView {
  readonly secret: string;
  /** For a QR code. */
  readonly uri: string;
  /** The secret encrypted, to be given back with the code. */
  readonly sealed: string;
}

export interface SessionRow {
  readonly id: string;
  readonly source_address: string;
  readonly started_at: string;
  readonly seen_at: string;
  readonly is_this: boolean;
}
