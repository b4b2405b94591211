import fc from 'fast-check';
import { type JobKind } from './job-kind.js';
import { chosenRetryPolicies, nextTier, retryPolicyOf, queuesOf } from './retry-policy.js';
import { type JobArgs } from './staged-job.entity.js';

const steps = [
  { delayMs: 0, concurrency: 16 },
  { delayMs: 30_000, concurrency: 4 },
  { delayMs: 90_000, concurrency: 2 },
  { delayMs: 21_600_000, concurrency: 1 },
];
const retryPolicy = retryPolicyOf('default', steps);

describe('a ladder', () => {
  it('has a queue for each step, named by its delay', () => {
    expect(retryPolicy.tiers.map(({ queue }) => queue)).toEqual([
      'default-now',
      'default-30s',
      'default-90s',
      'default-6h',
    ]);
    expect(queuesOf([retryPolicy, retryPolicy]).get('default-now')).toBe(16);
  });

  it('may have steps that share a queue', () => {
    const shared = { name: 'x', tiers: steps.map((step) => ({ ...step, queue: 'one' })) };
    expect([...queuesOf([shared])]).toEqual([['one', 16]]);
  });

  it.each(['', 'a:b', 'A', 'x'.repeat(40)])('is not called %j', (name) => {
    expect(() => retryPolicyOf(name, steps)).toThrow(RangeError);
  });

  it('begins at once', () => {
    expect(() => retryPolicyOf('default', steps.slice(1))).toThrow(/waits/);
    expect(() => retryPolicyOf('default', [])).toThrow(/waits/);
  });
});

describe('chosenRetryPolicies', () => {
  class Kind implements JobKind {
    readonly ran: string[] = [];
    constructor(
      readonly name: string,
      readonly retryPolicy: string,
    ) {}
    idOf({ id }: JobArgs) {
      return `${this.name}.${String(id)}`;
    }
    run({ id }: JobArgs) {
      this.ran.push(String(id));
      return Promise.resolve();
    }
    due(limit: number) {
      return Promise.resolve([{ id: this.ran.length, limit }]);
    }
  }
  const kinds = [new Kind('a.apply', 'default'), new Kind('b.send_far', 'far'), new Kind('b.send', 'near')];
  const own = ['far', 'near'].map((name) => ({
    name,
    tiers: steps.map((step) => ({ ...step, queue: name })),
  }));
  const climbs = (chosen: { kinds: readonly { name: string; retryPolicy: string }[] }) =>
    chosen.kinds.map(({ name, retryPolicy: climbed }) => `${name}: ${climbed}`);

  it('leaves kinds where they are that no ladder is chosen for', () => {
    const chosen = chosenRetryPolicies({ usual: steps, ofKinds: new Map() }, kinds, own);
    expect(climbs(chosen)).toEqual(['a.apply: default', 'b.send_far: far', 'b.send: near']);
    expect(chosen.retryPolicies).toEqual([retryPolicy, ...own]);
  });

  it('gives a kind the one that is chosen for it, and leaves away what nobody climbs then', async () => {
    const short = steps.slice(0, 2);
    const ofKinds = new Map([
      ['a.apply', short],
      ['b.send_far', short],
    ]);
    const chosen = chosenRetryPolicies({ usual: steps, ofKinds }, kinds, own);
    expect(climbs(chosen)).toEqual(['a.apply: a-apply', 'b.send_far: b-send-far', 'b.send: near']);
    expect(chosen.retryPolicies.map(({ name }) => name)).toEqual([
      'default',
      'near',
      'a-apply',
      'b-send-far',
    ]);
    expect(chosen.retryPolicies[2]).toEqual(retryPolicyOf('a-apply', short));
    // It is the same kind in all else.
    const [apply] = chosen.kinds;
    expect(apply!.idOf({ id: 'x' })).toBe('a.apply.x');
    await apply!.run({ id: 'x' }, new AbortController().signal);
    expect(await apply!.due(7)).toEqual([{ id: 1, limit: 7 }]);
  });

  it('knows the kinds', () => {
    const ofKinds = new Map([['a.aply', steps]]);
    expect(() => chosenRetryPolicies({ usual: steps, ofKinds }, kinds, own)).toThrow(
      'a.aply is no kind of job; a.apply, b.send, b.send_far are',
    );
  });
});

describe('nextTier', () => {
  it('is one tier further each time, until the last', () => {
    const seen: number[] = [];
    for (let at = nextTier(retryPolicy, 0, 0.5); at; at = nextTier(retryPolicy, at.level, 0.5))
      seen.push(at.delayMs);
    expect(seen).toEqual([22_500, 67_500, 16_200_000]);
  });

  it('waits at least half of the delay of the step, and all of it at most', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 2 }),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        (level, random) => {
          const { delayMs } = nextTier(retryPolicy, level, random)!;
          const whole = steps[level + 1]!.delayMs;
          return delayMs >= whole / 2 && delayMs <= whole;
        },
      ),
    );
    expect(nextTier(retryPolicy, 0, 0)!.delayMs).toBe(15_000);
    expect(nextTier(retryPolicy, 0, 0.999_999_999)!.delayMs).toBe(30_000);
  });

  it('knows no way from a step that is not there any more', () => {
    expect(nextTier(retryPolicy, 9, 0.5)).toBeNull();
  });
});
