import { writeFileSync } from 'node:fs';
import { type INestApplicationContext } from '@nestjs/common';
import { builtService } from './built-service.js';
import { type Spawned, spawnNode } from './process.js';

/** The service that a spec talks to: in a process of its own, or in the worker that runs the spec. */
export interface Service {
  readonly url: string;
  /** `null` where gRPC is off. */
  readonly grpc: string | null;
  /** `null` where metrics are off. */
  readonly metricsUrl: string | null;
  /** Of the console. */
  readonly opsUrl: string;
  /** What it logged. */
  output(): string;
  /** Requests and jobs in hand end first. */
  stop(): Promise<unknown>;
}

/** The last megabyte of a log, as of a process. */
const OUTPUT_LIMIT = 1_000_000;

/**
 * The application in the worker of Jest: it starts in a third of the time that a process takes. It cannot be killed, and
 * process.env is that of the tests; whatever needs a process is for `ServiceProcess`.
 */
export class ServiceInWorker implements Service {
  private constructor(
    readonly url: string,
    readonly grpc: string | null,
    readonly metricsUrl: string | null,
    readonly opsUrl: string,
    readonly output: () => string,
    private readonly app: INestApplicationContext,
  ) {}

  static async start(env: Readonly<Record<string, string>>): Promise<ServiceInWorker> {
    if (env['OTEL_EXPORTER_OTLP_ENDPOINT']) throw new Error('a process is traced as a whole: startProcess()');
    const { loadConfig, pspsOf, createLogger, startApplication } = builtService();
    const config = loadConfig(env);
    let written = '';
    const logger = createLogger({
      level: config.logLevel,
      sink: { write: (line) => void (written = (written + line).slice(-OUTPUT_LIMIT)) },
    });
    const { app, urls } = await startApplication({ config, psps: await pspsOf(config, null), logger });
    return new ServiceInWorker(urls.url, urls.grpc, urls.metricsUrl, urls.opsUrl, () => written, app);
  }

  private stopped: Promise<void> | undefined;

  stop(): Promise<void> {
    return (this.stopped ??= this.app.close());
  }

  /** Ends it at the end of a spec. */
  end(): Promise<void> {
    return this.stop();
  }
}

/** A place in the service, at its n-th visit, and what is sent to the process there. */
export interface Checkpoint {
  readonly place: string;
  readonly visit?: number;
  /** SIGKILL unless told. */
  readonly signal?: NodeJS.Signals;
}

/** One process of the real service. */
export class ServiceProcess implements Service {
  url = '';
  grpc: string | null = null;
  metricsUrl: string | null = null;
  opsUrl = '';
  private aims = 0;

  constructor(
    private readonly spawned: Spawned,
    private readonly checkpointFile: string,
  ) {}

  static spawn(
    env: Readonly<Record<string, string>>,
    checkpointFile: string,
    preload: string | undefined,
  ): ServiceProcess {
    const spawned = spawnNode('dist/src/main.cjs', {
      ...(preload === undefined ? {} : { preload }),
      env: { ...env, CHECKPOINT_FILE: checkpointFile },
    });
    return new ServiceProcess(spawned, checkpointFile);
  }

  get pid(): number {
    return this.spawned.pid;
  }

  get exit() {
    return this.spawned.exit;
  }

  output(): string {
    return this.spawned.output();
  }

  async ready(): Promise<void> {
    const [line] = await this.spawned.waitForLine(/^.*"listening":"http[^"]+".*$/);
    const said = JSON.parse(line) as {
      listening: string;
      console: string;
      grpc: string | null;
      metrics: string | null;
    };
    this.url = said.listening;
    this.opsUrl = said.console;
    this.grpc = said.grpc;
    this.metricsUrl = said.metrics;
  }

  /** From now on visits of this checkpoint count, and of no other. */
  async arm(at: Checkpoint): Promise<void> {
    const id = String((this.aims += 1));
    writeAim(this.checkpointFile, id, at);
    this.spawned.kill('SIGUSR2');
    await this.spawned.waitForLine(new RegExp(`^checkpoint ${id} armed$`));
  }

  kill(signal: NodeJS.Signals = 'SIGKILL'): void {
    this.spawned.kill(signal);
  }

  /** Ends it at the end of a spec. */
  end() {
    this.kill();
    return this.exit;
  }

  /** SIGTERM, and how it ended. */
  async stop(): Promise<{ code: number | null; signal: NodeJS.Signals | null }> {
    this.kill('SIGTERM');
    return this.exit;
  }
}

export function writeAim(
  file: string,
  id: string,
  { place, visit = 1, signal = 'SIGKILL' }: Checkpoint,
): void {
  writeFileSync(file, JSON.stringify({ id, place, visit, signal }));
}
