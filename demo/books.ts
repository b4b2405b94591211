/**
 * The PSPs' ledgers held against our own books. Pure. The ledgers are what really happened; the
 * books are what Payonce would tell a merchant.
 */

/** One entry of a PSP's ledger: money that moved, was reserved or was released. */
export interface LedgerEffect {
  readonly psp: string;
  readonly operation: string;
  readonly psp_reference: string;
  /** Our name for the payment or operation, where we sent one along. */
  readonly reference: string | null;
  /** Minor units. */
  readonly amount: number;
  readonly currency: string;
}

/** One operation as our books have it. */
export interface BookEntry {
  readonly paymentId: string;
  /** The shop's own name for the payment. */
  readonly order: string;
  readonly operation: string;
  /** Routes that took effect. */
  readonly effects: number;
  /** Whether it is not known yet what became of it. */
  readonly open: boolean;
  /** The PSP that did it; null where none did. */
  readonly psp: string | null;
  /** Minor units; of the effect, where there is one. */
  readonly amount: number;
  readonly currency: string;
}

export interface Row {
  readonly order: string;
  readonly operation: string;
  readonly psp: string | null;
  readonly currency: string;
  readonly ledger: { readonly effects: number; readonly amount: number };
  readonly books: { readonly effects: number; readonly amount: number };
  /** null: they agree. */
  readonly complaint: string | null;
}

export interface Comparison {
  readonly rows: readonly Row[];
  /** Operations that the ledgers hold more than once. Must be 0. */
  readonly doubled: number;
  /** Empty when every operation has at most one effect and the books agree with the ledgers. */
  readonly complaints: readonly string[];
}

/** What the API shows of a payment, as entries. */
export function entriesOf(
  payment: {
    readonly id: string;
    readonly reference: string;
    readonly amount: number;
    readonly amount_captured: number;
    readonly amount_refunded: number;
    readonly currency: string;
  },
  attempts: readonly {
    readonly entity_key: string;
    readonly route: number;
    readonly psp: string;
    readonly verdict: string;
  }[],
): BookEntry[] {
  const { id, reference, currency } = payment;
  return [...new Set(attempts.map(({ entity_key }) => entity_key))].map((key) => {
    const own = attempts.filter(({ entity_key }) => entity_key === key);
    const effective = own.filter(({ verdict }) => verdict === 'effective');
    const operation = key.slice(`payment-${id}-`.length);
    return {
      paymentId: id,
      order: reference,
      operation,
      effects: new Set(effective.map(({ route }) => route)).size,
      open: own.some(({ verdict }) => verdict === 'open'),
      psp: effective[0]?.psp ?? null,
      amount: amountOf(payment, operation),
      currency,
    };
  });
}

/** How much an operation moved, where there is one of its kind. */
function amountOf(
  payment: { readonly amount: number; readonly amount_captured: number; readonly amount_refunded: number },
  operation: string,
): number {
  if (operation === 'capture') return payment.amount_captured;
  return operation === 'refund' ? payment.amount_refunded : payment.amount;
}

/** Every operation that the books or a ledger knows of, in the order of the books. */
export function compare(ledger: readonly LedgerEffect[], books: readonly BookEntry[]): Comparison {
  const rows = books.map((entry) =>
    rowOf(
      entry,
      ledger.filter((effect) => nameOf(effect) === nameOfEntry(entry)),
    ),
  );
  const known = new Set<string | null>(books.map(nameOfEntry));
  const unknown = ledger.filter((effect) => !known.has(nameOf(effect)));
  const strayName = (effect: LedgerEffect) => nameOf(effect) ?? effect.psp_reference;
  const strays = [...new Set(unknown.map(strayName))].map((name) =>
    strayOf(unknown.filter((effect) => strayName(effect) === name)),
  );
  const all = [...rows, ...strays];
  return {
    rows: all,
    doubled: all.filter((row) => row.ledger.effects > 1).length,
    complaints: all.map(({ complaint }) => complaint).filter((complaint) => complaint !== null),
  };
}

/**
 * A PSP knows a capture or a void by the payment it belongs to, so the name is made of the payment
 * and of what was done to it.
 */
function nameOf({ reference, operation }: LedgerEffect): string | null {
  const paymentId = /^payment-([0-9a-f-]{36})-/.exec(reference ?? '')?.[1];
  return paymentId === undefined ? null : `${paymentId} ${operation}`;
}

function nameOfEntry({ paymentId, operation }: BookEntry): string {
  return `${paymentId} ${operation}`;
}

function rowOf(entry: BookEntry, effects: readonly LedgerEffect[]): Row {
  const { order, operation, psp, currency } = entry;
  return {
    order,
    operation,
    psp: effects[0]?.psp ?? psp,
    currency,
    ledger: { effects: effects.length, amount: total(effects) },
    books: { effects: entry.effects, amount: entry.effects > 0 ? entry.amount : 0 },
    complaint: complaintOf(entry, effects),
  };
}

function complaintOf(entry: BookEntry, effects: readonly LedgerEffect[]): string | null {
  const what = `${entry.order}, ${entry.operation}`;
  const [effect] = effects;
  if (effects.length > 1) {
    return `${what}: done ${effects.length} times (${effects.map(described).join('; ')}).`;
  }
  if (entry.effects > 1) return `${what}: our books hold it as done ${entry.effects} times.`;
  if (entry.open) return `${what}: our books do not know yet what became of it.`;
  if (effect && entry.effects === 0)
    return `${what}: ${described(effect)}, and our books say nothing happened.`;
  if (!effect && entry.effects > 0)
    return `${what}: our books say ${entry.psp} did it, and no ledger has it.`;
  if (!effect) return null;
  const same =
    effect.psp === entry.psp && effect.amount === entry.amount && effect.currency === entry.currency;
  if (same) return null;
  return `${what}: ${described(effect)}, and our books say ${entry.psp}, ${money(entry.amount, entry.currency)}.`;
}

/** Money that moved at a PSP for an operation that the books have never heard of. */
function strayOf(effects: readonly LedgerEffect[]): Row {
  const { psp = '', operation = '', currency = '' } = effects[0] ?? {};
  return {
    order: 'unknown',
    operation,
    psp,
    currency,
    ledger: { effects: effects.length, amount: total(effects) },
    books: { effects: 0, amount: 0 },
    complaint: `Our books know nothing of this: ${effects.map(described).join('; ')}.`,
  };
}

function described({ psp, operation, amount, currency, psp_reference }: LedgerEffect): string {
  return `${psp} has ${operation} ${money(amount, currency)}, ${psp_reference}`;
}

function total(effects: readonly { readonly amount: number }[]): number {
  return effects.reduce((sum, { amount }) => sum + amount, 0);
}

export interface Total {
  readonly psp: string;
  readonly currency: string;
  readonly ledger: { readonly effects: number; readonly taken: number };
  readonly books: { readonly effects: number; readonly taken: number };
}

/** By PSP and currency: how often anything was done, and how much customers paid (charges and captures). */
export function totalsOf(ledger: readonly LedgerEffect[], books: readonly BookEntry[]): Total[] {
  const done = books.filter(({ effects }) => effects > 0);
  const places = [...ledger, ...done].map(({ psp, currency }) => `${psp} ${currency}`);
  return [...new Set(places)].toSorted().map((place) => {
    const [psp = '', currency = ''] = place.split(' ');
    const isHere = (one: { psp: string | null; currency: string }) =>
      one.psp === psp && one.currency === currency;
    const summed = (all: readonly { operation: string; amount: number }[]) => ({
      effects: all.length,
      taken: total(all.filter(takesMoney)),
    });
    return { psp, currency, ledger: summed(ledger.filter(isHere)), books: summed(done.filter(isHere)) };
  });
}

export function takesMoney({ operation }: { readonly operation: string }): boolean {
  return operation === 'charge' || operation === 'capture';
}

/** `49.90 EUR` from minor units. */
export function money(amount: number, currency: string): string {
  const digits =
    new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits ?? 2;
  return `${(amount / 10 ** digits).toFixed(digits)} ${currency}`;
}
