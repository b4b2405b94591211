/** Formats that a pattern alone cannot describe. Each check takes time in proportion to the text. */

/** One @ and something on both sides, no white space. */
const EMAIL = /^[^\s@"(),:;<>[\\\]\p{Cc}]+@([^\s@"(),:;<>[\\\]\p{Cc}]+)$/u;
/** RFC 3339, section 5.6, without leap seconds, which JavaScript's dates do not have. */
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?(Z|[+-]\d{2}:\d{2})$/;

/** With a dot inside the domain. Mail servers know the rest. */
export function isEmail(text: string): boolean {
  const domain = EMAIL.exec(text)?.[1] ?? '';
  const dot = domain.indexOf('.', 1);
  return dot > 0 && dot < domain.length - 1;
}

export function isHttpUrl(text: string): boolean {
  if (!/^https?:\/\/[^\s\p{Cc}]+$/iu.test(text) || !URL.canParse(text)) return false;
  const { username, password } = new URL(text);
  return username === '' && password === '';
}

/** Whether it is a time that exists: `2026-02-30T00:00:00Z` parses, and to another day. */
export function isTime(text: string): boolean {
  if (!TIME.test(text) || Number.isNaN(Date.parse(text))) return false;
  const [year, month, day] = text.slice(0, 10).split('-').map(Number) as [number, number, number];
  return new Date(Date.UTC(year, month - 1, day)).getUTCDate() === day;
}

/** ISO 3166-1 alpha-2, officially assigned codes (249, as of 2025). */
const assigned =
  'AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW ' +
  'BY BZ CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI ' +
  'FJ FK FM FO FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN ' +
  'IO IQ IR IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME ' +
  'MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF ' +
  'PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV ' +
  'SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS YE ' +
  'YT ZA ZM ZW';

const countries = new Set(assigned.split(' '));

export function isCountry(code: string): boolean {
  return countries.has(code);
}
