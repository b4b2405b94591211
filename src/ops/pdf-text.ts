import { promisify } from 'node:util';
import { inflate } from 'node:zlib';

/** Of all streams of a file together: more is not looked at. */
const MAX_BYTES = 4 * 1024 * 1024;
const MAX_STREAMS = 2_000;
const inflated = promisify(inflate);

/**
 * The literal strings of a PDF and of its streams, as far as they are compressed by zlib or not at all. Text in fonts with
 * an encoding of their own, in encrypted files and in pictures is not among them.
 */
export async function textOfPdf(content: Buffer): Promise<string> {
  const raw = content.toString('latin1');
  let left = MAX_BYTES;
  const parts = [raw];
  for (let looked = 0, from = 0; looked < MAX_STREAMS && left > 0; looked++) {
    from = raw.indexOf('stream', from);
    if (from < 0) break;
    const begin = from + /^stream\r?\n?/.exec(raw.slice(from, from + 8))![0].length;
    const end = raw.indexOf('endstream', begin);
    const stream = content.subarray(begin, end < 0 ? undefined : end);
    const text = await inflated(stream, { maxOutputLength: left }).catch(() => null);
    if (text !== null) {
      left -= text.length;
      parts.push(text.toString('latin1'));
    }
    if (end < 0) break;
    from = end + 'endstream'.length;
  }
  return parts.map(stringsOf).join('\n');
}

/** Between two strings that are set beside each other: how far apart (ISO 32000-1, 9.4.3). */
const KERNING = /^[ \t\r\n]{0,4}-?[0-9.]{0,12}[ \t\r\n]{0,4}$/;
const APART = '\n\n\n\n\n';

/** One pass: a pattern for strings would try again from each bracket. */
function stringsOf(part: string): string {
  let text = '';
  for (let from = 0, after = -1; ;) {
    const begin = part.indexOf('(', from);
    if (begin < 0) return text;
    let end = begin + 1;
    while (end < part.length && part[end] !== ')') end += part[end] === '\\' ? 2 : 1;
    const isBeside = after >= 0 && begin - after <= 20 && KERNING.test(part.slice(after, begin));
    text += (isBeside ? '' : APART) + part.slice(begin + 1, end);
    from = after = end + 1;
  }
}
