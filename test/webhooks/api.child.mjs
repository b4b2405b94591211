// An API process that takes notifications of `north` and nothing else: `<database url>`. Says where it
// listens; what it logs comes on the same stream.
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Registry } from 'prom-client';

const built = (path) => import(pathToFileURL(resolve('dist', path)).href);
const { createApi } = await built('src/create-api.js');
const { createLogger } = await built('src/http/logger.js');
const { entities } = await built('src/entities.js');
const { openDatabase } = await built('src/database/database.js');
const { SystemClock } = await built('src/core/clock.js');
const { SystemIds } = await built('src/core/ids.js');
const { incomingWebhooks } = await built('src/webhooks/incoming/incoming-webhooks.js');
const { HmacReader } = await built('test/webhooks/hmac-reader.js');

const [url, secret] = process.argv.slice(2);
const bare = { entities, migrations: [], poolSize: 6, applicationName: 'notified' };
const { dataSource, pool } = await openDatabase({ url, ...bare });
const clock = new SystemClock();
const metrics = new Registry();
const reader = new HmacReader(secret);
const { notifications } = incomingWebhooks({
  dataSource,
  pool,
  clock,
  ids: new SystemIds(clock),
  metrics,
  readerOf: (account) => (account === 'north' ? reader : null),
  facts: { take: () => Promise.reject(new Error('no jobs are run here')) },
});
const app = await createApi({
  payments: {},
  payouts: {},
  notifications,
  authenticator: { authenticate: () => Promise.reject(new Error('nobody is let in here')) },
  readiness: () => Promise.resolve({ ready: true, checks: {} }),
  metrics,
  logger: createLogger({ level: 'info' }),
  version: '0.0.0-test',
  clock,
});
await app.listen(0, '127.0.0.1');
console.log(JSON.stringify({ listening: await app.getUrl() }));
