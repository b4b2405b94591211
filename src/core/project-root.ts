import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of docs/ and proto/: beside src/ in a checkout, beside dist/ in a build. */
export function projectRoot(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'docs/README.md'))) {
    if (folder === dirname(folder)) throw new Error('the folder docs/ is not there');
    folder = dirname(folder);
  }
  return folder;
}
