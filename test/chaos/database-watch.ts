import { type LinkWatch } from './link.js';

/** Codes of Postgres, and what they say of a failover. */
const CODES: Readonly<Record<string, string>> = {
  '57P01': 'session ended by an administrator',
  '25006': 'read-only',
  '01000': 'warned that a commit is not at the standby',
};
const LOST = 'commit whose answer was lost';
/** How the service calls its statements that commit. */
const COMMIT = 'commit_';

/** Counts what a service met on its way to Postgres, by the bytes that passed. */
export class DatabaseWatch implements LinkWatch {
  readonly met: Record<string, number> = {};
  private readonly committing = new WeakSet<object>();

  passed(connection: object, piece: Buffer, isAnswer: boolean): void {
    if (!isAnswer) {
      if (piece.includes(COMMIT)) this.committing.add(connection);
      return;
    }
    this.committing.delete(connection);
    for (const [code, meaning] of Object.entries(CODES))
      if (piece.includes(`C${code}\0`)) this.count(`${code} ${meaning}`);
  }

  ended(connection: object): void {
    if (this.committing.delete(connection)) this.count(LOST);
  }

  private count(what: string): void {
    this.met[what] = (this.met[what] ?? 0) + 1;
  }
}
