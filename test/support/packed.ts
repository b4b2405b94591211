import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

/** A package of the workspace as others have it: packed, and installed where there is no registry. */
export const root = resolve(__dirname, '../..');

export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Never rejects. Nothing of the npm that runs the tests is passed on. */
async function run(cwd: string, file: string, args: readonly string[]): Promise<Ended> {
  const { PATH, HOME } = process.env;
  try {
    const ended = await promisify(execFile)(file, [...args], { cwd, env: { PATH, HOME }, timeout: 120_000 });
    return { code: 0, ...ended };
  } catch (error) {
    const { code, stdout = '', stderr = String(error) } = error as Partial<Ended>;
    return { code: typeof code === 'number' ? code : -1, stdout, stderr };
  }
}

export interface Tarball {
  readonly path: string;
  readonly bytes: number;
  readonly files: readonly string[];
}

/** A folder of a developer who uses packages of ours; it has nothing of the checkout. */
export class Consumer {
  private constructor(readonly folder: string) {
    writeFileSync(join(folder, 'package.json'), '{ "name": "consumer", "type": "module", "private": true }');
  }

  static create(): Consumer {
    return new Consumer(mkdtempSync(join(tmpdir(), 'payonce-consumer-')));
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** By its name in the workspace, with its scripts, or a folder of a package that is installed here. */
  async pack(what: { workspace: string } | { folder: string }): Promise<Tarball> {
    const tarballs = join(this.folder, 'tarballs');
    mkdirSync(tarballs, { recursive: true });
    const which = 'workspace' in what ? ['--workspace', what.workspace] : [what.folder, '--ignore-scripts'];
    const ended = await this.npm(root, 'pack', ...which, '--json', '--pack-destination', tarballs);
    const [packed] = JSON.parse(ended.stdout) as {
      filename: string;
      size: number;
      files: { path: string }[];
    }[];
    const files = packed!.files.map(({ path }) => path).toSorted();
    return { path: join(tarballs, packed!.filename), bytes: packed!.size, files };
  }

  async install(...tarballs: readonly Tarball[]): Promise<void> {
    await this.npm(this.folder, 'install', '--offline', ...tarballs.map(({ path }) => path));
  }

  node(...args: readonly string[]): Promise<Ended> {
    return run(this.folder, process.execPath, args);
  }

  /** Prints what an import of each of these gives: the names, or the code of the error. */
  async importAll(...names: readonly string[]): Promise<string[]> {
    const load = (name: string) =>
      `await import('${name}').then((m) => console.log(Object.keys(m).join()), (e) => console.log(e.code));`;
    const { code, stdout, stderr } = await this.node(
      '--input-type=module',
      '--eval',
      names.map(load).join('\n'),
    );
    if (code !== 0) throw new Error(stderr);
    return stdout.trim().split('\n');
  }

  /** Type-checks files here; each complaint of the compiler as `file:line`, once. */
  async complaints(files: Readonly<Record<string, string>>, more: object = {}): Promise<string[]> {
    for (const [name, text] of Object.entries(files)) writeFileSync(join(this.folder, name), text);
    const compilerOptions = {
      module: 'nodenext',
      target: 'ES2023',
      strict: true,
      noEmit: true,
      types: ['node'],
      typeRoots: [join(root, 'node_modules/@types')],
      ...more,
    };
    const settings = { compilerOptions, files: Object.keys(files) };
    writeFileSync(join(this.folder, 'tsconfig.json'), JSON.stringify(settings));
    const tsc = join(root, 'node_modules/typescript/bin/tsc');
    const { code, stdout } = await this.node(tsc, '--pretty', 'false', '-p', '.');
    const found = [...stdout.matchAll(/^(\S+?)\((\d+),/gm)].map(([, file, line]) => `${file}:${line}`);
    if ((code === 0) !== (found.length === 0)) throw new Error(stdout);
    return [...new Set(found)];
  }

  /** A cache of its own, which is empty: what is not in a tarball is not to be had. */
  private async npm(cwd: string, ...args: readonly string[]): Promise<Ended> {
    const quiet = ['--foreground-scripts=false', '--no-audit', '--no-fund', '--no-update-notifier'];
    const cache = ['--cache', join(this.folder, 'cache')];
    const ended = await run(cwd, 'npm', [...args, ...quiet, ...cache]);
    if (ended.code !== 0) throw new Error(`npm ${args.join(' ')}: ${ended.stderr}`);
    return ended;
  }
}

/** What a package consists of: what each of its sources becomes, and what a reader needs. */
export function filesOf(name: string): string[] {
  const sources = readdirSync(join(root, 'packages', name, 'src')).filter(
    (file) => file.endsWith('.ts') && !file.endsWith('.spec.ts'),
  );
  const { exports } = JSON.parse(readFileSync(join(root, 'packages', name, 'package.json'), 'utf8')) as {
    exports: Readonly<Record<string, { readonly require?: object }>>;
  };
  const isDual = exports['.']?.require !== undefined;
  const built = sources.flatMap((file) =>
    ['.js', '.d.ts'].flatMap((end) =>
      (isDual ? ['dist', 'dist/cjs'] : ['dist']).map((folder) => `${folder}/${file.replace(/\.ts$/, end)}`),
    ),
  );
  return [...built, ...(isDual ? ['dist/cjs/package.json'] : []), 'README.md', 'package.json'].toSorted();
}

/** All TypeScript of a page, in the order in which it is read. */
export function shownIn(page: string): string {
  const text = readFileSync(join(root, page), 'utf8');
  return [...text.matchAll(/^```ts\n(.*?)^```/gms)].map(([, code]) => code).join('\n');
}
