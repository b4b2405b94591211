import { maskCardNumbers } from './card-number.js';

/**
 * The last filter in front of the log. Nothing secret should ever get this far; a line is scrubbed
 * all the same, whoever wrote it, because a stack trace can quote anything.
 */

/** API keys of ours and of PSPs, PSP tokens, webhook secrets, credentials in headers. */
const secret =
  /\b(po_live|po_test|sk|rk|pk|pm|tok|whsec)_[A-Za-z0-9_]{3,}|\b(Bearer|Basic) +[A-Za-z0-9\-._~+/]{6,}=*/g;

export function scrub(line: string): string {
  const masked = line.replaceAll(secret, (_all, token?: string, scheme?: string) =>
    token === undefined ? `${scheme} ***` : `${token}_***`,
  );
  return maskCardNumbers(masked);
}
