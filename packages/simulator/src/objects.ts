import { Full } from './wire.js';

export const MAX_PAYMENTS = 500_000;

/** What every object of a PSP has. */
export interface Created {
  readonly id: string;
  /** Place in the order of creation. */
  readonly index: number;
  readonly createdMs: number;
}

/** All objects of one kind of one account, in order of creation. */
export class Objects<T extends Created> {
  private readonly inOrder: string[] = [];
  private readonly byId = new Map<string, T>();

  constructor(
    private readonly what: string,
    private readonly cap = MAX_PAYMENTS,
  ) {}

  /** The place of the next one; refuses loudly when there is none. */
  nextIndex(): number {
    if (this.inOrder.length >= this.cap) throw new Full(this.what, this.cap);
    return this.inOrder.length;
  }

  add(object: T): T {
    this.inOrder.push(object.id);
    this.byId.set(object.id, object);
    return object;
  }

  replace(object: T): T {
    this.byId.set(object.id, object);
    return object;
  }

  get(id: string): T | undefined {
    return this.byId.get(id);
  }

  /** Newest first, from before `startingAfter`, created from `since` on. */
  *newestFirst(sinceMs: number, startingAfter?: T): Generator<T> {
    for (let index = (startingAfter?.index ?? this.inOrder.length) - 1; index >= 0; index -= 1) {
      const object = this.byId.get(this.inOrder[index] ?? '');
      if (object === undefined || object.createdMs < sinceMs) return;
      yield object;
    }
  }

  reset(): void {
    this.inOrder.length = 0;
    this.byId.clear();
  }
}
