/** Where calls read time and wait. Give your own to test a handler without waiting. */
export interface Clock {
  /** Milliseconds of a clock that never jumps; only differences mean anything. It may stand still while a machine sleeps. */
  monotonicMs(): number;
  /** The machine's wall clock, in ms since the epoch. It may be set; it goes on while a machine sleeps. */
  wallMs(): number;
  /** Resolves after `ms`; rejects with the signal's reason when it is aborted first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  monotonicMs: () => performance.now(),
  wallMs: () => Date.now(),
  // Not that of node:timers/promises, which makes an error with a stack for each sleep that ends early.
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) {
        reject(signal.reason as Error);
        return;
      }
      const stop = () => {
        clearTimeout(timer);
        reject(signal!.reason as Error);
      };
      const timer = setTimeout(() => {
        signal?.removeEventListener('abort', stop);
        resolve();
      }, ms);
      signal?.addEventListener('abort', stop, { once: true });
    }),
};
