import { createInflate } from 'node:zlib';

/** The most bytes of all streams of a file together; the rest is not read. */
const MAX_BYTES = 4 * 1024 * 1024;
const MAX_STREAMS = 2_000;

/**
 * The literal strings of a PDF and of its streams, as far as they are compressed by zlib or not at all. Text in fonts with
 * an encoding of their own, in encrypted files and in pictures is not among them.
 */
export async function textOfPdf(content: Buffer): Promise<string> {
  const raw = content.toString('latin1');
  let left = MAX_BYTES;
  const parts = [raw];
  let from = raw.indexOf('stream');
  for (let looked = 0; from >= 0 && looked < MAX_STREAMS && left > 0; from = raw.indexOf('stream', from)) {
    from += 'stream'.length;
    const begin = /^\r?\n/.exec(raw.slice(from, from + 2));
    if (!begin) continue;
    looked++;
    const end = raw.indexOf('endstream', from);
    const text = await inflated(content.subarray(from + begin[0].length, end < 0 ? undefined : end), left);
    left -= text.length;
    parts.push(text.toString('latin1'));
    if (end < 0) break;
    from = end + 'endstream'.length;
  }
  return parts.map(stringsOf).join('\n');
}

/** Between two strings that are set beside each other: how far apart (ISO 32000-1, 9.4.3). */
const KERNING = /^[ \t\r\n]{0,4}-?[0-9.]{0,12}[ \t\r\n]{0,4}$/;
const APART = '\n\n\n\n\n';

const EMPTY = Buffer.alloc(0);

/** Whether it begins as RFC 1950 says; to begin to inflate what does not costs a hundred times more. */
function isZlib(stream: Buffer): boolean {
  return stream.length > 2 && (stream[0]! & 0x0f) === 8 && stream.readUInt16BE(0) % 31 === 0;
}

/** At most about so many bytes, and what comes before a fault. */
async function inflated(stream: Buffer, most: number): Promise<Buffer> {
  if (!isZlib(stream)) return EMPTY;
  const chunks: Buffer[] = [];
  const inflate = createInflate();
  inflate.end(stream);
  try {
    let size = 0;
    for await (const chunk of inflate as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      if ((size += chunk.length) >= most) break;
    }
  } catch {
    // It is broken or ends too early, and what came before counts.
  }
  return Buffer.concat(chunks);
}

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
