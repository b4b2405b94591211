import { type CallContext } from './contract.js';

/** One call as its adapter sees it. A signal is made only for an adapter that asks for it. */
export class CallDeadline implements CallContext {
  private readonly listeners = new Set<(reason: Error) => void>();
  private controller: AbortController | null = null;
  private reason: Error | null = null;

  constructor(
    readonly timeoutMs: number,
    readonly leaseStillValid: () => boolean,
  ) {}

  get signal(): AbortSignal {
    this.controller ??= new AbortController();
    if (this.reason) this.controller.abort(this.reason);
    return this.controller.signal;
  }

  readonly onGivenUp = (listener: (reason: Error) => void): (() => void) => {
    if (this.reason) listener(this.reason);
    else this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  giveUp(reason: Error): void {
    this.reason = reason;
    this.controller?.abort(reason);
    for (const listener of this.listeners) listener(reason);
  }
}
