import { Injectable } from '@nestjs/common';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants } from 'node:zlib';

interface ConsoleFile {
  readonly contentType: string;
  readonly body: Buffer;
  /** Its name says what is in it, so that it never changes. */
  readonly isImmutable: boolean;
}

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

const compress = promisify(brotliCompress);
/** A fifth larger than the best takes a tenth of the time. */
const QUALITY = { params: { [constants.BROTLI_PARAM_QUALITY]: 8 } };

/** The built pages of console/, read at the first request that wants one of them. */
@Injectable()
export class ConsoleSite {
  private files: Promise<ReadonlyMap<string, ConsoleFile>> | undefined;
  private readonly compressed = new Map<ConsoleFile, Promise<Buffer>>();

  /** The file at a path below /ops; every path without an extension is the one page, which reads it itself. */
  async at(path: string): Promise<ConsoleFile | undefined> {
    this.files ??= filesIn(folderOfConsole());
    return (await this.files).get(extname(path) === '' ? 'index.html' : path);
  }

  /** Its body by Brotli, made once. */
  brotli(file: ConsoleFile): Promise<Buffer> {
    const made = this.compressed.get(file) ?? compress(file.body, QUALITY);
    this.compressed.set(file, made);
    return made;
  }
}

async function filesIn(folder: string | null): Promise<ReadonlyMap<string, ConsoleFile>> {
  if (folder === null) return new Map();
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const names = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
  const read = names.map(async (name): Promise<[string, ConsoleFile][]> => {
    const contentType = types[extname(name)];
    if (contentType === undefined) return [];
    const body = await readFile(join(folder, name));
    return [[name, { contentType, body, isImmutable: name.startsWith('assets/') }]];
  });
  return new Map((await Promise.all(read)).flat());
}

/** null where it was not built. */
function folderOfConsole(): string | null {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'dist/console/index.html'))) {
    const parent = dirname(folder);
    if (parent === folder) return null;
    folder = parent;
  }
  return join(folder, 'dist/console');
}
