import { type DataSource, type EntityManager } from 'typeorm';
import { NO_MERCHANT } from '../core/ids.js';
import { type Money } from '../core/money.js';
import { Problem } from '../core/problem.js';
import { redact } from '../core/redact.js';
import { recordAct } from '../database/record-act.js';
import { type LedgerAccount } from '../core/ledger-accounts.js';

/** An amount that is moved from one account to another, because what was posted is not what happened. */
export interface Correction {
  /** Names it: a correction of the same name is posted once. 1 to 100 letters, digits, `.`, `_` or `-`. */
  readonly name: string;
  /** Null: of no merchant. */
  readonly merchantId: string | null;
  readonly psp: string;
  readonly debit: LedgerAccount;
  readonly credit: LedgerAccount;
  /** Above zero. */
  readonly money: Money;
  /** The day (UTC) that it is of, `2026-11-30`, not after today; null: now. */
  readonly day: string | null;
  /** 1 to 500 characters; no secrets, no customer data. */
  readonly note: string;
}

interface CorrectionActor {
  readonly actor: string;
  readonly auditId: string;
}

const MAX_NOTE_LENGTH = 500;

const POSTED = `
SELECT d.amount, d.currency, d.psp, d.account AS debit, e.account AS credit
  FROM ledger_lines d JOIN ledger_lines e USING (merchant_id, source)
 WHERE d.merchant_id = $1 AND d.source = $2 AND d.line = 1 AND e.line = 2`;

/** Whether it is posted already. @throws Problem `validation_failed`; `invalid_state` where another correction has this name */
export async function checkCorrection(
  sql: Pick<EntityManager, 'query'>,
  { name, merchantId, psp, debit, credit, money, day, note }: Correction,
): Promise<boolean> {
  if (!/^[A-Za-z0-9._-]{1,100}$/.test(name)) {
    throw new Problem('validation_failed', 'The name must be 1 to 100 letters, digits, ".", "_" or "-".');
  }
  if (note.trim() === '' || note.length > MAX_NOTE_LENGTH || /\0|\p{Surrogate}/u.test(note)) {
    throw new Problem('validation_failed', `The note must be 1 to ${MAX_NOTE_LENGTH} characters of text.`);
  }
  if (debit === credit || !Number.isSafeInteger(money.amount) || money.amount <= 0) {
    throw new Problem('validation_failed', 'A correction moves an amount above zero between two accounts.');
  }
  if (
    day !== null &&
    (await sql.query<object[]>(`SELECT WHERE $1::date > (now() AT TIME ZONE 'UTC')::date`, [day])).length > 0
  ) {
    throw new Problem('validation_failed', 'A correction is of a day that has begun.');
  }
  const known = await sql.query<object[]>('SELECT FROM ledger_days WHERE psp = $1 LIMIT 1', [psp]);
  if (known.length === 0) {
    throw new Problem('validation_failed', `No entry of the ledger names the PSP account ${psp}.`);
  }
  const [before] = await sql.query<object[]>(POSTED, [merchantId ?? NO_MERCHANT, sourceOf(name)]);
  const { amount, currency } = money;
  const isOther =
    before && JSON.stringify({ amount, currency, psp, debit, credit }) !== JSON.stringify(before);
  if (isOther) throw new Problem('invalid_state', `Another correction is called ${name}.`);
  return before !== undefined;
}

const sourceOf = (name: string) => `correction-${name}`;

/**
 * Posts a correction and records who did it, in one commit. Nothing that is posted changes.
 * @returns its source, and whether it is new
 * @throws Problem as `checkCorrection`
 */
export async function postCorrection(
  data: DataSource,
  correction: Correction,
  { actor, auditId }: CorrectionActor,
): Promise<{ readonly source: string; readonly isNew: boolean }> {
  const { name, merchantId, psp, debit, credit, money, day, note } = correction;
  const merchant = merchantId ?? NO_MERCHANT;
  const source = sourceOf(name);
  return data.transaction(async (tx) => {
    await checkCorrection(tx, correction);
    const [posted] = await tx.query<{ at: Date }[]>(
      `INSERT INTO ledger_transactions (merchant_id, source, kind, psp, occurred_at, debit, credit, currency, amount)
       VALUES ($1, $2, 'correction', $3, coalesce(least(($8::date + interval '12 hours') AT TIME ZONE 'UTC', now()), now()), $4, $5, $6, $7) ON CONFLICT DO NOTHING RETURNING posted_at AS at`,
      [merchant, source, psp, debit, credit, money.currency, money.amount, day],
    );
    if (!posted) {
      // Another one may have taken the name since.
      await checkCorrection(tx, correction);
      return { source, isNew: false };
    }
    await recordAct(tx, {
      merchantId: merchant,
      id: auditId,
      at: posted.at,
      actor,
      action: 'ledger.corrected',
      subject: `ledger:${source}`,
      detail: { psp, debit, credit, ...money, ...(day === null ? {} : { day }), note: redact(note.trim()) },
    });
    return { source, isNew: true };
  });
}
