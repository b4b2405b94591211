const BATCH = 1_000;
const MAX_BATCHES = 1_000;

/**
 * Deletes in statements of a thousand rows, which lock and write little at a time, until there are no
 * more: a pass ends after a million, and the next one goes on. @returns how many were deleted
 */
export async function prune(remove: (limit: number) => Promise<number>): Promise<number> {
  let removed = 0;
  for (let batch = 0; batch < MAX_BATCHES; batch++) {
    const count = await remove(BATCH);
    removed += count;
    if (count < BATCH) break;
  }
  return removed;
}
