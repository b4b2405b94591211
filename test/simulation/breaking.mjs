import { register } from 'node:module';

/**
 * Loads a compiled file with lines of it replaced, each [text or pattern, replacement], in this process.
 * The load fails where a line is not there any more.
 */
export function breakLines(file, ...lines) {
  register(import.meta.url, { data: { file, lines } });
}

let broken;

/** Node's hooks run in a thread of their own, which gets its data here. */
export function initialize(data) {
  broken = data;
}

export async function load(url, context, next) {
  const loaded = await next(url, context);
  if (!url.endsWith(broken.file)) return loaded;
  const source = broken.lines.reduce((text, [line, replacement]) => {
    const replaced = text.replace(line, replacement);
    if (replaced === text) throw new Error(`${broken.file} has this line no more: ${line}`);
    return replaced;
  }, Buffer.from(loaded.source).toString('utf8'));
  return { ...loaded, source };
}
