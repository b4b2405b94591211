import { readLadder, readLadders } from './job-ladder.js';

describe('readLadder', () => {
  it('reads delays and concurrencies', () => {
    expect(readLadder('0/16, 30s/4,5m/2,1h/2,1d/1')).toEqual([
      { delayMs: 0, concurrency: 16 },
      { delayMs: 30_000, concurrency: 4 },
      { delayMs: 300_000, concurrency: 2 },
      { delayMs: 3_600_000, concurrency: 2 },
      { delayMs: 86_400_000, concurrency: 1 },
    ]);
    expect(readLadder('0s/1')).toEqual([{ delayMs: 0, concurrency: 1 }]);
  });

  it.each([
    ['', '"" is no step like 30s/4'],
    ['0/4,', '"" is no step like 30s/4'],
    ['0', '"0" is no step like 30s/4'],
    ['0/4,30/4', '"30/4" is no step like 30s/4'],
    ['0/4,-1s/4', '"-1s/4" is no step like 30s/4'],
    ['0/4,1.5h/4', '"1.5h/4" is no step like 30s/4'],
    ['30s/4', 'the first step waits; it takes 0'],
    ['0/4,5m/2,30s/4', '30s/4 waits no longer than the step before it'],
    ['0/4,0/4', '0/4 waits no longer than the step before it'],
    ['0/0', '0/0 runs not 1 to 64'],
    ['0/65', '0/65 runs not 1 to 64'],
    ['0/1,8d/1', '8d/1 waits longer than 7 days'],
    ['0/1,1s/1,2s/1,3s/1,4s/1,5s/1,6s/1,7s/1,8s/1', 'there are more than 8 steps'],
  ])('%j: %s', (text, complaint) => {
    expect(readLadder(text)).toBe(complaint);
  });
});

describe('readLadders', () => {
  it('reads the usual one, and those of kinds', () => {
    const usual = [{ delayMs: 0, concurrency: 4 }];
    expect(readLadders('0/4')).toEqual({ usual, ofKinds: new Map() });
    expect(readLadders('0/4; webhook.apply=0/8, 10s/2;a.b_c=0/1')).toEqual({
      usual,
      ofKinds: new Map([
        [
          'webhook.apply',
          [
            { delayMs: 0, concurrency: 8 },
            { delayMs: 10_000, concurrency: 2 },
          ],
        ],
        ['a.b_c', [{ delayMs: 0, concurrency: 1 }]],
      ]),
    });
  });

  it.each([
    ['', '"" is no step like 30s/4'],
    ['a=0/1', '"a=0/1" is no step like 30s/4'],
    ['0/4;', '"" is no ladder of a kind, like webhook.apply=0/8,10s/2'],
    ['0/4;0/8', '"0/8" is no ladder of a kind, like webhook.apply=0/8,10s/2'],
    ['0/4;A=0/8', '"A=0/8" is no ladder of a kind, like webhook.apply=0/8,10s/2'],
    ['0/4;a=', 'of a, "" is no step like 30s/4'],
    ['0/4;a=5s/1', 'of a, the first step waits; it takes 0'],
    ['0/4;a=0/1;a=0/2', 'a has two ladders'],
    [`0/4${';a=0/1'.repeat(17)}`, 'there are ladders of more than 16 kinds'],
  ])('%j: %s', (text, complaint) => {
    expect(readLadders(text)).toBe(complaint);
  });
});
