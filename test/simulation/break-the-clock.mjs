// Breaks the one clock on purpose, to see the simulation notice: every process stamps and judges by the
// clock of its own machine again, and trusts it.
import { register } from 'node:module';

const source = `
  export async function load(url, context, next) {
    const loaded = await next(url, context);
    if (!url.endsWith('/core/database-clock.js')) return loaded;
    const text = Buffer.from(loaded.source).toString('utf8');
    const broken = text
      .replace('now() {', 'now() { return this.own.now();')
      .replace('isTrusted() {', 'isTrusted() { return true;');
    if (broken.split('return this.own.now();').length < 2 || !broken.includes('{ return true;')) {
      throw new Error('the lines to break are not there any more');
    }
    return { ...loaded, source: broken };
  }
`;
register(`data:text/javascript,${encodeURIComponent(source)}`);
