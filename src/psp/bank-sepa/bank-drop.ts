import { createHash } from 'node:crypto';
import { type Clock } from '../../core/clock.js';
import { type SftpSettings } from './bank-settings.js';

/** A file in a folder of the bank's server. */
export interface DroppedFile {
  readonly name: string;
  readonly bytes: number;
  readonly modifiedAt: Date;
}

/** One session at a bank's SFTP server. */
export interface BankDrop {
  /** The files of a folder, without its subfolders. */
  list(folder: string): Promise<readonly DroppedFile[]>;
  /** Null where there is none. */
  sizeOf(path: string): Promise<number | null>;
  put(path: string, bytes: Buffer): Promise<void>;
  /** Fails where there is a file of that name. */
  rename(from: string, to: string): Promise<void>;
  remove(path: string): Promise<void>;
  /** @throws where it has more bytes than that */
  read(path: string, maxBytes: number): Promise<Buffer>;
  end(): Promise<void>;
}

export interface DropKey {
  readonly privateKey: string;
  readonly passphrase?: string;
}

/** The key of an account's credentials. */
export function dropKeyOf({ privateKey = '', passphrase }: Readonly<Record<string, string>>): DropKey {
  return { privateKey, ...(passphrase === undefined ? {} : { passphrase }) };
}

const CONNECT_TIMEOUT_MS = 20_000;
/** Bounds one session with the bank's server, so that a server that stands still does not keep a worker. */
const SESSION_TIMEOUT_MS = 120_000;

/** The library and its dependencies are loaded only if an account is a bank. */
export async function openDrop(
  { host, port, user: username, hostKey }: SftpSettings,
  { privateKey, passphrase }: DropKey,
  clock: Pick<Clock, 'timer'>,
): Promise<BankDrop> {
  const { default: SftpClient } = await import('ssh2-sftp-client');
  // Errors come with the call that they end; a session that ends by itself shows at the next one.
  const client = new SftpClient('bank', { error: () => {}, end: () => {}, close: () => {} });
  let giveUp = (_error: Error): void => {};
  const givenUp = new Promise<never>((_, reject) => (giveUp = reject));
  givenUp.catch(() => {});
  const stopTimer = clock.timer(SESSION_TIMEOUT_MS, () => {
    giveUp(new Error(`the bank's server took longer than ${SESSION_TIMEOUT_MS} ms`));
    void client.end().catch(() => {});
  });
  const bounded = <T>(work: Promise<T>): Promise<T> => Promise.race([work, givenUp]);
  try {
    await bounded(
      client.connect({
        host,
        port,
        username,
        privateKey,
        ...(passphrase === undefined ? {} : { passphrase }),
        authHandler: ['publickey'],
        hostVerifier: (key: Buffer) => fingerprintOf(key) === hostKey,
        readyTimeout: CONNECT_TIMEOUT_MS,
        keepaliveInterval: 10_000,
        keepaliveCountMax: 3,
      }),
    );
  } catch (error) {
    stopTimer();
    void client.end().catch(() => {});
    throw error;
  }
  return {
    async list(folder) {
      const entries = await bounded(client.list(folder));
      return entries
        .filter(({ type }) => type === '-')
        .map(({ name, size, modifyTime }) => ({ name, bytes: size, modifiedAt: new Date(modifyTime) }));
    },
    async sizeOf(path) {
      const found = await bounded(client.exists(path));
      return found === false ? null : (await bounded(client.stat(path))).size;
    },
    async put(path, bytes) {
      await bounded(client.put(bytes, path, { writeStreamOptions: { flags: 'w', mode: 0o660 } }));
    },
    async rename(from, to) {
      await bounded(client.rename(from, to));
    },
    async remove(path) {
      await bounded(client.delete(path, true));
    },
    async read(path, maxBytes) {
      // One byte more than may be read shows that there is more; the types do not know of `end`.
      const readStreamOptions = { end: maxBytes } as object;
      const bytes = (await bounded(client.get(path, undefined, { readStreamOptions }))) as Buffer;
      if (bytes.length > maxBytes) throw new RangeError(`a file has more than ${maxBytes} bytes`);
      return bytes;
    },
    async end() {
      stopTimer();
      await client.end().catch(() => {});
    },
  };
}

/** The fingerprint as `ssh-keygen -lf` prints it. */
function fingerprintOf(hostKey: Buffer): string {
  // 32 bytes are 43 characters, and one that fills up.
  return `SHA256:${createHash('sha256').update(hostKey).digest('base64').slice(0, 43)}`;
}
