// Breaks the keys that PSPs see on purpose, to see the simulation notice: the key of a first route is drawn
// anew for every payment, so that the PSP does not recognize a request that comes again after a loss.
import { register } from 'node:module';

const source = `
  export async function load(url, context, next) {
    const loaded = await next(url, context);
    if (!url.endsWith('/request-storage/entity-key.js')) return loaded;
    const text = Buffer.from(loaded.source).toString('utf8');
    const broken = text.replace(/clientKey\\) ?=> ?digest\\(/, 'clientKey) => digest(Math.random() + ');
    if (broken === text) throw new Error('the line to break is not there any more');
    return { ...loaded, source: broken };
  }
`;
register(`data:text/javascript,${encodeURIComponent(source)}`);
