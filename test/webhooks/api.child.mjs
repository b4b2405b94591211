// An API process that takes notifications of `north` and nothing else: `<database url>`. Says where it listens.
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Registry } from 'prom-client';

const built = (path) => import(pathToFileURL(resolve('dist', path)).href);
const { RunningApi } = await built('test/api/fake-api.js');
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
const reader = new HmacReader(secret);
const { notifications } = incomingWebhooks({
  dataSource,
  pool,
  clock,
  ids: new SystemIds(clock),
  metrics: new Registry(),
  readerOf: (account) => (account === 'north' ? reader : null),
  facts: { take: () => Promise.reject(new Error('no jobs are run here')) },
});
const { port } = await RunningApi.start({ notifications });
console.log(JSON.stringify({ listening: `http://127.0.0.1:${port}` }));
