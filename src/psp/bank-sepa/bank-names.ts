import { createHash } from 'node:crypto';

/** RFC 4648 without 0, 1, 8 and 9: no digits enough in a row to be taken for a card number. */
const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/**
 * The EndToEndId of an operation: 34 characters that every bank accepts, derived from the entity key alone, so that an
 * operation keeps its name through crashes and lost commits.
 */
export function endToEndIdOf(entityKey: string): string {
  return `PO-${digest(`payonce end-to-end ${entityKey}`, 31)}`;
}

/**
 * The MsgId of a batch, and the name of its file: at most 30 characters. Made of what is in it as well as of its number,
 * so that after lost commits no other batch has the name of one that was sent.
 */
export function messageIdOf(psp: string, number: number, endToEndIds: readonly string[]): string {
  return `PO-${digest(`payonce batch ${psp} ${number} ${endToEndIds.join(' ')}`, 16)}-${number}`;
}

function digest(text: string, length: number): string {
  return Array.from(createHash('sha256').update(text).digest(), (byte) => BASE32[byte & 31])
    .join('')
    .slice(0, length);
}

/** True if the name has our format. Only the table proves that it is ours. */
export function isOwnEndToEndId(text: string): boolean {
  return /^PO-[A-Z2-7]{31}$/.test(text);
}

/** Whether it has the form of a MsgId of ours, or of the name of one of its payment blocks (`<MsgId>-FRST`). */
export function isOwnMessageId(text: string): boolean {
  return /^PO-[A-Z2-7]{16}-\d{1,15}(?:-[A-Z]{4})?$/.test(text);
}
