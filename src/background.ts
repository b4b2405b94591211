import { type Logger } from 'pino';
import { type Clock } from './kernel/index.js';

/** Work that is done again and again: one pass of it, and how long to rest after it. */
export interface Chore {
  readonly name: string;
  readonly everyMs: number;
  /** Returns what the pass did, for the log; an all-zero report is not worth a line. */
  runOnce(): Promise<object>;
}

/** Runs chores side by side until stopped, each one pass at a time. A pass that fails is logged. */
export class Background {
  private readonly stopping = new AbortController();
  private readonly loops: Promise<void>[];

  constructor(
    chores: readonly Chore[],
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {
    this.loops = chores.map((chore) => this.loop(chore));
  }

  private async loop(chore: Chore): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      try {
        const report = await chore.runOnce();
        const idle = Object.values(report).every((figure) => figure === 0);
        if (!idle) this.logger.info({ chore: chore.name, ...report }, 'chore');
      } catch (error) {
        this.logger.error({ chore: chore.name, err: error }, 'a chore failed; it is tried again');
      }
      await this.clock.sleep(chore.everyMs, signal).catch(() => {});
    }
  }

  /** No new pass begins; resolves when the running ones have ended. */
  async stop(): Promise<void> {
    this.stopping.abort(new Error('stopping'));
    await Promise.all(this.loops);
  }
}
