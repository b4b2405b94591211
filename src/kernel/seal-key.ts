import { randomBytes } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Config } from './config.js';

/**
 * The key of the Seal: the configured one, else one that is made once and kept in the data
 * directory. Processes on several machines over one database need the configured one.
 */
export function sealKeyOf({ sealKey, dataDir }: Pick<Config, 'sealKey' | 'dataDir'>): Uint8Array {
  if (sealKey) return sealKey;
  const file = join(dataDir, 'seal.key');
  try {
    return decode(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  mkdirSync(dataDir, { recursive: true });
  // Written beside and linked: the file is there whole or not at all, and the first one wins.
  const made = `${file}.${randomBytes(6).toString('hex')}`;
  writeFileSync(made, `${randomBytes(32).toString('base64')}\n`, { mode: 0o600, flush: true });
  try {
    linkSync(made, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(made);
  }
  return decode(file);
}

function decode(file: string): Uint8Array {
  const key = Buffer.from(readFileSync(file, 'utf8').trim(), 'base64');
  if (key.length !== 32) {
    throw new Error(`${file} does not hold 32 bytes in base64; what was sealed with it needs the original`);
  }
  return key;
}
