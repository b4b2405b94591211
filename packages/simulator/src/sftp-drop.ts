import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const SSHD = '/usr/sbin/sshd';
const MAX_TRIES = 200;

/** Whether this machine has a server to play a bank's with: openssh-server, at Debian. */
export function hasSshd(): boolean {
  return existsSync(SSHD) && spawnSync('ssh-keygen', ['-?']).error === undefined;
}

/** An SFTP server on loopback, and all that a client needs to get in. */
export interface SftpDrop {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  /** Of its host key, as `ssh-keygen -lf` prints it. */
  readonly hostKey: string;
  /** Of the one client that it lets in. */
  readonly privateKey: string;
  /** Folders of the machine that the client sees under the same paths. */
  readonly upload: string;
  readonly download: string;
  readonly archive: string;
  stop(): Promise<void>;
}

/** OpenSSH's own server, as the user who runs this, with keys of its own below `directory`. */
export async function startSftpDrop(directory: string): Promise<SftpDrop> {
  const [upload, download, archive] = ['upload', 'download', 'archive'].map((name) => join(directory, name));
  for (const folder of [upload!, download!, archive!]) mkdirSync(folder, { recursive: true });
  const keyAt = (name: string) => {
    const path = join(directory, name);
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', name, '-f', path]);
    return path;
  };
  const [hostKey, clientKey] = [keyAt('host_key'), keyAt('client_key')];
  // As root it changes to a user of its own, and wants this folder for it.
  if (process.getuid?.() === 0) mkdirSync('/run/sshd', { recursive: true });
  const port = await freePort();
  const config = join(directory, 'sshd_config');
  writeFileSync(
    config,
    [
      `Port ${port}`,
      'ListenAddress 127.0.0.1',
      `HostKey ${hostKey}`,
      `AuthorizedKeysFile ${clientKey}.pub`,
      'PidFile none',
      'AuthenticationMethods publickey',
      'PermitRootLogin prohibit-password',
      'StrictModes no',
      'UsePAM no',
      'Subsystem sftp internal-sftp',
      'ForceCommand internal-sftp',
      '',
    ].join('\n'),
  );
  const server = spawn(SSHD, ['-D', '-e', '-f', config], { stdio: ['ignore', 'ignore', 'pipe'] });
  // A process that ends without a word to it leaves none behind.
  const end = () => void server.kill();
  process.once('exit', end);
  let said = '';
  server.stderr.on('data', (text: Buffer) => (said = `${said}${text.toString()}`.slice(-4_000)));
  await untilOpen(port, () => (server.exitCode === null ? null : said));
  const fingerprint = execFileSync('ssh-keygen', ['-l', '-f', `${hostKey}.pub`], { encoding: 'utf8' });
  return {
    host: '127.0.0.1',
    port,
    user: userInfo().username,
    hostKey: fingerprint.split(' ')[1]!,
    privateKey: readFileSync(clientKey, 'utf8'),
    upload: upload!,
    download: download!,
    archive: archive!,
    async stop() {
      process.off('exit', end);
      if (server.exitCode === null) {
        const exited = once(server, 'exit');
        server.kill();
        await exited;
      }
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}

async function untilOpen(port: number, ended: () => string | null): Promise<void> {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const said = ended();
    if (said !== null) throw new Error(`sshd ended: ${said}`);
    const socket = connect(port, '127.0.0.1');
    const isOpen = await Promise.race([
      once(socket, 'connect').then(() => true),
      once(socket, 'error').then(() => false),
    ]).catch(() => false);
    socket.destroy();
    if (isOpen) return;
    await sleep(25);
  }
  throw new Error('sshd did not open its port');
}
