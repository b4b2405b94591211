import { type Flow } from './phases.js';

/** The flows that the completer may take up again. Each module registers its own when the application starts. */
export class FlowRegistry {
  private readonly flows: Flow<never, unknown>[] = [];

  register(flows: readonly Flow<never, unknown>[]): void {
    this.flows.push(...flows);
  }

  get all(): readonly Flow<never, unknown>[] {
    return this.flows;
  }
}
