/**
 * Finds card numbers in text, wherever they hide: with separators, in other scripts' digits, in the
 * middle of a sentence. Pure and linear; used on every request body and by the redactor (redact.ts).
 *
 * A number is taken for a card's when an issuer hands out its prefix with its length AND its check
 * digit is right (ISO/IEC 7812-1 annex B, "Luhn"). Luhn alone will not do: every tenth number passes
 * it, so every tenth millisecond timestamp would be refused.
 */

/** Indices into the text, end excluded. */
export interface TextSpan {
  readonly start: number;
  readonly end: number;
}

const SHORTEST = 12;
const LONGEST = 19;

/** `4242 - 4242 - ...` has three; more than this between two digits and they belong to two things. */
const MAX_SEPARATORS = 4;

type Range = readonly [from: number, to: number, ...lengths: number[]];
const from16to19 = [16, 17, 18, 19] as const;
const from14to19 = [14, 15, ...from16to19] as const;
const from12to19 = [12, 13, ...from14to19] as const;

/**
 * Issuer ranges by their first four digits, with the lengths that go with them. Sources: the
 * networks' public BIN tables as collected in ISO 7812 listings. Left out on purpose: UATP (1...),
 * because timestamps live there, and RuPay's 82, because Adyen's older references do.
 * Maestro is short (12 to 15 digits) only in the blocks that ever had short numbers.
 */
const ranges: readonly Range[] = [
  [1800, 1800, 15], // JCB, old
  [2131, 2131, 15], // JCB, old
  [2200, 2204, ...from16to19], // Mir
  [2221, 2720, 16], // Mastercard
  [3000, 3059, ...from14to19], // Diners Club
  [3095, 3095, ...from14to19],
  [3400, 3499, 15], // American Express
  [3528, 3589, ...from16to19], // JCB
  [3600, 3699, ...from14to19], // Diners Club
  [3700, 3799, 15], // American Express
  [3800, 3999, ...from14to19], // Diners Club
  [4000, 4999, 13, 16, 19], // Visa
  [5018, 5018, ...from12to19], // Maestro
  [5020, 5020, ...from12to19],
  [5038, 5038, ...from12to19],
  [5000, 5099, ...from16to19], // Maestro, Verve, Elo, Dankort
  [5100, 5599, 16], // Mastercard
  [5893, 5893, ...from12to19], // Maestro
  [5600, 5899, ...from16to19],
  [6011, 6011, ...from16to19], // Discover
  [6000, 6099, 16], // RuPay
  [6200, 6299, ...from16to19], // UnionPay
  [6304, 6304, ...from12to19], // Maestro
  [6300, 6399, ...from16to19], // Maestro, InstaPayment, Elo
  [6440, 6599, ...from16to19], // Discover, RuPay, Troy
  [6759, 6759, ...from12to19], // Maestro
  [6761, 6763, ...from12to19],
  [6700, 6799, ...from16to19],
  [8100, 8171, ...from16to19], // UnionPay
  [9792, 9792, 16], // Troy
];

/** For each four-digit prefix, a bit for every length that an issuer uses with it. */
const lengthsByPrefix = new Uint32Array(10_000);
for (const [from, to, ...lengths] of ranges) {
  for (let prefix = from; prefix <= to; prefix++) {
    for (const length of lengths) lengthsByPrefix[prefix]! |= 1 << length;
  }
}

/** Which lengths an issuer uses with the four digits at `at`: bit n stands for n digits. */
function lengthsAt(digits: ArrayLike<number>, at: number): number {
  const prefix = digits[at]! * 1_000 + digits[at + 1]! * 100 + digits[at + 2]! * 10 + digits[at + 3]!;
  return lengthsByPrefix[prefix]!;
}

function passesLuhn(digits: ArrayLike<number>, at: number, length: number): boolean {
  let sum = 0;
  for (let i = 0; i < length; i++) {
    const digit = digits[at + length - 1 - i]!;
    sum += i % 2 === 0 ? digit : digit > 4 ? digit * 2 - 9 : digit * 2;
  }
  return sum % 10 === 0;
}

/** Whether 12 to 19 ASCII digits and nothing else are a card number. */
export function isCardNumber(text: string): boolean {
  const { length } = text;
  if (length < SHORTEST || length > LONGEST) return false;
  const digits = Array.from(text, Number);
  return (lengthsAt(digits, 0) & (1 << length)) !== 0 && passesLuhn(digits, 0, length);
}

const decimalDigit = /^\p{Nd}$/u;
const otherNumber = /^\p{No}$/u;
/** Unicode has some 700 decimal digits; the map holds no more. */
const foreignDigits = new Map<number, number>();
/** Spaces, dashes, connectors, invisible format characters, combining marks, and dots by name. */
const otherSeparator =
  /^[\p{Z}\p{Pd}\p{Pc}\p{Cf}\p{M}\u00b7\u2022\u2024\u2027\u2044\u2212\u30fb\uff0e\uff0f]$/u;

/**
 * The digit that a character outside ASCII counts as: 0 to 9, or -1. Decimal digits of every script come in
 * ascending tens (Unicode, chapter 4.6); superscripts and circled digits by compatibility (NFKC).
 */
function foreignDigit(codePoint: number): number {
  const known = foreignDigits.get(codePoint);
  if (known !== undefined) return known;
  const character = String.fromCodePoint(codePoint);
  if (decimalDigit.test(character)) {
    let first = codePoint;
    while (decimalDigit.test(String.fromCodePoint(first - 1))) first--;
    const digit = (codePoint - first) % 10;
    foreignDigits.set(codePoint, digit);
    return digit;
  }
  if (!otherNumber.test(character)) return -1;
  const plain = character.normalize('NFKC');
  return plain.length === 1 && plain >= '0' && plain <= '9' ? Number(plain) : -1;
}

const SEPARATOR = -1;
const OTHER = -2;
const ascii = Int8Array.from({ length: 128 }, (_, code) =>
  code >= 48 && code <= 57
    ? code - 48
    : code <= 32 || '()*+,-./:;|#~_'.includes(String.fromCharCode(code))
      ? SEPARATOR
      : OTHER,
);

/** 0 to 9 for a digit, or what stands between digits: SEPARATOR, or OTHER, which ends a run of them. */
function meaningOf(codePoint: number): number {
  if (codePoint < 0x80) return ascii[codePoint]!;
  const digit = foreignDigit(codePoint);
  if (digit >= 0) return digit;
  return otherSeparator.test(String.fromCodePoint(codePoint)) ? SEPARATOR : OTHER;
}

/** `\n`, `\t`, `\r` as JSON writes them: one separator of two characters. */
function isEscapedSpace(text: string, at: number): boolean {
  if (text.charCodeAt(at) !== 92) return false;
  const next = text.charCodeAt(at + 1);
  return next === 110 || next === 114 || next === 116;
}

/** Cheap and never wrong when it says no: fewer than twelve digits and nothing outside ASCII. */
export function mayHoldCardNumber(text: string): boolean {
  let digits = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code > 0x7f) return true;
    if (code >= 48 && code <= 57) digits++;
  }
  return digits >= SHORTEST;
}

const DATE = '(?:19|20)[0-9]{2}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])';
const TIME = '(?:[01][0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9](?:[.,][0-9]{1,9})?)?';

/**
 * Words that hold digits by nature and are let through as a whole, never as a part of a longer word: UUIDs
 * (RFC 9562), digests in hex of 32 characters or more with at least four letters, dates and times of day. So are IBANs.
 * Adyen's references need no exemption: one in millions has twelve digits in a row.
 */
const identifier = new RegExp(
  `(?<![0-9A-Za-z])(?:(?:${[
    '[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}',
    '[0-9A-F]{8}-[0-9A-F]{4}-[1-8][0-9A-F]{3}-[89AB][0-9A-F]{3}-[0-9A-F]{12}',
    '(?=(?:[0-9]*[a-f]){4})[0-9a-f]{32,128}',
    '(?=(?:[0-9]*[A-F]){4})[0-9A-F]{32,128}',
  ].join('|')})(?![0-9A-Za-z])` +
    `|(?<!-)${DATE}(?:[T ]${TIME})?(?:Z|[+-][0-2][0-9]:?[0-5][0-9])?(?![0-9A-Za-z-])` +
    `|(?<!:)${TIME}(?![0-9A-Za-z:]))`,
  'g',
);

/**
 * ISO 13616. Those of some countries are as long as a card number, and begin like one; they count when their own check
 * digits are right, and never as a part of a longer word.
 */
const iban = /(?<![0-9A-Za-z])[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}(?![0-9A-Za-z])/g;

function hasCheckDigitsOfIban(text: string): boolean {
  let rest = 0;
  for (const sign of text.slice(4) + text.slice(0, 4)) {
    const value = Number.parseInt(sign, 36);
    rest = (rest * (value > 9 ? 100 : 10) + value) % 97;
  }
  return rest === 1;
}

/** More digits of a run are not looked at together: memory for all of a long text costs more than its digits. */
const MAX_RUN = 1_024;

/** Consecutive digits: their position in the text, and among the digits of their run. */
interface Group extends TextSpan {
  readonly from: number;
  readonly to: number;
}

interface Run {
  readonly groups: readonly Group[];
  readonly digits: readonly number[];
  /** Whether more of its groups follow. */
  readonly goesOn: boolean;
}

/** Reads a text once, from its beginning to its end, and yields each card number as it is passed. */
class Search {
  private at = 0;
  private identifiers: readonly TextSpan[] | null = null;
  /** The first of the identifiers that does not lie before all that is still to come. */
  private nextIdentifier = 0;

  constructor(private readonly text: string) {}

  *all(): Generator<TextSpan> {
    while (this.at < this.text.length) yield* this.cardsIn(this.nextRun());
  }

  /** Groups of digits from here to what ends their run. No generator, because engines compile its loops worse. */
  private nextRun(): Run {
    const { text } = this;
    const groups: Group[] = [];
    const digits: number[] = [];
    let separators = 0;
    while (this.at < text.length && digits.length < MAX_RUN) {
      const code = text.codePointAt(this.at)!;
      const escaped = isEscapedSpace(text, this.at);
      const meaning = escaped ? SEPARATOR : meaningOf(code);
      if (meaning >= 0) {
        groups.push(this.nextGroup(digits));
        separators = 0;
        continue;
      }
      this.at += escaped || code > 0xffff ? 2 : 1;
      if (meaning === SEPARATOR && ++separators <= MAX_SEPARATORS) continue;
      if (digits.length > 0) return { groups, digits, goesOn: false };
      separators = 0;
    }
    return { groups, digits, goesOn: this.at < text.length };
  }

  /** Adds its digits to those of its run: of one that is too long for a card one too many, and no more. */
  private nextGroup(digits: number[]): Group {
    const { text, at: start } = this;
    const from = digits.length;
    while (this.at < text.length) {
      const code = text.codePointAt(this.at)!;
      const meaning = meaningOf(code);
      if (meaning < 0) break;
      if (digits.length - from <= LONGEST) digits.push(meaning);
      this.at += code > 0xffff ? 2 : 1;
    }
    return { start, end: this.at, from, to: digits.length };
  }

  /**
   * Looks at neighbouring groups of the run joined. Only whole groups count: in
   * `4242 4242 4242 4242 123` the card is found and in a run of 20 digits there is none.
   */
  private *cardsIn({ groups, digits, goesOn }: Run): Generator<TextSpan> {
    for (let first = 0; first < groups.length; first++) {
      const { start, from } = groups[first]!;
      const left = digits.length - from;
      if (goesOn && left <= LONGEST) {
        this.at = start;
        return;
      }
      if (left < SHORTEST) return;
      const last = this.endOfCard(groups, digits, first);
      if (last < 0) continue;
      yield { start, end: groups[last]!.end };
      first = last;
    }
  }

  /** The index of the last group of a card number that begins with group `first`; -1 where none does. */
  private endOfCard(groups: readonly Group[], digits: readonly number[], first: number): number {
    const { start, from } = groups[first]!;
    const lengths = lengthsAt(digits, from);
    if (lengths === 0) return -1;
    for (let last = first; last < groups.length; last++) {
      const length = groups[last]!.to - from;
      if (length > LONGEST) return -1;
      if ((lengths & (1 << length)) === 0 || !passesLuhn(digits, from, length)) continue;
      const span = { start, end: groups[last]!.end };
      if (!this.isPhone(start, digits, from, length) && !this.touchesIdentifier(span)) return last;
    }
    return -1;
  }

  /**
   * `+49151...`: of the countries whose codes are the beginning of a card's number, only Austria, Sweden and
   * Germany have telephone numbers that are as long, which is as long as a Visa of thirteen digits.
   */
  private isPhone(start: number, digits: readonly number[], from: number, length: number): boolean {
    if (length !== 13 || this.text.charCodeAt(start - 1) !== 43) return false;
    return digits[from] === 4 && [3, 6, 9].includes(digits[from + 1]!);
  }

  private touchesIdentifier({ start, end }: TextSpan): boolean {
    this.identifiers ??= [
      ...this.text.matchAll(identifier),
      ...[...this.text.matchAll(iban)].filter(([text]) => hasCheckDigitsOfIban(text)),
    ]
      .map((match) => ({ start: match.index, end: match.index + match[0].length }))
      .toSorted((a, b) => a.start - b.start);
    const { identifiers } = this;
    while ((identifiers[this.nextIdentifier]?.end ?? Infinity) <= start) this.nextIdentifier++;
    return (identifiers[this.nextIdentifier]?.start ?? Infinity) < end;
  }
}

/** The place of the first card number, or null. */
export function findCardNumber(text: string): TextSpan | null {
  if (!mayHoldCardNumber(text)) return null;
  for (const found of new Search(text).all()) return found;
  return null;
}

/**
 * The text with `mark` in the place of every card number. Its last four digits are not kept: with the
 * digits that follow they can look like a card number again.
 */
export function maskCardNumbers(text: string, mark: string): string {
  if (!mayHoldCardNumber(text)) return text;
  let masked = '';
  let from = 0;
  for (const { start, end } of new Search(text).all()) {
    masked += text.slice(from, start) + mark;
    from = end;
  }
  return masked + text.slice(from);
}
