import { type LinkWatch } from './link.js';

/** What stands in a message of Postgres about a failover, and what it says. */
const MESSAGES: Readonly<Record<string, string>> = {
  'C57P01\0': '57P01 session ended by an administrator',
  'C25006\0': '25006 read-only',
  'C01000\0Mcanceling wait for synchronous replication': '01000 a commit is not at the standby',
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
    for (const [message, meaning] of Object.entries(MESSAGES))
      if (piece.includes(message)) this.count(meaning);
  }

  ended(connection: object): void {
    if (this.committing.delete(connection)) this.count(LOST);
  }

  private count(what: string): void {
    this.met[what] = (this.met[what] ?? 0) + 1;
  }
}
