// A process that uses the embedded database: `<module> <data directory>`. Says where it is once it
// is there, releases it on SIGTERM, and says so.
import { pathToFileURL } from 'node:url';

const [module, dataDir] = process.argv.slice(2);
const { startEmbeddedPostgres } = await import(pathToFileURL(module).href);
const startedAt = performance.now();
const server = await startEmbeddedPostgres(dataDir);
const alive = setInterval(() => {}, 1_000);
async function release() {
  await server.release();
  console.log('released');
  clearInterval(alive);
}
process.once('SIGTERM', () => void release());
console.log(`ready ${server.url} after ${Math.round(performance.now() - startedAt)} ms`);
