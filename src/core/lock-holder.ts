/** Who draws lock tokens, and may lose what it took with them before the lock lapses. */
export abstract class LockHolder {
  /** A fencing token. */
  abstract newToken(): string;
  /** Whether what was taken with this token is held for as long as its lock lasts. */
  abstract holds(token: string): boolean;
}
