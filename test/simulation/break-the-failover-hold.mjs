// Breaks the hold of failover on purpose, to see the simulation notice: once a person resumes, another PSP is asked
// where the first cannot be reached.
import { register } from 'node:module';

const source = `
  export async function load(url, context, next) {
    const loaded = await next(url, context);
    if (!url.endsWith('/request-storage/next-step.js')) return loaded;
    const text = Buffer.from(loaded.source).toString('utf8');
    const broken = text.replace('return isAboutThisRequest && ', 'return false && ');
    if (broken === text) throw new Error('the line to break is not there any more');
    return { ...loaded, source: broken };
  }
`;
register(`data:text/javascript,${encodeURIComponent(source)}`);
