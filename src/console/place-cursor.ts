import { Problem } from '../core/problem.js';

/** A cursor that names the row after which a page goes on, by what the list is ordered by. */
export function cursorOf(place: readonly string[]): string {
  return Buffer.from(JSON.stringify(place)).toString('base64url');
}

/** The texts of a cursor, of which the first is a time or an amount; none where there is none. @throws Problem `validation_failed` */
export function placeIn(cursor: string | null, first: 'time' | 'amount', length: number): readonly string[] {
  if (cursor === null) return [];
  try {
    const place = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as unknown;
    const isPlace = Array.isArray(place) && place.length === length && place.every(isText);
    if (isPlace && (first === 'time' ? isTime : isAmount)(place[0] as string)) return place as string[];
  } catch {
    // Refused below.
  }
  throw noCursor();
}

export function noCursor(): Problem {
  return new Problem('validation_failed', 'The cursor is not the next_cursor of a page.');
}

const isText = (part: unknown) => typeof part === 'string' && !part.includes('\0');
const isTime = (text: string) => /^\d{4}-\d\d-\d\dT/.test(text) && !Number.isNaN(Date.parse(text));
const isAmount = (text: string) => /^\d{1,16}$/.test(text);
