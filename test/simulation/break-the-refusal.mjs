// Breaks the refusal on purpose, to see the simulation notice: after lost commits a new payment is taken though
// another PSP may have made it before.
import { register } from 'node:module';

const source = `
  export async function load(url, context, next) {
    const loaded = await next(url, context);
    if (!url.endsWith('/request-storage/request-storage.js')) return loaded;
    const text = Buffer.from(loaded.source).toString('utf8');
    const broken = text.replace('if (candidates.length < 2 || ', 'if (candidates.length < 99 || ');
    if (broken === text) throw new Error('the line to break is not there any more');
    return { ...loaded, source: broken };
  }
`;
register(`data:text/javascript,${encodeURIComponent(source)}`);
