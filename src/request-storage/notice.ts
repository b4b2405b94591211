import { type Fact } from '../psp/index.js';

/**
 * What became of a fact that a PSP told of its own accord.
 *
 * - `applied`        it was written down, and the operation was driven on with it
 * - `recorded`       it was written down; somebody else drives the operation, and decides with it
 * - `known`          it says nothing that is not known already
 * - `contradiction`  the operation is decided, and the fact says otherwise: a person has to look
 * - `unknown`        no operation of ours is known by these names (yet: the answer of the call that
 *                    made it may still be on its way)
 */
export type Taken = 'applied' | 'recorded' | 'known' | 'contradiction' | 'unknown';

/** Takes in what PSPs tell; every room that owns operations does it through this one face. */
export interface FactTaker {
  /** May be called twice with the same fact. @throws StoreUnavailable */
  take(psp: string, fact: Fact, traceId: string): Promise<Taken>;
}
