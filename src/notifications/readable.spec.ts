import fc from 'fast-check';
import { Problem } from '../core/problem.js';
import { type PspNotification } from '../psp/notification.js';
import { factOf } from '../../test/support/notified-routes.js';
import { checkReadable, isStorable } from './readable.js';

function refusalOf(raw: Buffer): string | null {
  try {
    checkReadable(raw);
    return null;
  } catch (error) {
    return error instanceof Problem ? `${error.code}: ${error.detail}` : String(error);
  }
}

describe('a body', () => {
  it.each<[string, Buffer, string]>([
    ['nothing', Buffer.alloc(0), 'body_malformed: The body is empty.'],
    ['Latin-1', Buffer.from('{"name":"Zoë"}', 'latin1'), 'body_malformed: The body is not UTF-8.'],
    [
      'brackets without end',
      Buffer.from('['.repeat(200_000)),
      'body_malformed: The body is nested deeper than 32 levels.',
    ],
    [
      'one level too many',
      Buffer.from(`${'{"a":'.repeat(33)}1${'}'.repeat(33)}`),
      'body_malformed: The body is nested deeper than 32 levels.',
    ],
  ])('of %s is not looked into', (_, raw, refusal) => {
    expect(refusalOf(raw)).toBe(refusal);
  });

  it.each([
    ['32 levels', `${'['.repeat(32)}${']'.repeat(32)}`],
    ['brackets in a string', JSON.stringify('['.repeat(1_000))],
    ['brackets after an escaped quote', JSON.stringify(`"${'{'.repeat(1_000)}`)],
    ['many beside each other', JSON.stringify(Array.from({ length: 1_000 }, () => [{}]))],
  ])('with %s is', (_, text) => {
    expect(refusalOf(Buffer.from(text))).toBeNull();
  });

  it('is judged by its levels, whatever else it holds', () => {
    const depthOf = (value: unknown): number =>
      typeof value !== 'object' || value === null
        ? 0
        : 1 + Math.max(0, ...Object.values(value).map((member) => depthOf(member)));
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 20 }), fc.integer({ min: 0, max: 48 }), (value, wrapped) => {
        const text = `${'['.repeat(wrapped)}${JSON.stringify(value)}${']'.repeat(wrapped)}`;
        expect(refusalOf(Buffer.from(text)) === null).toBe(wrapped + depthOf(value) <= 32);
      }),
    );
  });
});

describe('a notice', () => {
  const fact = factOf('succeeded');
  const notice: PspNotification = { eventId: 'evt_1', type: 'charge.done', occurredAt: null, facts: [fact] };

  it('is stored as it is, emoji and all', () => {
    const message = 'thank you \u{1F642}';
    expect(isStorable(notice)).toBe(true);
    expect(isStorable({ ...notice, facts: [{ ...fact, answer: { outcome: 'declined', message } }] })).toBe(
      true,
    );
  });

  it.each<[string, Partial<PspNotification>]>([
    ['no name', { eventId: '' }],
    ['too long a name', { eventId: 'e'.repeat(201) }],
    ['too long a type', { type: 't'.repeat(101) }],
    ['no time that there is', { occurredAt: new Date(Number.NaN) }],
    ['more facts than a notification has', { facts: Array.from({ length: 101 }, () => fact) }],
    ['NUL in its name', { eventId: 'evt\0' }],
    ['NUL in a fact', { facts: [{ ...fact, pspReference: 'pi\0' }] }],
    [
      'half a surrogate pair deep down',
      { facts: [{ ...fact, answer: { outcome: 'unknown', message: '\ud83d' } }] },
    ],
  ])('with %s is not stored', (_, more) => {
    expect(isStorable({ ...notice, ...more })).toBe(false);
  });
});
