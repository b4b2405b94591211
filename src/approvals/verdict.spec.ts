import * as fc from 'fast-check';
import { HOUR, situation, START } from '../../test/support/arbitrary-history.js';
import { callOf, routeOf } from '../../test/support/notified-routes.js';
import { type Capabilities } from '../psp/contract.js';
import { nextStep } from '../request-storage/decisions/next-step.js';
import { type StepPreview } from '../request-storage/route-worker.js';
import { duration } from '../core/duration.js';
import { verdictOnLookup, verdictOnRetry } from './verdict.js';

const capabilities = {
  operations: ['charge'],
  currencies: null,
  methods: { card: {} },
  idempotency: { windowMs: 24 * HOUR, replays: 'all' },
  lookup: { by: 'reference', consistency: 'strong', settlesAfterMs: 90_000 },
  cancel: 'id',
  captures: 'whole',
} as unknown as Capabilities;
const route = routeOf([callOf(1, 'unknown'), callOf(2, 'not_found', { kind: 'lookup' })]);
const foreseen = (step: StepPreview['step'], hours = 2): StepPreview => ({
  step,
  route,
  capabilities,
  now: new Date(START + hours * HOUR),
});

describe('the verdict on a retry', () => {
  it('says what would happen, and what makes it safe', () => {
    expect(verdictOnRetry(foreseen({ do: 'execute' }))).toEqual({
      allowed: true,
      headline: 'The same request is sent to first again under the same key, so it is done once at most.',
      facts: [
        'Same key: first remembers it for another 21 h 50 min.',
        'Last lookup 1 h 59 min ago: not_found.',
      ],
    });
  });

  it('says when the key may be forgotten, and promises no resend then', () => {
    const { facts } = verdictOnRetry(foreseen({ do: 'lookup' }, 25));
    expect(facts.join(' ')).toContain(
      'first may have forgotten the key 1 h 9 min ago: the request is not sent again.',
    );
    expect(facts.join(' ')).not.toContain('may be sent again');
    expect(verdictOnRetry(foreseen({ do: 'lookup' })).facts.join(' ')).toContain(
      'may be sent again under the same key',
    );
  });

  it('is a refusal with its reason where the service may do nothing', () => {
    const stuck = verdictOnRetry(foreseen({ do: 'stuck', why: 'too many calls' }));
    expect([stuck.allowed, stuck.headline]).toEqual([false, expect.stringContaining('too many calls')]);
    expect(verdictOnRetry(foreseen({ do: 'none' })).allowed).toBe(false);
    const { request, attempts } = route;
    const leased = { ...request, leasedBy: 'run', leasedUntil: new Date(START + 3 * HOUR) };
    const busy = { ...foreseen({ do: 'lookup' }), route: { request: leased, attempts } };
    expect(verdictOnRetry(busy).allowed).toBe(false);
    expect(verdictOnRetry({ ...busy, now: new Date(START + 4 * HOUR) }).allowed).toBe(true);
  });

  it('on a lookup alone promises a lookup, or says why there is none', () => {
    expect(verdictOnLookup(foreseen({ do: 'lookup', offSchedule: true }))).toMatchObject({
      allowed: true,
      headline: expect.stringMatching(/Nothing else is sent/),
    });
    const steps: StepPreview['step'][] = [
      { do: 'none' },
      { do: 'stuck', why: 'too many calls' },
      { do: 'wait', until: new Date(START), why: 'throttled' },
      { do: 'wait', until: new Date(START), why: 'a lookup alone was asked for' },
    ];
    for (const step of steps) expect(verdictOnLookup(foreseen(step)).allowed).toBe(false);
  });

  it('never calls safe what the next step refuses, whatever the history', () => {
    fc.assert(
      fc.property(situation, ({ route: drawn, can, facts }) => {
        const step = nextStep([drawn], facts);
        const { allowed } = verdictOnRetry({ step, route: drawn, capabilities: can, now: facts.now });
        const isRefused = step.do === 'stuck' || step.do === 'wait';
        expect(allowed && isRefused).toBe(false);
      }),
    );
  });
});

it.each([
  [0, '0 s'],
  [999, '0 s'],
  [42_000, '42 s'],
  [3 * HOUR + 12 * 60_000 + 5_000, '3 h 12 min'],
  [2 * HOUR, '2 h'],
  [49 * HOUR, '2 d 1 h'],
])('%d ms are %s', (ms, text) => {
  expect(duration(ms)).toBe(text);
});
