/** To the minute, UTC. */
export function when(time: Date): string {
  return time.toISOString().slice(0, 16).replace('T', ' ');
}

/** Columns as wide as their widest cell; `None.` where there is no row. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return 'None.';
  const widths = head.map((_, column) => Math.max(...[head, ...rows].map((row) => row[column]!.length)));
  return [head, ...rows]
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column]!))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
