import { Session } from 'node:inspector';

/**
 * Preloaded into a service: at each SIGUSR2 it writes `walked <files>`, the functions that ran since the signal before, by
 * compiled file: `{ "src/payments/charge.flow": ["begin", …], … }`.
 */
const session = new Session();
session.connect();
session.post('Profiler.enable');
session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });

process.on('SIGUSR2', () => {
  session.post('Profiler.takePreciseCoverage', (_, { result }) => {
    const walked = {};
    for (const { url, functions } of result) {
      const file = /\/dist\/(src\/.+)\.js$/.exec(url)?.[1];
      const ran = functions.filter(({ functionName, ranges }) => functionName !== '' && ranges[0].count > 0);
      if (file && ran.length > 0) walked[file] = ran.map(({ functionName }) => functionName);
    }
    console.log(`walked ${JSON.stringify(walked)}`);
  });
});
