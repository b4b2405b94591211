import { ReportRefused } from './report-line.js';

interface JsonLine {
  readonly line: number;
  readonly value: unknown;
}

const MAX_LINE = 1_048_576;

/** Streams JSON values, one on each line. @throws ReportRefused with the line, for what is no UTF-8, no JSON or cut off */
export async function* jsonLines(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<JsonLine> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let rest = '';
  let line = 0;
  for await (const chunk of bytes) {
    try {
      rest += decoder.decode(chunk, { stream: true });
    } catch {
      throw refused(line + 1, 'holds bytes that are no UTF-8');
    }
    const whole = rest.split('\n');
    rest = whole.pop()!;
    for (const text of whole) {
      line += 1;
      let value: unknown;
      try {
        value = JSON.parse(text);
      } catch {
        throw refused(line, 'is no JSON');
      }
      yield { line, value };
    }
    if (rest.length > MAX_LINE) throw refused(line + 1, `is longer than ${MAX_LINE} characters`);
  }
  if (rest !== '') throw refused(line + 1, 'ends without a line break: the file is cut off');
}

function refused(line: number, message: string): ReportRefused {
  return new ReportRefused([{ line, message }]);
}
