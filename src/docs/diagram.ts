/** The diagrams of our documents as rows: the forty arrows of a lifecycle read better as a table than on a picture. */
export function diagramAsRows(mermaid: string): { header: readonly string[]; rows: readonly string[][] } {
  const [kind = '', ...lines] = mermaid.split('\n').map((line) => line.trim());
  if (kind.startsWith('stateDiagram')) return { header: ['from', 'event', 'to'], rows: transitions(lines) };
  if (kind.startsWith('sequenceDiagram')) {
    return { header: ['', 'from', 'to', 'what'], rows: messages(lines) };
  }
  throw new Error(`a diagram of a kind that has no reader: ${kind}`);
}

function transitions(lines: readonly string[]): string[][] {
  const ends: Readonly<Record<string, string>> = { '[*]': '' };
  return lines.flatMap((line) => {
    const [, from, to, event] = /^(\S+) --> (\S+?)(?:: (.*))?$/.exec(line) ?? [];
    if (from === undefined || to === undefined) return [];
    return [[ends[from] ?? from, event ?? (from === '[*]' ? 'begins' : 'ends'), ends[to] ?? to]];
  });
}

function messages(lines: readonly string[]): string[][] {
  const names = new Map(
    lines.flatMap((line) => {
      const [, id, name] = /^participant (\w+) as (.*)$/.exec(line) ?? [];
      return id === undefined ? [] : [[id, name!] as const];
    }),
  );
  let number = 0;
  return lines.flatMap((line) => {
    const [, from, to, what] = /^(\w+)-{1,2}>>(\w+): (.*)$/.exec(line) ?? [];
    if (from !== undefined) return [[String(++number), names.get(from)!, names.get(to!)!, what!]];
    const [, at, note] = /^Note over (\w+): (.*)$/.exec(line) ?? [];
    return at === undefined ? [] : [['', names.get(at)!, '', note!]];
  });
}
