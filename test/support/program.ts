import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Where a program of this machine is, or null: what needs it is then skipped under a title that says so. */
export function findProgram(name: string): string | null {
  // A daemon of a Debian package is not on every user's path, and what podman starts on none.
  for (const directory of [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/usr/lib/podman']) {
    try {
      accessSync(join(directory, name), constants.X_OK);
      return join(directory, name);
    } catch {
      continue;
    }
  }
  return null;
}

/** `describe`, or a skipped one that says what is missing. */
export function describeWith(program: string, title: string, body: () => void): void {
  describeUnless(findProgram(program) === null ? [program] : [], title, body);
}

/** The same of several programs, or of what else a machine may lack. */
export function describeUnless(missing: readonly string[], title: string, body: () => void): void {
  if (missing.length === 0) describe(title, body);
  // A machine without them runs all other specs, and the title tells what is missing; `.ci/run` installs it.
  else describe.skip(`${title} (skipped: no ${missing.join(', ')} here)`, body);
}
