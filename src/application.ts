import { type INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { AppModule, type Role, type Settings } from './app.module.js';
import { nestLogger } from './http/nest-logger.js';
import { JobsWorker } from './jobs/jobs-worker.module.js';
import { Listeners } from './listeners.js';

/** The application, wired and with its database open. Nothing listens yet, and no job runs. */
export function createApplication(role: Role, settings: Settings): Promise<INestApplicationContext> {
  return NestFactory.createApplicationContext(AppModule.forRole(role, settings), {
    logger: nestLogger(settings.logger),
    abortOnError: false,
  });
}

/** The application with all that PAYONCE_ROLE asks for started. `close()` ends what is in flight, then the rest. */
export async function startApplication(settings: Settings): Promise<INestApplicationContext> {
  const { role } = settings.config;
  const app = await createApplication(role, settings);
  try {
    const worker = role === 'api' ? null : app.get(JobsWorker);
    worker?.prepare();
    await app.get(Listeners).listen();
    await worker?.start();
    return app;
  } catch (error) {
    await app.close();
    throw error;
  }
}
