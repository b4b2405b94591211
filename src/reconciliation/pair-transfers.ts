/** A PSP's transfer to the bank, as its report says. Amounts are minor units; below zero the PSP collected. */
export interface Transfer {
  /** Unique among the transfers. */
  readonly key: string;
  readonly currency: string;
  readonly amount: number;
  readonly at: Date;
  /** The PSP's names of it, which the bank may repeat. */
  readonly names: readonly string[];
}

/** A booking on an account of ours that no operation here explains. */
export interface Booking {
  readonly key: string;
  readonly currency: string;
  readonly amount: number;
  readonly at: Date;
  /** The texts of the bank that may name the transfer. */
  readonly texts: readonly string[];
}

const DAY_MS = 24 * 3_600_000;
/** A bank books on a day, whose beginning may lie before the time of the transfer. */
const EARLIEST_MS = -DAY_MS;
/** Longer than any weekend with holidays around it. */
const LATEST_MS = 10 * DAY_MS;
/** Shorter names stand in other texts by chance. */
const SHORTEST_NAME = 6;

/**
 * The booking of each transfer, by the key of the transfer: one of the same amount and currency within ten days, by its
 * name where the bank repeats it, else the earliest that names no other transfer. A booking pays one transfer. The order of
 * the input does not matter.
 */
export function pairTransfers<One extends Booking>(
  transfers: readonly Transfer[],
  bookings: readonly One[],
): ReadonlyMap<string, One> {
  const free = new Map<string, One[]>();
  for (const booking of inTime(bookings)) {
    const alike = free.get(moneyOf(booking));
    if (alike) alike.push(booking);
    else free.set(moneyOf(booking), [booking]);
  }
  const pairs = new Map<string, One>();
  const pair = (transfer: Transfer, fits: (booking: One) => boolean) => {
    if (pairs.has(transfer.key)) return;
    const alike = free.get(moneyOf(transfer)) ?? [];
    const at = alike.findIndex((booking) => isInTime(transfer, booking) && fits(booking));
    if (at !== -1) pairs.set(transfer.key, alike.splice(at, 1)[0]!);
  };
  const inOrder = inTime(transfers);
  for (const transfer of inOrder) pair(transfer, (booking) => names(booking, transfer));
  const isNamed = (booking: One) => inOrder.some((transfer) => names(booking, transfer));
  const nameless = new Set([...free.values()].flat().filter((booking) => !isNamed(booking)));
  for (const transfer of inOrder) pair(transfer, (booking) => nameless.has(booking));
  return pairs;
}

function names({ texts }: Booking, { names: own }: Transfer): boolean {
  return own.some((name) => name.length >= SHORTEST_NAME && texts.some((text) => text.includes(name)));
}

function isInTime({ at }: Transfer, booking: Booking): boolean {
  const afterMs = booking.at.getTime() - at.getTime();
  return afterMs >= EARLIEST_MS && afterMs <= LATEST_MS;
}

const moneyOf = ({ currency, amount }: Pick<Booking, 'currency' | 'amount'>) => `${currency} ${amount}`;

function inTime<Each extends Pick<Booking, 'at' | 'key'>>(all: readonly Each[]): Each[] {
  return all.toSorted((a, b) => a.at.getTime() - b.at.getTime() || (a.key < b.key ? -1 : 1));
}
