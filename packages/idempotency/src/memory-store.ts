import { type Clock, systemClock } from './clock.js';
import { type CallLock, type CallStore, type Hold, type Taken } from './call-store.js';

interface Entry {
  readonly token: string;
  readonly fingerprint: string;
  readonly record: string | null;
  readonly expiresMs: number;
}

/** Calls that this process remembers: for tests of handlers, and of the core under a clock of its own. */
export class MemoryCallStore implements CallStore {
  readonly takeOverSeenBy = 'taker';
  private readonly entries = new Map<string, Entry>();

  constructor(private readonly clock: Clock = systemClock) {}

  async take(lock: CallLock, ttlMs: number): Promise<Taken> {
    const there = this.entries.get(lock.name);
    if (!there || there.expiresMs <= this.nowMs() || isOwn(there, lock)) {
      this.put(lock, null, ttlMs);
      return { state: 'taken', tookOver: there?.record === null && there.token !== lock.token };
    }
    const { fingerprint, record, expiresMs } = there;
    return record === null
      ? { state: 'running', fingerprint, lastsMs: async () => expiresMs - this.nowMs() }
      : { state: 'done', fingerprint, record };
  }

  async extend(lock: CallLock, ttlMs: number): Promise<Hold> {
    const there = this.entries.get(lock.name);
    if (!isOwn(there, lock)) return there ? 'taken_over' : 'gone';
    this.put(lock, null, ttlMs);
    return 'held';
  }

  async record(lock: CallLock, record: string, retentionMs: number): Promise<Hold> {
    const there = this.entries.get(lock.name);
    if (there?.token === lock.token && there.record === record) return 'held';
    if (!isOwn(there, lock)) return there ? 'taken_over' : 'gone';
    this.put(lock, record, retentionMs);
    return 'held';
  }

  async release(lock: CallLock): Promise<void> {
    if (isOwn(this.entries.get(lock.name), lock)) this.entries.delete(lock.name);
  }

  private put({ name, token, fingerprint }: CallLock, record: string | null, lastsMs: number): void {
    this.entries.set(name, { token, fingerprint, record, expiresMs: this.nowMs() + lastsMs });
  }

  private nowMs(): number {
    return this.clock.monotonicMs();
  }
}

function isOwn(there: Entry | undefined, lock: CallLock): boolean {
  return there !== undefined && there.token === lock.token && there.record === null;
}
