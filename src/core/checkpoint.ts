/**
 * Named places that a test can stop at. Outside tests nothing listens and a checkpoint is one
 * comparison. A test build preloads a module (`node --import`) that puts its listener on this
 * symbol, for instance one that kills the process with SIGKILL at the n-th visit of a place.
 */
type Listener = (place: string) => void | Promise<void>;

const seam = Symbol.for('payonce.checkpoint');

/** Says that `place` was reached: `commit:before:<recovery point>`, or `psp:before:<kind>`, for example. */
export function checkpoint(place: string): void | Promise<void> {
  const listener = (globalThis as { [seam]?: Listener })[seam];
  return listener?.(place);
}
