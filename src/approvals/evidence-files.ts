import { Injectable } from '@nestjs/common';
import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import { Pool } from 'pg';
import { findCardNumber } from '../core/card-number.js';
import { Ids } from '../core/ids.js';
import { Problem } from '../core/problem.js';
import { translateOutage } from '../database/store-unavailable.js';
import { auditSubjectOf } from '../request-storage/entity-key.js';
import { type FileView } from './approval-views.js';
import { ActionLog } from '../operators/action-log.js';
import { type SignedIn } from '../operators/operator-sessions.js';
import { textOfPdf } from './pdf-text.js';

const MAX_FILES = 20;
const NAME = /^[\p{L}\p{N}][\p{L}\p{N} ._()-]{0,99}$/u;

const signatures: readonly (readonly [contentType: string, bytes: Buffer])[] = [
  ['application/pdf', Buffer.from('%PDF-')],
  ['image/png', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])],
  ['image/jpeg', Buffer.from([0xff, 0xd8, 0xff])],
];
/** Bytes that no text written by people holds: control characters but tab, line feed and carriage return. */
const CONTROL = /(?![\t\n\r])\p{Cc}/u;

/** The type of a file by its bytes, and not by its name; null: none that is accepted. */
function contentTypeOf(content: Buffer): string | null {
  const found = signatures.find(([, bytes]) => content.subarray(0, bytes.length).equals(bytes));
  if (found) return found[0];
  return isUtf8(content) && !CONTROL.test(content.toString('utf8')) ? 'text/plain' : null;
}

/** The text in which card numbers are searched; null for a picture, which nothing reads. */
async function textOf(contentType: string, content: Buffer): Promise<string | null> {
  if (contentType === 'application/pdf') return textOfPdf(content);
  return contentType === 'text/plain' ? content.toString('utf8') : null;
}

interface NewFile {
  readonly merchantId: string;
  readonly entityKey: string;
  readonly name: string;
  readonly content: Buffer;
}

/** Files that operators attach to what they found out about an operation. */
@Injectable()
export class EvidenceFiles {
  constructor(
    private readonly pool: Pool,
    private readonly ids: Ids,
    private readonly acts: ActionLog,
  ) {}

  /** @throws Problem for what is no PDF, PNG, JPEG or text, for a name that is none, and for one too many */
  async add({ merchantId, entityKey, name, content }: NewFile, operator: SignedIn): Promise<FileView> {
    if (!NAME.test(name)) {
      throw new Problem(
        'validation_failed',
        'The name of a file takes letters, digits, spaces and . _ ( ) -',
      );
    }
    const contentType = contentTypeOf(content);
    if (contentType === null || content.length === 0) {
      throw new Problem('unsupported_media_type', 'A file is a PDF, a PNG, a JPEG or a text.');
    }
    const text = await textOf(contentType, content);
    if (text !== null && findCardNumber(text) !== null) {
      throw new Problem('card_number_refused', 'The file holds what looks like a card number.');
    }
    const id = this.ids.uuid();
    const sha256 = createHash('sha256').update(content).digest('hex');
    const added = await this.rows(
      `INSERT INTO evidence_files (merchant_id, id, entity_key, name, content_type, sha256, content, operator_id)
       SELECT $1, $2, $3, $4, $5, $6, $7, $8
        WHERE EXISTS (SELECT FROM psp_requests WHERE merchant_id = $1 AND entity_key = $3)
          AND (SELECT count(*) FROM evidence_files WHERE merchant_id = $1 AND entity_key = $3) < ${MAX_FILES}
       RETURNING id`,
      [merchantId, id, entityKey, name, contentType, sha256, content, operator.id],
    );
    if (added.length === 0) {
      throw new Problem(
        'invalid_state',
        `There is no operation of this name, or it has ${MAX_FILES} files already.`,
      );
    }
    const detail = { file: id, name, sha256, bytes: content.length };
    await this.acts.record(operator, merchantId, 'evidence.attached', auditSubjectOf(entityKey), detail);
    return (await this.list(merchantId, [entityKey])).find((file) => file.id === id)!;
  }

  /** The files of these operations, the oldest first. */
  list(merchantId: string, entityKeys: readonly string[]): Promise<FileView[]> {
    return this.rows<FileView>(
      `SELECT f.id, f.entity_key, f.name, f.content_type, f.sha256, length(f.content) AS bytes, f.at, o.name AS added_by
         FROM evidence_files f JOIN operators o ON o.id = f.operator_id
        WHERE f.merchant_id = $1 AND f.entity_key = ANY ($2) ORDER BY f.id`,
      [merchantId, entityKeys],
    );
  }

  /** The hash of a file of this operation. @throws Problem `not_found` */
  async hashOf(merchantId: string, entityKey: string, id: string): Promise<string> {
    const [file] = await this.rows<{ sha256: string }>(
      'SELECT sha256 FROM evidence_files WHERE merchant_id = $1 AND id = $2 AND entity_key = $3',
      [merchantId, id, entityKey],
    );
    if (!file) throw new Problem('not_found', 'There is no such file of this operation.');
    return file.sha256;
  }

  /** Who takes it is written down. @throws Problem `not_found` */
  async take(id: string, operator: SignedIn): Promise<{ readonly name: string; readonly content: Buffer }> {
    const [file] = await this.rows<{
      merchant_id: string;
      entity_key: string;
      name: string;
      content: Buffer;
    }>('SELECT merchant_id, entity_key, name, content FROM evidence_files WHERE id = $1', [id]);
    if (!file) throw new Problem('not_found', 'There is no such file.');
    const subject = auditSubjectOf(file.entity_key);
    await this.acts.record(operator, file.merchant_id, 'evidence.downloaded', subject, { file: id });
    return file;
  }

  private async rows<Row extends object>(sql: string, values: readonly unknown[]): Promise<Row[]> {
    return (await translateOutage(this.pool.query<Row>(sql, [...values]))).rows;
  }
}
