import { lifecycle, type LifecycleTable, TransitionRefused } from './lifecycle.js';

type State = 'new' | 'sent' | 'lost' | 'done';
type Event = 'send' | 'lose' | 'finish';

const table: LifecycleTable<State, Event> = {
  name: 'letter',
  initial: 'new',
  final: ['done', 'lost'],
  transitions: [
    { from: 'new', event: 'send', to: 'sent' },
    { from: 'sent', event: 'lose', to: 'lost' },
    { from: 'sent', event: 'finish', to: 'done' },
  ],
};

describe('a lifecycle', () => {
  it('goes where its table says, and nowhere else', () => {
    const letter = lifecycle(table);
    expect(letter.after('new', 'send')).toBe('sent');
    expect(letter.allows('new', 'finish')).toBe(false);
    expect(() => letter.after('done', 'send')).toThrow(TransitionRefused);
    expect(() => letter.after('done', 'send')).toThrow('letter: send is not possible in state done');
    expect(letter.states.toSorted()).toEqual(['done', 'lost', 'new', 'sent']);
  });

  it('is refused when a state cannot be reached, cannot be left, or is left though final', () => {
    const without = (event: Event) => ({
      ...table,
      transitions: table.transitions.filter((t) => t.event !== event),
    });
    expect(() => lifecycle(without('lose'))).toThrow('nothing leads to lost');
    expect(() => lifecycle({ ...table, final: ['done'] })).toThrow('nothing leads out of lost');
    expect(() => lifecycle({ ...table, final: ['done', 'lost', 'sent'] })).toThrow('sent is final');
    const twice = [...table.transitions, { from: 'sent', event: 'finish', to: 'lost' } as const];
    expect(() => lifecycle({ ...table, transitions: twice })).toThrow('two lines for finish in sent');
  });

  it('is refused when states lead to one another, and nothing to any of them', () => {
    const island = [
      { from: 'far', event: 'send', to: 'farther' },
      { from: 'farther', event: 'lose', to: 'far' },
    ] as const;
    const transitions = [...table.transitions, ...island];
    expect(() => lifecycle<State | 'far' | 'farther', Event>({ ...table, transitions })).toThrow(
      'nothing leads to far',
    );
  });

  it('says which states lead to which others, each pair once', () => {
    const transitions = [
      ...table.transitions,
      { from: 'sent', event: 'forget', to: 'lost' },
      { from: 'sent', event: 'send', to: 'sent' },
    ] as const;
    expect(lifecycle<State, Event | 'forget'>({ ...table, transitions }).arrows).toEqual([
      ['new', 'sent'],
      ['sent', 'lost'],
      ['sent', 'done'],
    ]);
  });

  it('draws itself', () => {
    expect(lifecycle(table).mermaid().split('\n')).toEqual([
      'stateDiagram-v2',
      '  [*] --> new',
      '  new --> sent: send',
      '  sent --> lost: lose',
      '  sent --> done: finish',
      '  done --> [*]',
      '  lost --> [*]',
    ]);
  });
});
