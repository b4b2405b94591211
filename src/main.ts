import { type INestApplicationContext } from '@nestjs/common';
import { type Logger } from 'pino';
import { peopleLog } from './http/people-log.js';
import { reasonForPeople } from './start-failure.js';
import { createLogger } from './http/logger.js';
import { type BundledSimulator, startBundledSimulator } from './bundled-simulator.js';
import { pspsOf } from './configured-psps.js';
import { type Config, loadConfig } from './config/config.js';
import { noteConsole } from './console-address.js';
import { type PspsConfig } from './psp/psps-config.js';
import { Operators } from './operators/operators.js';
import { startApplication, type Urls } from './application.js';

async function main(): Promise<void> {
  const config = loadConfig(process.env);
  const { isTTY } = process.stdout;
  const logger = createLogger({ level: config.logLevel, ...(isTTY ? { sink: await peopleLog() } : {}) });
  const simulator = config.simulator ? await startBundledSimulator() : null;
  let app: INestApplicationContext;
  let urls: Urls;
  try {
    const psps = await pspsOf(config, simulator);
    ({ app, urls } = await startApplication({ config, psps, logger }));
    if (simulator) await subscribeToSimulator(urls.url, psps, simulator, logger);
  } catch (error) {
    await simulator?.stop();
    throw error;
  }
  if (config.role !== 'worker') noteConsole(config, urls.opsUrl);
  if (isTTY) {
    process.stdout.write(welcome(config, urls, simulator, await consoleAddress(app, config, urls)));
  } else {
    logger.info(
      {
        listening: urls.url,
        metrics: urls.metricsUrl,
        grpc: urls.grpc,
        console: urls.opsUrl,
        role: config.role,
        simulator: simulator?.urls,
      },
      'payonce is ready',
    );
  }

  const stop = async (signal: string) => {
    logger.info({ signal }, 'stopping');
    // Work that does not end in time is resumable: the next start or another process continues it.
    setTimeout(() => process.exit(1), config.shutdownGraceMs + 5_000).unref();
    await app.close();
    await simulator?.stop();
    logger.info('stopped');
    logger.flush(() => process.exit(0));
  };
  process.once('SIGTERM', (signal) => void stop(signal));
  process.once('SIGINT', (signal) => void stop(signal));
}

/** A service that hears nothing of its PSPs works all the same: it asks. */
async function subscribeToSimulator(
  url: string,
  { psps }: PspsConfig,
  simulator: BundledSimulator,
  logger: Logger,
) {
  try {
    const accounts = await simulator.notify(url, psps);
    logger.debug({ accounts }, 'the simulator sends notifications');
  } catch (err) {
    logger.warn({ err }, 'the simulator does not tell of what it does');
  }
}

/** With a link that signs in once, where the terminal is that of a newcomer who runs everything on this machine. */
async function consoleAddress(
  app: INestApplicationContext,
  config: Config,
  { opsUrl }: Urls,
): Promise<string> {
  const isOwn = config.databaseUrl === null && !config.exposed && config.role !== 'worker';
  const link = isOwn ? await app.get(Operators).firstLink() : null;
  return link === null ? `${opsUrl}/ops` : `${opsUrl}/ops/sign-in#${link}`;
}

function welcome(
  { role }: Config,
  { url, metricsUrl, grpc }: Urls,
  simulator: BundledSimulator | null,
  console: string,
): string {
  if (role === 'worker') {
    const how = metricsUrl === null ? '' : `; ${metricsUrl}/metrics says how`;
    return `\nPayonce works${how}. Stop with Ctrl-C.\n\n`;
  }
  return [
    '',
    `Payonce listens on ${url}`,
    `  console    ${console}`,
    `  docs       ${url}/docs`,
    ...(grpc === null ? [] : [`  gRPC       ${grpc}`]),
    ...(simulator
      ? [
          `  PSPs       simulated: stripe ${simulator.urls.stripe}, adyen ${simulator.urls.adyen}`,
          `  faults     ${simulator.urls.control} (packages/simulator/README.md)`,
        ]
      : []),
    '',
    'In another terminal:',
    `  merchant   npx payonce merchants create --name Shop`,
    `  API key    npx payonce api-keys create --merchant <id> \\`,
    `               --scopes payments:read,payments:write,webhooks:write`,
    '',
    'Stop with Ctrl-C.',
    '',
    '',
  ].join('\n');
}

main().catch((error: unknown) => {
  process.stderr.write(`${reasonForPeople(error)}\n`);
  process.exit(1);
});
