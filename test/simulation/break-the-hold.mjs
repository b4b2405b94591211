// Breaks the hold on purpose, to see the simulation notice: after lost commits an open route is sent again and
// failed over though a later route may have done it at another PSP.
import { register } from 'node:module';

const source = `
  export async function load(url, context, next) {
    const loaded = await next(url, context);
    if (!url.endsWith('/request-storage/next-step.js')) return loaded;
    const text = Buffer.from(loaded.source).toString('utf8');
    const broken = text.replace('return isHeld && ', 'return false && ');
    if (broken === text) throw new Error('the line to break is not there any more');
    return { ...loaded, source: broken };
  }
`;
register(`data:text/javascript,${encodeURIComponent(source)}`);
