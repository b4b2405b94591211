import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';

/** A file system in memory that can be made as small as what lies on it. */
export class SmallDisk {
  private constructor(readonly directory: string) {}

  /** Null where this process may not mount one. */
  static mount(directory: string): SmallDisk | null {
    mkdirSync(directory, { mode: 0o711 });
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=8g,mode=711', 'tmpfs', directory], {
        stdio: 'ignore',
      });
      return new SmallDisk(directory);
    } catch {
      return null;
    }
  }

  folder(name: string): string {
    const folder = join(this.directory, name);
    mkdirSync(folder, { mode: 0o711 });
    return folder;
  }

  /** Not a byte more can be written, but where something is written over. */
  fill(): void {
    const [, used = '0'] = execFileSync('df', ['-k', '--output=used', this.directory], { encoding: 'utf8' })
      .trim()
      .split('\n');
    // What is written meanwhile may be more than that already.
    for (let kb = Number(used); kb < Number(used) + 200_000; kb += 256) if (this.resize(`${kb}k`)) return;
  }

  empty(): void {
    this.resize('8g');
  }

  unmount(): void {
    execFileSync('umount', ['-l', this.directory], { stdio: 'ignore' });
  }

  private resize(size: string): boolean {
    try {
      execFileSync('mount', ['-o', `remount,size=${size}`, this.directory], { stdio: 'ignore' });
      return true;
    } catch {
      return false;
    }
  }
}
