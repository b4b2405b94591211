import { errorText, failed, queuedJobOf, retryHistoryOf } from './queued-job.js';

describe('errorText', () => {
  it('is redacted, also of what a connection string holds', () => {
    const error = new Error('no way to redis://default:hunt/er@2@cache:6379 with sk_live_1Abc');
    expect(errorText(error)).toBe('Error: no way to redis://[removed]cache:6379 with [removed]');
  });

  it('is short and on one line', () => {
    const text = errorText(new Error(`a\nb${'x'.repeat(10_000)}`));
    expect(text).toHaveLength(500);
    expect(text).toMatch(/^Error: a bx+…$/);
  });

  it('quotes nothing of what is no error', () => {
    expect(errorText({ secret: 'hunter2' })).toBe('threw a object');
  });
});

describe('a story', () => {
  const first = new Date(Date.UTC(2026, 0, 1));
  const then = new Date(Date.UTC(2026, 0, 2));

  it('keeps when it began and counts', () => {
    const once = failed(null, 'a', first, then);
    expect(failed(once, 'b', then, null)).toEqual({
      firstTriedAt: first.toISOString(),
      tries: 2,
      lastError: 'b',
      nextAt: null,
    });
  });

  it('survives the way through a queue', () => {
    const story = failed(null, 'a', first, then);
    expect(retryHistoryOf(JSON.parse(JSON.stringify(story)))).toEqual(story);
  });

  it.each([null, 1, 'x', [], {}, { firstTriedAt: 'never', tries: 1 }, { firstTriedAt: '2026', tries: 0 }])(
    'is not made of %j',
    (value) => {
      expect(retryHistoryOf(value)).toBeNull();
    },
  );
});

describe('queuedJobOf', () => {
  it('reads a job', () => {
    expect(queuedJobOf({ args: { id: 'x', n: 1 }, level: 2, story: null })).toEqual({
      args: { id: 'x', n: 1 },
      level: 2,
      story: null,
    });
  });

  it.each([null, {}, { args: [] }, { args: { deep: {} } }])('refuses %j', (data) => {
    expect(() => queuedJobOf(data)).toThrow(TypeError);
  });

  it('takes a level that is none for the first', () => {
    expect(queuedJobOf({ args: {}, level: -1 }).level).toBe(0);
  });
});
