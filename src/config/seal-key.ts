import { randomBytes } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Config, ConfigError } from './config.js';

/**
 * The key of the Seal: the configured one, else one that is made once and kept in the data
 * directory beside the embedded database. A database elsewhere is used by several machines or outlives
 * one of them, so that its key must be given.
 * @throws ConfigError
 */
export function sealKeyOf({
  sealKey,
  databaseUrl,
  dataDir,
}: Pick<Config, 'sealKey' | 'databaseUrl' | 'dataDir'>): Uint8Array {
  if (sealKey) return sealKey;
  if (databaseUrl !== null) {
    throw new ConfigError([
      'PAYONCE_SEAL_KEY is missing: with DATABASE_URL it takes 32 random bytes in base64 ' +
        '(openssl rand -base64 32), the same for every process, kept as safe as the database; where a start ' +
        `without it has made one, that is in ${join(dataDir, 'seal.key')}`,
    ]);
  }
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
