import { deflateSync } from 'node:zlib';
import { findCardNumber } from '../core/card-number.js';
import { textOfPdf } from './pdf-text.js';

const pdf = (...streams: readonly Buffer[]) =>
  Buffer.concat([
    Buffer.from('%PDF-1.7\n1 0 obj << /W [556 556 556 5564 4242 4242 4242 4242] >> endobj\n'),
    ...streams.flatMap((stream) => [Buffer.from('stream\n'), stream, Buffer.from('\nendstream\n')]),
    Buffer.from('xref\n0000000016 00000 n\n%%EOF'),
  ]);
const holdsCard = async (file: Buffer) => findCardNumber(await textOfPdf(file)) !== null;

describe('the text of a PDF', () => {
  it.each([
    'BT (4242 4242 4242 4242) Tj ET',
    'BT [(4242) -20.5 (4242) 3 (42424242)] TJ ET',
    'BT (paid with \\(4242-4242-4242-4242\\)) Tj ET',
  ])('shows a card number in %s, compressed or not', async (content) => {
    expect(await holdsCard(pdf(Buffer.from(content)))).toBe(true);
    expect(await holdsCard(pdf(deflateSync(content)))).toBe(true);
    expect(await holdsCard(pdf(Buffer.from('junk'), deflateSync('BT (x) Tj ET'), deflateSync(content)))).toBe(
      true,
    );
  });

  it('shows one behind a title, a broken stream, and in a stream that ends too early', async () => {
    const whole = deflateSync('BT (4242 4242 4242 4242) Tj ET');
    const titled = Buffer.concat([Buffer.from('%PDF-1.7 << /Title (Livestream) >> stream\n'), whole]);
    expect(await holdsCard(titled)).toBe(true);
    expect(await holdsCard(pdf(whole.subarray(0, -4)))).toBe(true);
    expect(await holdsCard(pdf(Buffer.from('x\u009c'), whole))).toBe(true);
  });

  it('takes no numbers of its drawing for one', async () => {
    expect(await holdsCard(pdf(deflateSync('4242 4242 4242 4242 re f BT (Total 12.50 EUR) Tj ET')))).toBe(
      false,
    );
    expect(await holdsCard(pdf(deflateSync('BT (4242) Tj 0 -14 Td (4242) Tj (4242) Tj (4242) Tj ET')))).toBe(
      false,
    );
  });

  it('reads two thousand streams of a file and no more', async () => {
    const streams = Array.from({ length: 2_001 }, (_, n) => deflateSync(`(page ${n} of it)`));
    const text = await textOfPdf(pdf(...streams));
    expect([text.includes('page 1999 '), text.includes('page 2000 ')]).toEqual([true, false]);
  });

  it('ends in a moment, whatever the file is made of', async () => {
    const bomb = pdf(...Array.from({ length: 50 }, () => deflateSync(Buffer.alloc(1_000_000))));
    expect((await textOfPdf(bomb)).length).toBeLessThan(10_000);
    for (const begin of ['(', '(\\', ')1', 'stream\n', 'stream\nendstream\n', '(a)1(', '\\(', ')    -1']) {
      const file = Buffer.from(`%PDF-${begin.repeat(2_000_000 / begin.length)}`);
      const before = process.cpuUsage();
      await textOfPdf(file);
      const { user, system } = process.cpuUsage(before);
      // Quadratic work over so much takes minutes.
      expect([begin, (user + system) / 1_000 < 4_000]).toEqual([begin, true]);
    }
  });
});
