import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '../support/eventually.js';
import { findProgram } from '../support/program.js';

const run = promisify(execFile);
const root = resolve(__dirname, '../..');
const settings = join(__dirname, 'containers.conf');
/** Each is of the Debian package of its name. */
const PROGRAMS = [
  'podman',
  'runc',
  'buildah',
  'debootstrap',
  'catatonit',
  'netavark',
  'aardvark-dns',
  'iptables',
  'docker-compose',
];
const BUILD_TIMEOUT_MS = 20 * 60_000;
const COMMAND_TIMEOUT_MS = 5 * 60_000;
/** Between the 1 s that keeps a test short and the 5 s of the files, whose retries are counted by it. */
const HEALTH_EVERY_MS = 2_000;

/** Packages that are missing here, by name; and `root`, which alone makes images without a registry. */
export function missingForContainers(): string[] {
  const missing = PROGRAMS.filter((program) => findProgram(program) === null);
  return process.getuid?.() === 0 ? missing : [...missing, 'root'];
}

/**
 * The compose files of `docker/` as one project, on podman and by Docker's own compose, with the images that `images.sh`
 * builds in place of those that the files pin.
 */
export class Compose {
  private isOpen = true;
  private readonly health: Promise<void>;

  private constructor(
    private readonly project: string,
    private readonly files: readonly string[],
    private readonly folder: string,
    private readonly env: Readonly<Record<string, string>>,
    private readonly service: ChildProcess,
  ) {
    this.health = this.keepHealth();
  }

  /** @param files those of `docker/`, the later ones over the earlier ones */
  static async open(
    project: string,
    files: readonly string[],
    variables: Readonly<Record<string, string>>,
  ): Promise<Compose> {
    await run(join(__dirname, 'images.sh'), { timeout: BUILD_TIMEOUT_MS });
    const folder = mkdtempSync(join(tmpdir(), 'payonce-compose-'));
    const socket = join(folder, 'podman.sock');
    const env = {
      PATH: process.env['PATH']!,
      HOME: folder,
      CONTAINERS_CONF: settings,
      DOCKER_HOST: `unix://${socket}`,
      COMPOSE_HTTP_TIMEOUT: '300',
      ...variables,
    };
    const service = spawn('podman', ['system', 'service', '--time', '0', `unix://${socket}`], {
      env,
      stdio: 'ignore',
    });
    await eventually(() => existsSync(socket), 'podman listens');
    const written = files.map((file) => {
      const path = join(folder, file);
      // The compose of Debian is of before a file could name its project.
      writeFileSync(path, readFileSync(join(root, 'docker', file), 'utf8').replace(/^name: .*$/m, ''));
      return path;
    });
    const [first, ...more] = written;
    const ours = join(__dirname, 'compose.yml');
    return new Compose(project, [first!, ours, ...more], folder, env, service);
  }

  /** Starts what does not run, and waits for what each part waits for. */
  async up(scale: Readonly<Record<string, number>> = {}): Promise<void> {
    const scaled = Object.entries(scale).flatMap(([name, count]) => ['--scale', `${name}=${count}`]);
    await this.do('up', '--detach', '--no-build', ...scaled);
  }

  /** Runs a command of compose. @returns what it printed */
  async do(...args: readonly string[]): Promise<string> {
    const files = this.files.flatMap((file) => ['--file', file]);
    const project = ['--project-name', this.project, '--project-directory', join(root, 'docker')];
    const { stdout } = await run('docker-compose', [...project, ...files, ...args], {
      env: this.env,
      timeout: COMMAND_TIMEOUT_MS,
    });
    return stdout.trim();
  }

  /** The address at which this machine reaches a port of a container. */
  async url(service: string, port: number, index = 1): Promise<string> {
    return `http://${await this.do('port', '--index', String(index), service, String(port))}`;
  }

  /** Asks podman of a container, by a Go template. */
  async inspect(service: string, template: string, index = 1): Promise<string> {
    return this.podman('inspect', '--format', template, `${this.project}_${service}_${index}`);
  }

  async close(): Promise<void> {
    this.isOpen = false;
    await this.health;
    try {
      await this.do('down', '--volumes', '--timeout', '5');
    } finally {
      this.service.kill();
      rmSync(this.folder, { recursive: true });
    }
  }

  private async podman(...args: readonly string[]): Promise<string> {
    const { stdout } = await run('podman', [...args], { env: this.env, timeout: COMMAND_TIMEOUT_MS });
    return stdout.trim();
  }

  /** Runs the health checks, which podman leaves to the timers of systemd. */
  private async keepHealth(): Promise<void> {
    const ours = ['--filter', `label=com.docker.compose.project=${this.project}`];
    while (this.isOpen) {
      // A list that fails is asked for again, and one that is unhealthy or ends meanwhile is told by its state.
      const listed = await this.podman('ps', '--quiet', ...ours).catch(() => '');
      const ids = listed.split('\n').filter(Boolean);
      for (const id of ids) await this.podman('healthcheck', 'run', id).catch(() => null);
      await sleep(HEALTH_EVERY_MS);
    }
  }
}
