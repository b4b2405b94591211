export interface PassReport {
  /** How many came to something; the others were in another worker's hands. */
  readonly done: number;
  readonly failed: number;
}

/** Works on all of `due`, `atOnce` of them side by side. One that fails does not delay the others. */
export async function workThrough<T>(
  due: readonly T[],
  atOnce: number,
  work: (one: T) => Promise<boolean>,
  onError: (error: unknown, one: T) => void | Promise<void>,
): Promise<PassReport> {
  const left = due.values();
  const report = { done: 0, failed: 0 };
  const worker = async () => {
    for (const one of left) {
      try {
        if (await work(one)) report.done += 1;
      } catch (error) {
        report.failed += 1;
        await onError(error, one);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, due.length) }, worker));
  return report;
}
