// Breaks THE RULE on purpose, to see the simulation notice: whatever a PSP leaves in doubt is passed
// off as never sent, so that the next PSP is asked at once.
import { register } from 'node:module';

const source = `
  export async function load(url, context, next) {
    const loaded = await next(url, context);
    if (!url.endsWith('/request-storage/assess-route.js')) return loaded;
    const text = Buffer.from(loaded.source).toString('utf8');
    const broken = text.replace("a.outcome === 'unknown' || a.outcome === null", 'false');
    if (broken === text) throw new Error('the line to break is not there any more');
    return { ...loaded, source: broken.replace("default:", "default: return { ...ruledOut('not_sent', last), untouched: true };") };
  }
`;
register(`data:text/javascript,${encodeURIComponent(source)}`);
