const SECONDS = /^\d+$/;
/** The three ways to write a date that RFC 9110, section 5.6.7, wants to be understood. */
const IMF_FIXDATE = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;
const RFC_850 = /^[A-Z][a-z]+day, \d{2}-[A-Z][a-z]{2}-\d{2} \d{2}:\d{2}:\d{2} GMT$/;
const ASCTIME = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) [A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2} \d{4}$/;

/**
 * What `Retry-After` (RFC 9110, section 10.2.3) asks for, in ms from now, 0 or more; null where it
 * says nothing that can be read. A date is measured from the `Date` of the same answer where there is
 * one, so that a clock that is wrong here changes nothing.
 */
export function retryAfterMs(header: string | null, dateHeader: string | null, now: Date): number | null {
  const text = header?.trim() ?? '';
  if (SECONDS.test(text)) return Math.min(Number(text) * 1_000, Number.MAX_SAFE_INTEGER);
  const at = httpDateMs(text);
  if (at === null) return null;
  return Math.max(0, at - (httpDateMs(dateHeader?.trim() ?? '') ?? now.getTime()));
}

function httpDateMs(text: string): number | null {
  const readable =
    IMF_FIXDATE.test(text) || RFC_850.test(text) ? text : ASCTIME.test(text) ? `${text} GMT` : '';
  const ms = Date.parse(readable);
  return Number.isNaN(ms) ? null : ms;
}
