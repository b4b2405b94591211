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
const { ApplyNotice } = await built('src/notifications/apply-notification.js');
const { Arrivals } = await built('src/notifications/arrivals.js');
const { Inbox } = await built('src/notifications/inbox.js');
const { IncomingMetrics } = await built('src/notifications/incoming-metrics.js');
const { NotificationsService } = await built('src/notifications/notifications.service.js');
const { HmacReader } = await built('test/notifications/hmac-reader.js');

const [url, secret] = process.argv.slice(2);
const bare = { entities, migrations: [], poolSize: 6, applicationName: 'notified' };
const { pool } = await openDatabase({ url, ...bare });
const clock = new SystemClock();
const ids = new SystemIds(clock);
const inbox = new Inbox(pool, clock, ids);
const metrics = new IncomingMetrics(new Registry());
const noJobs = { take: () => Promise.reject(new Error('no jobs are run here')) };
const arrivals = new Arrivals(inbox, new ApplyNotice(inbox, noJobs, metrics, clock, ids));
const readers = new Map([['north', new HmacReader(secret)]]);
const nothing = () => Promise.resolve();
const reports = { announce: nothing };
const notifications = new NotificationsService(readers, arrivals, metrics, clock, reports, { hint: nothing });
const { port } = await RunningApi.start({ notifications });
console.log(JSON.stringify({ listening: `http://127.0.0.1:${port}` }));
