import { type FaultKind, type FaultRequest } from '@payonce/simulator';

export type Tried = 'charge' | 'capture' | 'refund';

/** A client's behaviour besides asking again until it is told. */
export type Behaviour = 'asks twice at once' | 'gives up and asks again' | 'asks under another key';

/** One way for a PSP to fail, and the operation that it fails. */
export interface Trial {
  readonly name: string;
  readonly operation: Tried;
  readonly faults: readonly FaultRequest[];
  readonly client?: Behaviour;
}

/** The PSP does nothing. */
const BEFORE = ['close_before', 'reset_before', 'hang_before', 'error_500_before'] as const;
/** The PSP does it, and its answer does not arrive, or is none. */
const AFTER = [
  'close_after',
  'reset_after',
  'hang_after',
  'error_500_after',
  'html_502_after',
  'truncate',
] as const;
const DELAY_MS = 1_500;
/** Beyond the time in which a client asks again, so that both requests are on their way. */
const LATE_MS = 800;

const words: Readonly<Record<FaultKind, string>> = {
  refuse: 'the PSP refuses connections',
  delay_before: 'it is done late',
  delay_after: 'it is answered late',
  close_before: 'closed before it is done',
  close_after: 'closed after it is done',
  reset_before: 'reset before it is done',
  reset_after: 'reset after it is done',
  hang_before: 'nothing is done or answered',
  hang_after: 'done, and never answered',
  error_500_before: '500, and nothing is done',
  error_500_after: '500 after it is done',
  html_502_after: "a proxy's 502 after it is done",
  truncate: 'half an answer',
  throttle: '429',
  decline: 'declined',
  late_effect: 'reset, and done later',
  kill: 'killed',
};

const one = (operation: Tried, fault: FaultKind, more: Omit<FaultRequest, 'fault'> = {}): Trial => ({
  name: words[fault],
  operation,
  faults: [{ fault, next: 1, ...more }],
});

/** The 40 trials. `code`: a decline of the PSP that is tried. */
export function trialsAt(code: string): readonly Trial[] {
  const twice = AFTER.map((fault) => ({
    ...one('charge', fault, { next: 2 }),
    name: `${words[fault]}, twice`,
  }));
  const unseen = (['reset_after', 'hang_after', 'error_500_after'] as const).map((fault) => ({
    name: `${words[fault]}; lookups fail`,
    operation: 'charge' as const,
    faults: [{ fault, next: 1 }, { fault: 'error_500_before', on: 'lookup', next: 2 } as const],
  }));
  const lost = (operation: Tried) =>
    (['reset_before', 'reset_after', 'hang_after', 'error_500_after', 'truncate'] as const).map((fault) =>
      one(operation, fault),
    );
  const reset = { fault: 'reset_after', next: 1 } as const;
  return [
    { name: 'nothing fails', operation: 'charge', faults: [] },
    ...BEFORE.map((fault) => one('charge', fault)),
    ...AFTER.map((fault) => one('charge', fault)),
    { name: words.refuse, operation: 'charge', faults: [{ fault: 'refuse', for_ms: 400 }] },
    one('charge', 'throttle', { delay_ms: 1_000 }),
    one('charge', 'delay_before', { delay_ms: DELAY_MS }),
    one('charge', 'delay_after', { delay_ms: DELAY_MS }),
    one('charge', 'late_effect', { delay_ms: LATE_MS }),
    one('charge', 'decline', { code }),
    ...twice,
    ...unseen,
    { name: 'two requests at once', operation: 'charge', faults: [], client: 'asks twice at once' },
    {
      name: 'two at once, the first answer is lost',
      operation: 'charge',
      faults: [reset],
      client: 'asks twice at once',
    },
    {
      name: 'the client gives up and asks again',
      operation: 'charge',
      faults: [{ fault: 'delay_after', next: 1, delay_ms: DELAY_MS }],
      client: 'gives up and asks again',
    },
    ...lost('capture'),
    ...lost('refund'),
    {
      name: 'the same refund under another key',
      operation: 'refund',
      faults: [reset],
      client: 'asks under another key',
    },
  ];
}
