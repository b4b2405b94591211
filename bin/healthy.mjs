/**
 * Asks a process of a container how it is: `node bin/healthy.mjs [url]`, by default the liveness of the service on its
 * own PORT. Exits with 0 where the answer is a success within 2.5 s, else with 1.
 * A file, since a program in a health check's own line is taken apart at its spaces by some engines.
 */
const [url = `http://127.0.0.1:${process.env.PORT}/health/live`] = process.argv.slice(2);
const isHealthy = await fetch(url, { signal: AbortSignal.timeout(2_500) }).then(
  ({ ok }) => ok,
  () => false,
);
process.exit(isHealthy ? 0 : 1);
