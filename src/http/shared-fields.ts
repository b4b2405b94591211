import { isDay } from '../core/day.js';
import { isCurrency, MAX_AMOUNT } from '../core/money.js';
import { IsText, IsTextMap, IsWholeNumber, type TextRule } from './fields.js';
import { isTime } from './formats.js';

/** Fields that several requests have. Bounds without a source of their own are those of Stripe's API. */

interface FieldOptions {
  readonly optional?: boolean;
  readonly description?: string;
}

/**
 * A text that Postgres can store and a person can read: no control characters, line breaks included. Written out,
 * because generators of clients do not know `\p{Cc}`.
 */
export const LINE = String.raw`^[^\u0000-\u001f\u007f-\u009f]*$`;
export const UUID = '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$';
export const PRINTABLE = String.raw`^[\x20-\x7e]*$`;

/** Such as a reason or a note. */
export function IsLine(said: FieldOptions): PropertyDecorator {
  const message = 'must be 1 to 255 characters without control characters';
  return IsText({ minLength: 1, maxLength: 255, pattern: LINE, message, ...said });
}

export function IsReference(said: FieldOptions = {}): PropertyDecorator {
  return IsLine({ description: 'Your own name for it. Need not be unique.', ...said });
}

/** It becomes a part of a path, of which `.` and `..` would make another one. */
const ORDER_REFERENCE = LINE.replace('^', String.raw`^(?!\.{1,2}$)`);

/** Whether an order can have this reference; what Postgres cannot store is none. */
export function mayNameOrder(reference: string): boolean {
  return new RegExp(ORDER_REFERENCE).test(reference);
}

export function IsOrderReference(said: FieldOptions = {}): PropertyDecorator {
  return IsText({
    minLength: 1,
    maxLength: 255,
    pattern: ORDER_REFERENCE,
    description: 'Your name for the order, unique among your orders.',
    message: 'must be 1 to 255 characters without control characters, and neither . nor ..',
    ...said,
  });
}

/** A name within a payment. It becomes part of the entity key, which PSPs are shown. */
export function IsPartReference(): PropertyDecorator {
  return IsText({
    maxLength: 64,
    pattern: '^[A-Za-z0-9][A-Za-z0-9._:-]{0,63}$',
    optional: true,
    description:
      'Names it among several of the payment. A request with the same reference, under whatever Idempotency-Key, is answered with the first and moves no money. Without a reference there is one.',
    message: 'must be 1 to 64 of A-Z a-z 0-9 . _ : - and begin with a letter or a digit',
  });
}

export function IsAmount(said: FieldOptions = {}): PropertyDecorator {
  return IsWholeNumber({
    minimum: 1,
    maximum: MAX_AMOUNT,
    description: 'In minor units of the currency: 1000 is 10.00 EUR, 1000 JPY or 1.000 KWD.',
    ...said,
  });
}

export function IsCurrencyCode(said: FieldOptions = {}): PropertyDecorator {
  return IsText({
    maxLength: 3,
    pattern: '^[A-Z]{3}$',
    format: 'currency',
    is: isCurrency,
    description: 'ISO 4217, in capitals.',
    message: 'must be an ISO 4217 code in capitals that payments can be made in',
    ...said,
  });
}

/** Names of PSP accounts. */
export const accountNames: TextRule = {
  maxLength: 64,
  pattern: '^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$',
  message: 'must be named like a PSP account: 1 to 64 of A-Z a-z 0-9 _ . -',
};

export function IsTokens(
  description: string,
  { optional = false, maxLength = 255 }: { readonly optional?: boolean; readonly maxLength?: number } = {},
): PropertyDecorator {
  return IsTextMap({
    minProperties: 1,
    maxProperties: 16,
    names: accountNames,
    values: {
      minLength: 1,
      maxLength,
      pattern: PRINTABLE,
      message: `must be 1 to ${maxLength} printable ASCII characters`,
    },
    optional,
    description,
  });
}

export function IsMetadata({
  maxProperties = 50,
  description = `Up to 50 pairs of your own, given back as they were sent.`,
}: { readonly maxProperties?: number; readonly description?: string } = {}): PropertyDecorator {
  return IsTextMap({
    maxProperties,
    names: {
      minLength: 1,
      maxLength: 40,
      pattern: LINE,
      message: 'must have a name of 1 to 40 characters without control characters',
    },
    values: { maxLength: 500, message: 'must be a string of at most 500 characters' },
    optional: true,
    description,
  });
}

export function IsStatementDescriptor(said: FieldOptions = {}): PropertyDecorator {
  return IsText({
    minLength: 1,
    maxLength: 22,
    pattern: String.raw`^(?=.*[A-Za-z])[\x20-\x7e]*$`,
    format: 'statement-descriptor',
    is: (text) => !/[<>\\'"*]/.test(text),
    optional: true,
    description: `What the cardholder's statement shows. Latin letters, digits and signs but < > \\ ' " *, at least one letter.`,
    message: `must be 1 to 22 printable ASCII characters with a letter and none of < > \\ ' " *`,
    ...said,
  });
}

export function IsPspName(): PropertyDecorator {
  const message = 'must hold no control characters';
  const description = "A PSP account's name.";
  return IsText({ minLength: 1, maxLength: 64, pattern: LINE, optional: true, description, message });
}

/** A time in a body. */
export function IsTime(said: FieldOptions): PropertyDecorator {
  const message = 'must be an RFC 3339 time such as 2026-11-21T10:00:00Z';
  return IsText({ maxLength: 40, format: 'date-time', is: isTime, message, ...said });
}

/** A time in a query, where it is always optional. */
export function IsQueryTime(description: string): PropertyDecorator {
  const message = 'must be an RFC 3339 time such as 2026-11-21T10:00:00Z (in a query, + is written %2B)';
  return IsText({ maxLength: 40, format: 'date-time', is: isTime, optional: true, description, message });
}

export const IsDay = (said: FieldOptions): PropertyDecorator =>
  IsText({
    maxLength: 10,
    pattern: String.raw`^\d{4}-\d{2}-\d{2}$`,
    format: 'date',
    is: isDay,
    message: 'must be a day such as 2026-11-22',
    ...said,
  });
