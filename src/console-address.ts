import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Config } from './config/config.js';

type Place = Pick<Config, 'databaseUrl' | 'dataDir' | 'port' | 'opsPort'>;

/** Writes down where the console was reached last, where the installation is a folder of this machine. */
export function noteConsole(config: Place, opsUrl: string): void {
  if (config.databaseUrl === null) writeFileSync(fileOf(config), `${opsUrl}\n`);
}

/** The address of the console, as far as this process knows. */
export function consoleOf(config: Place): string {
  const file = fileOf(config);
  if (config.databaseUrl === null && existsSync(file)) return readFileSync(file, 'utf8').trim();
  return `http://127.0.0.1:${config.opsPort ?? config.port}`;
}

function fileOf({ dataDir }: Place): string {
  return join(dataDir, 'console.url');
}
