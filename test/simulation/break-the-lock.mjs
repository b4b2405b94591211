// Breaks the rule about our own locks on purpose, to see the simulation notice: a call that was not made because
// the lock had gone is taken for the PSP's word that nothing was done.
import { register } from 'node:module';

const source = `
  export async function load(url, context, next) {
    const loaded = await next(url, context);
    if (!url.endsWith('/request-storage/assess-route.js')) return loaded;
    const text = Buffer.from(loaded.source).toString('utf8');
    const broken = text.replace("&& (a.kind === 'complete' || !wasSkipped(a))", '');
    if (broken === text) throw new Error('the line to break is not there any more');
    return { ...loaded, source: broken };
  }
`;
register(`data:text/javascript,${encodeURIComponent(source)}`);
