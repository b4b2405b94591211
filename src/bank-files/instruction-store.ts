import { Inject, Injectable } from '@nestjs/common';
import { Pool } from 'pg';
import { Clock } from '../core/clock.js';
import { Encryption } from '../core/encryption.js';
import { Ids } from '../core/ids.js';
import { translateOutage } from '../database/store-unavailable.js';
import { type BankAccount } from '../psp/bank-sepa/bank-account.js';
import {
  BankInstructions,
  type NewInstruction,
  type StoredInstruction,
} from '../psp/bank-sepa/bank-instructions.js';

type Row = Omit<StoredInstruction, 'account'> & { readonly id: string; readonly sealed: Uint8Array | null };

const FIND = `SELECT id, psp, end_to_end_id AS "endToEndId", entity_key AS "entityKey", route, operation, kind,
                     amount, remittance, sealed, status, reason
                FROM bank_instructions`;

/** The context that an encrypted account is bound to. */
export function accountContext(id: string): string {
  return `bank-instruction/${id}`;
}

/** Instructions in Postgres. Two unique keys, by entity key and by EndToEndId, let each in once. */
@Injectable()
export class InstructionStore extends BankInstructions {
  constructor(
    @Inject(Pool) private readonly pool: Pick<Pool, 'query'>,
    private readonly seal: Encryption,
    private readonly clock: Clock,
    private readonly ids: Ids,
  ) {
    super();
  }

  async collect(instruction: NewInstruction): Promise<StoredInstruction> {
    const { psp, endToEndId, entityKey, route, operation, kind, amount, account, remittance } = instruction;
    const id = this.ids.uuid();
    const sealed = this.seal.encrypt(account, accountContext(id));
    await translateOutage(
      this.pool.query(
        `INSERT INTO bank_instructions
           (psp, end_to_end_id, id, entity_key, route, operation, kind, amount, remittance, sealed, collected_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) ON CONFLICT DO NOTHING`,
        [
          psp,
          endToEndId,
          id,
          entityKey,
          route,
          operation,
          kind,
          amount,
          remittance,
          sealed,
          this.clock.now(),
        ],
      ),
    );
    const stored = await this.read(`${FIND} WHERE psp = $1 AND entity_key = $2`, [psp, entityKey]);
    if (!stored) throw new Error(`the EndToEndId of ${entityKey} is that of another operation`);
    return stored;
  }

  find(psp: string, endToEndId: string): Promise<StoredInstruction | null> {
    return this.read(`${FIND} WHERE psp = $1 AND end_to_end_id = $2`, [psp, endToEndId]);
  }

  private async read(text: string, values: readonly unknown[]): Promise<StoredInstruction | null> {
    const { rows } = await translateOutage(this.pool.query<Row>(text, [...values]));
    const [row] = rows;
    if (!row) return null;
    const { id, sealed, amount, ...stored } = row;
    const account = sealed === null ? null : (this.seal.decrypt(sealed, accountContext(id)) as BankAccount);
    return { ...stored, amount, account };
  }
}
