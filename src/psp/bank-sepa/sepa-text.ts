/** Letters that Unicode does not take apart, as EPC217-08 writes them. */
const LETTERS: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  Æ: 'AE',
  œ: 'oe',
  Œ: 'OE',
  ø: 'o',
  Ø: 'O',
  đ: 'd',
  Đ: 'D',
  ð: 'd',
  Ð: 'D',
  ł: 'l',
  Ł: 'L',
  þ: 'th',
  Þ: 'TH',
  ı: 'i',
  '&': '+',
  '@': '(at)',
};

/**
 * A text as every bank takes it: a-z A-Z 0-9 / - ? : ( ) . , ' + and blanks (EPC217-08), without the slashes that the
 * rulebook forbids, at most `longest` characters.
 */
export function sepaText(text: string, longest: number): string {
  const line = Array.from(text, (letter) => LETTERS[letter] ?? letter)
    .join('')
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^A-Za-z0-9/\-?:().,'+]+/g, ' ')
    .replaceAll(/\/{2,}/g, '/')
    .trim()
    .replace(/^\/+/, '')
    .slice(0, longest);
  let end = line.length;
  while (end > 0 && (line[end - 1] === '/' || line[end - 1] === ' ')) end -= 1;
  return line.slice(0, end);
}
