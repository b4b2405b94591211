import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder that goes when the specs end of the file, or of the `describe`, that asks for it outside of them. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'payonce-spec-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
