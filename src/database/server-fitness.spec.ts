import { type ServerFacts, unfitBecause } from './server-fitness.js';

const fit: ServerFacts = {
  versionNum: 150_018,
  version: '15.18',
  isStandby: false,
  isReadOnly: false,
  keepsSessions: true,
};

describe('a start', () => {
  it('is taken by the oldest server that is fit', () => {
    expect(unfitBecause({ ...fit, versionNum: 150_000 }, true)).toBeNull();
  });

  it.each([
    ['too old', { versionNum: 149_999, version: '14.99' }, /^is Postgres 14\.99: Payonce needs 15 or newer$/],
    ['behind a pooler that hands sessions round', { keepsSessions: false }, /pool_mode = session/],
    ['a standby', { isStandby: true, isReadOnly: true }, /^is a standby/],
    ['read-only', { isReadOnly: true }, /^takes no writes/],
  ])('is refused by a server that is %s, in a sentence', (_, facts: Partial<ServerFacts>, sentence) => {
    expect(unfitBecause({ ...fit, ...facts }, true)).toMatch(sentence);
  });

  it('of what only reads is taken by a server that takes no writes', () => {
    expect(unfitBecause({ ...fit, isStandby: true, isReadOnly: true }, false)).toBeNull();
    expect(unfitBecause({ ...fit, isReadOnly: true, keepsSessions: false }, false)).not.toBeNull();
  });
});
