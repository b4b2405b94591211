/**
 * A lifecycle: which states a thing can be in and which events lead from where to where, as a
 * table. The graph is checked when it is declared, so that a state that cannot be reached or left is
 * found at start-up and not by a customer.
 */
export interface Lifecycle<State extends string, Event extends string> {
  readonly name: string;
  readonly states: readonly State[];
  readonly final: readonly State[];
  /** Which states lead to which others, each pair once. */
  readonly arrows: readonly (readonly [from: State, to: State])[];
  allows(from: State, event: Event): boolean;
  /** The state after the event. Throws `TransitionRefused` where the table has no such line. */
  after(from: State, event: Event): State;
  /** The table as a mermaid state diagram, for docs/lifecycles. */
  mermaid(): string;
}

export interface LifecycleTable<State extends string, Event extends string> {
  readonly name: string;
  readonly initial: State;
  /** States that nothing leads out of. */
  readonly final: readonly State[];
  readonly transitions: readonly Transition<State, Event>[];
}

export interface Transition<State extends string, Event extends string> {
  readonly from: State;
  readonly event: Event;
  readonly to: State;
}

export class TransitionRefused extends Error {
  constructor(lifecycle: string, from: string, event: string) {
    super(`${lifecycle}: ${event} is not possible in state ${from}`);
    this.name = 'TransitionRefused';
  }
}

/** Declares a lifecycle. Throws when the table contradicts itself. */
export function lifecycle<State extends string, Event extends string>(
  table: LifecycleTable<State, Event>,
): Lifecycle<State, Event> {
  const next = new Map<string, State>();
  for (const { from, event, to } of table.transitions) {
    const line = `${from} ${event}`;
    if (next.has(line)) throw new TypeError(`${table.name}: two lines for ${event} in ${from}`);
    next.set(line, to);
  }
  const states = statesOf(table);
  checkGraph(table, states);
  return {
    name: table.name,
    states,
    final: table.final,
    arrows: arrowsOf(table),
    allows: (from, event) => next.has(`${from} ${event}`),
    after: (from, event) => {
      const to = next.get(`${from} ${event}`);
      if (to === undefined) throw new TransitionRefused(table.name, from, event);
      return to;
    },
    mermaid: () => mermaidOf(table),
  };
}

function statesOf<State extends string>(table: LifecycleTable<State, string>): State[] {
  const named = table.transitions.flatMap(({ from, to }) => [from, to]);
  return [...new Set([table.initial, ...named, ...table.final])];
}

function checkGraph<State extends string>(
  table: LifecycleTable<State, string>,
  states: readonly State[],
): void {
  const reached = new Set<State>([table.initial]);
  for (const _ of states) {
    for (const { from, to } of table.transitions) if (reached.has(from)) reached.add(to);
  }
  for (const state of states) {
    const leads = table.transitions.some(({ from }) => from === state);
    const isFinal = table.final.includes(state);
    if (!reached.has(state)) throw new TypeError(`${table.name}: nothing leads to ${state}`);
    if (isFinal && leads)
      throw new TypeError(`${table.name}: ${state} is final, yet something leads out of it`);
    if (!isFinal && !leads) throw new TypeError(`${table.name}: nothing leads out of ${state}`);
  }
}

function mermaidOf(table: LifecycleTable<string, string>): string {
  const lines = table.transitions.map(({ from, event, to }) => `  ${from} --> ${to}: ${event}`);
  const ends = table.final.map((state) => `  ${state} --> [*]`);
  return ['stateDiagram-v2', `  [*] --> ${table.initial}`, ...lines, ...ends].join('\n');
}

function arrowsOf<State extends string, Event extends string>({
  transitions,
}: LifecycleTable<State, Event>): [from: State, to: State][] {
  const arrows = new Map<string, [from: State, to: State]>();
  for (const { from, to } of transitions) if (from !== to) arrows.set(`${from} ${to}`, [from, to]);
  return [...arrows.values()];
}
