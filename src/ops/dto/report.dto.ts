import { IsOneOf, IsText } from '../../http/fields.js';
import { LINE } from '../../http/shared-fields.js';

const account = { minLength: 1, maxLength: 64, pattern: LINE, message: 'must be the name of a PSP account' };

/** A report as a person brings it; the body is the file. */
export class UploadReportDto {
  @IsText(account)
  psp: string;

  @IsText({ minLength: 1, maxLength: 200, pattern: LINE, message: 'must be the name of the file' })
  name: string;

  /** `yes`: nothing of it is kept. */
  @IsOneOf(['yes', 'no'])
  trial: 'yes' | 'no';

  /** JSON: how to read the CSV of another PSP (docs/reconciliation.md). */
  @IsText({ minLength: 2, maxLength: 4_000, optional: true, message: 'must be the JSON of a mapping' })
  mapping?: string;
}

/** A report that was due. */
export class DueReportDto {
  @IsText(account)
  psp: string;

  @IsText({ minLength: 1, maxLength: 200, pattern: LINE, message: 'must be the id of a report that was due' })
  id: string;
}
