import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { factsOf, jsonOf, MAX_ITEMS, refused, textOf } from '../notification-check.js';
import {
  type PspNotification,
  type NotificationReader,
  type NotificationReading,
  type NotificationRefusal,
} from '../notification.js';
import { anything, integer, list, matching, nullable, object, shape, text } from '../shape.js';
import { type AdyenItem, findingsOfItem } from './adyen.webhook-items.js';
import { reportOf } from './adyen.reports.js';
import { transferOf } from './adyen.transfers.js';

/**
 * Adyen's webhooks: the standard ones, batches of items that are each signed by themselves
 * (https://docs.adyen.com/development-resources/webhooks/secure-webhooks/verify-hmac-signatures), and those
 * of the balance platform, one transfer each and signed over the whole body.
 */
interface AdyenNoticeOptions {
  readonly merchantAccount: string;
  /** In hexadecimal; while a key is rotated the old one is valid beside the new one. */
  readonly hmacKeys: readonly string[];
  /** Payouts are taken from it; transfers of any other are refused. */
  readonly balanceAccount?: string | undefined;
  /** Webhooks of the balance platform have a key of their own. */
  readonly transferHmacKeys: readonly string[];
}

type Read = PspNotification | NotificationRefusal;

export class AdyenNotices implements NotificationReader {
  private readonly keys: readonly Buffer[];
  private readonly transferKeys: readonly Buffer[];

  constructor(private readonly options: AdyenNoticeOptions) {
    this.keys = options.hmacKeys.map(bytesOf);
    this.transferKeys = options.transferHmacKeys.map(bytesOf);
  }

  /** Adyen's signatures hold no time: `now` decides nothing here. */
  read(raw: Buffer, headers: Readonly<Record<string, string | undefined>>): NotificationReading {
    const text = textOf(raw);
    if (text === null) return refused('malformed');
    const signature = headers['hmacsignature'];
    if (signature !== undefined) return reading([this.transfer(raw, text, signature)]);
    const batch = jsonOf(text);
    if (!batchShape.fits(batch)) return refused('malformed');
    return reading(batch.notificationItems.map((wrapped) => this.item(wrapped)));
  }

  private item(wrapped: unknown): Read {
    if (!itemShape.fits(wrapped)) return 'malformed';
    const { NotificationRequestItem: item } = wrapped;
    const signature = item.additionalData?.['hmacSignature'];
    if (typeof signature !== 'string' || signature === '') return 'signature_missing';
    const signed = signedText(item);
    if (!isSigned(signed, signature, this.keys)) return 'signature_invalid';
    if (item.merchantAccountCode !== this.options.merchantAccount) return 'other_account';
    // With a colon in a field the same signature fits other fields too, so it proves none of them.
    const isProven = signed.split(':').length === SIGNED_FIELDS;
    const report = isProven ? reportOf(item) : null;
    return {
      // Duplicates share these three; a later correction differs in `success`.
      // https://docs.adyen.com/development-resources/webhooks/handle-webhook-events#duplicates
      eventId: `${item.eventCode}:${item.pspReference}:${String(item.success)}`,
      type: item.eventCode,
      occurredAt: timeOf(item.eventDate),
      facts: isProven ? factsOf(findingsOfItem(item), []) : [],
      ...(report === null ? {} : { report }),
    };
  }

  private transfer(raw: Buffer, text: string, signature: string): Read {
    if (signature === '') return 'signature_missing';
    if (!isSigned(raw, signature, this.transferKeys)) return 'signature_invalid';
    const event = jsonOf(text);
    if (!platformEventShape.fits(event)) return 'malformed';
    const { type, timestamp } = event;
    const occurredAt = timeOf(timestamp);
    if (!TRANSFERS.has(type)) {
      const digest = createHash('sha256').update(raw).digest('base64url').slice(0, DIGEST);
      return { eventId: `${type}:${digest}`, type, occurredAt, facts: [] };
    }
    const { data } = event;
    if (!transferShape.fits(data)) return 'malformed';
    if ((data.balanceAccount?.id ?? data.balanceAccountId) !== this.options.balanceAccount) {
      return 'other_account';
    }
    return {
      eventId: [type, data.id, data.status, data.sequenceNumber ?? ''].join(':'),
      type,
      occurredAt,
      facts: tellsOfPayout(data)
        ? factsOf(
            [
              {
                operation: 'payout',
                entityKey: data.reference,
                pspReference: data.id,
                answer: transferOf(data),
              },
            ],
            [],
          )
        : [],
    };
  }
}

/** @throws RangeError if it is not hexadecimal: it would be decoded to a key that anyone can guess */
function bytesOf(key: string): Buffer {
  const bytes = Buffer.from(key, 'hex');
  if (bytes.length < 16 || bytes.length * 2 !== key.length)
    throw new RangeError('an HMAC key is hexadecimal');
  return bytes;
}

function reading(items: readonly Read[]): NotificationReading {
  return {
    notices: items.filter((item) => typeof item !== 'string'),
    refused: items.filter((item) => typeof item === 'string'),
  };
}

/** HMAC-SHA256 in base64, compared in constant time. */
function isSigned(signed: Buffer | string, signature: string, keys: readonly Buffer[]): boolean {
  const given = Buffer.from(signature, 'utf8');
  return keys.some((key) => {
    const expected = Buffer.from(createHmac('sha256', key).update(signed).digest('base64'), 'utf8');
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
}

/**
 * The eight fields that a signature covers, in this order and with nothing escaped: a backslash or colon in
 * a reference stands as it is (so do Adyen's own libraries; the escaping that some describe belongs to
 * the payment pages of old). `reason`, `additionalData` and `eventDate` are not covered: they name and
 * explain, and decide nothing that the signed fields do not.
 */
function signedText(item: AdyenItem): string {
  return [
    item.pspReference,
    item.originalReference ?? '',
    item.merchantAccountCode,
    item.merchantReference ?? '',
    item.amount?.value ?? '',
    item.amount?.currency ?? '',
    item.eventCode,
    String(item.success),
  ].join(':');
}

const SIGNED_FIELDS = 8;

const LATEST_YEAR = 9_999;

function timeOf(written: unknown): Date | null {
  if (typeof written !== 'string' || written.length > 40) return null;
  const time = new Date(written);
  return time.getUTCFullYear() <= LATEST_YEAR ? time : null;
}

const word = nullable(text);

const batchShape = shape<{ readonly notificationItems: readonly unknown[] }>(
  object({ notificationItems: list(anything, { minItems: 1, maxItems: MAX_ITEMS }) }),
);

const itemShape = shape<{ readonly NotificationRequestItem: AdyenItem }>(
  object({
    NotificationRequestItem: object(
      {
        eventCode: matching('^[A-Z][A-Z0-9_]{0,59}$'),
        // A word, though some hand it on as a boolean.
        success: { enum: ['true', 'false', true, false] },
        pspReference: matching('^[\\w.-]{1,120}$'),
        merchantAccountCode: text,
      },
      {
        originalReference: word,
        merchantReference: word,
        amount: object(
          {},
          {
            // A string in some of Adyen's own examples; what it is signed over is the same text.
            value: { anyOf: [{ type: 'number' }, { type: 'string', maxLength: 20 }] },
            currency: text,
          },
        ),
        reason: word,
        eventDate: anything,
        additionalData: { type: 'object' },
      },
    ),
  }),
);

const DIGEST = 22;
const TRANSFERS: ReadonlySet<string> = new Set([
  'balancePlatform.transfer.created',
  'balancePlatform.transfer.updated',
]);

interface PlatformEvent {
  readonly type: string;
  readonly timestamp?: unknown;
  readonly data?: unknown;
}

const platformEventShape = shape<PlatformEvent>(
  object({ type: matching('^[A-Za-z][\\w.]{0,99}$') }, { timestamp: anything, data: anything }),
);

interface TransferData {
  readonly id: string;
  readonly status: string;
  /** Counts the changes of one transfer. */
  readonly sequenceNumber?: number;
  readonly category?: string;
  readonly direction?: string;
  readonly reference?: string | null;
  readonly reason?: string | null;
  readonly amount: { readonly value: number; readonly currency: string };
  readonly balanceAccount?: { readonly id: string };
  readonly balanceAccountId?: string;
}

const transferShape = shape<TransferData>(
  object(
    {
      id: matching('^[\\w-]{1,60}$'),
      status: matching('^[A-Za-z]{1,40}$'),
      amount: object({ value: integer, currency: text }),
    },
    {
      sequenceNumber: { type: 'integer', minimum: 0 },
      category: text,
      direction: text,
      reference: word,
      reason: word,
      balanceAccount: object({ id: text }),
      balanceAccountId: text,
    },
  ),
);

/**
 * Our requests send money to a bank account; the same webhooks tell of everything else that moves. That a
 * request was received is sent for transfers that are refused a moment later, too: it proves nothing yet.
 */
function tellsOfPayout({ category, direction, status }: TransferData): boolean {
  return category === 'bank' && direction === 'outgoing' && status !== 'received';
}
