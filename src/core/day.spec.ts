import { describe, expect, it } from '@jest/globals';
import { isDay } from './day.js';

describe('isDay', () => {
  it.each(['2026-11-22', '2024-02-29'])('takes %s', (text) => {
    expect(isDay(text)).toBe(true);
  });

  it.each(['2026-02-29', '2026-13-01', '2026-11-31', '2025-2-3', '2026-11-22T00:00:00Z', '2026-11-22\n', ''])(
    'takes no %j',
    (text) => {
      expect(isDay(text)).toBe(false);
    },
  );
});
