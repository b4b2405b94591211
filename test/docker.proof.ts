import dockerignore from '@balena/dockerignore';
import { DockerfileParser } from 'dockerfile-ast';
import { validate } from 'dockerfile-utils';
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer, request as forward } from 'node:http';
import { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { promisify } from 'node:util';
import { parse } from 'yaml';
import { startSimulator } from '@payonce/simulator';
import { loadConfig } from '../src/config/config.js';
import { variableNames } from '../src/config/environment.js';
import { parsePsps, PspsFileError } from '../src/psp/psps-file.js';
import { type FreshDatabase, freshDatabase } from './support/database.js';
import { spawnNode } from './support/process.js';
import { eventually, orderOf, tokens } from './support/test-environment.js';

/**
 * What linters cannot know of docker/: that the files are there, that the build has all it reads, that
 * the settings are ones the service takes and the health checks ones that work. No engine is needed.
 */
const root = resolve(__dirname, '..');
const read = (file: string) => readFileSync(join(root, file), 'utf8');

const text = read('docker/Dockerfile');
const dockerfile = DockerfileParser.parse(text);
const kept = dockerignore.default().add(read('docker/Dockerfile.dockerignore'));

interface Service {
  readonly image: string;
  readonly build?: { readonly context: string; readonly dockerfile: string };
  readonly environment?: Readonly<Record<string, string>>;
  readonly ports?: readonly string[];
  readonly volumes?: readonly string[];
  readonly healthcheck?: { readonly test: readonly string[] };
  readonly command?: readonly string[];
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly stop_grace_period?: string;
}
const sealKey = randomBytes(32).toString('base64');
const composeText = read('docker/compose.yml');
const given = {
  PAYONCE_SEAL_KEY: sealKey,
  POSTGRES_PASSWORD: 'a1'.repeat(12),
  POSTGRES_APP_PASSWORD: 'b2'.repeat(12),
  STRIPE_WEBHOOK_SECRET: 'whsec_of_this_run',
  ADYEN_HMAC_KEY: '5b'.repeat(32),
};
const { services } = composed(given);
/** Those that run the service itself. */
const roles = Object.entries(services).flatMap(([name, { environment = {}, ...more }]) =>
  'PAYONCE_ROLE' in environment ? [[name, { environment, ...more }] as const] : [],
);
const pspsText = read('docker/psps.json');

/** The file as compose reads it, with the variables of `env`: parsed first, then filled in. */
function composed(env: Readonly<Record<string, string>>): { services: Readonly<Record<string, Service>> } {
  const fill = (_: string, name: string, mark = '', word = ''): string => {
    const given = env[name];
    if (given) return given;
    if (mark === '?') throw new Error(`${name} is missing: ${word}`);
    return word;
  };
  const revive = (_: unknown, value: unknown): unknown =>
    typeof value === 'string' ? value.replaceAll(/\$\{(\w+)(?::([-?])([^}]*))?\}/g, fill) : value;
  return parse(composeText, revive, { merge: true }) as ReturnType<typeof composed>;
}

interface Instruction {
  readonly keyword: string;
  /** Copied from another stage, not from the checkout. */
  readonly fromStage: boolean;
  /** Without flags. */
  readonly args: readonly string[];
  readonly content: string;
}

/** The instructions of every stage, its FROM first. */
const stages = dockerfile.getInstructions().reduce<Instruction[][]>((stages, instruction) => {
  const step = {
    keyword: instruction.getKeyword(),
    fromStage: instruction.getTextContent().includes('--from='),
    args: instruction.getArguments().map((argument) => argument.getValue()),
    content: instruction.getArgumentsContent() ?? '',
  };
  if (step.keyword === 'FROM') stages.push([]);
  stages.at(-1)?.push(step);
  return stages;
}, []);
const [building, final] = stages as [Instruction[], Instruction[]];
const contentOf = (stage: readonly Instruction[], keyword: string) =>
  stage.filter((step) => step.keyword === keyword).map(({ content }) => content);

/** A command in JSON (`["node", …]`), as its file and arguments; `node` is the one that runs this. */
function commandOf(content: string): string[] {
  const [file, ...args] = JSON.parse(/\[.*\]/s.exec(content)![0]) as string[];
  return [file === 'node' ? process.execPath : file!, ...args];
}
const probe = commandOf(contentOf(final, 'HEALTHCHECK')[0]!);

/** What the image sets for every process. */
const imageEnv = Object.fromEntries(
  dockerfile
    .getENVs()
    .flatMap((env) => env.getProperties())
    .map((property) => [property.getName(), property.getValue() ?? '']),
);

/** Exit code of a health check. Node's own fetch is all it has. */
async function check([file, ...args]: readonly string[], port: number): Promise<number> {
  const env = { PATH: process.env['PATH'], PORT: String(port) };
  try {
    await promisify(execFile)(file!, args, { env, timeout: 10_000 });
    return 0;
  } catch (error) {
    const { code } = error as { code: unknown };
    if (typeof code !== 'number') throw error;
    return code;
  }
}

/** Files below a path of the checkout that reach the builder. */
function sent(path: string): string[] {
  const files = statSync(join(root, path)).isDirectory()
    ? readdirSync(join(root, path), { recursive: true, encoding: 'utf8' }).map((name) => join(path, name))
    : [path];
  return kept.filter(files).filter((file) => statSync(join(root, file)).isFile());
}

/** Does what a stage's COPY lines do; both stages work in /app. */
function copy(stage: readonly Instruction[], into: string, build: string): void {
  for (const { keyword, fromStage, args } of stage) {
    if (keyword !== 'COPY') continue;
    const target = join(into, args.at(-1)!);
    for (const source of args.slice(0, -1)) {
      if (fromStage) cpSync(join(build, source.replace(/^\/app\//, '')), target, { recursive: true });
      else for (const file of sent(source)) place(file, join(target, within(source, file)));
    }
  }
}

/** Where COPY lays a file below its target: by its own name, or below the folder that was named. */
function within(source: string, file: string): string {
  return file === source ? basename(file) : relative(source, file);
}

function place(file: string, at: string): void {
  mkdirSync(dirname(at), { recursive: true });
  cpSync(join(root, file), at);
}

describe('docker/Dockerfile', () => {
  it('has no fault, and nothing that is out of use', () => {
    expect(validate(text)).toEqual([]);
    expect(validate(text.replace('WORKDIR /app', 'WORKDIR app'))).not.toEqual([]);
  });

  it('stands on a version of Node 24 that is pinned by digest', () => {
    const [, image] = /^ARG NODE_IMAGE=(.*)$/m.exec(text)!;
    expect(image).toMatch(/^node:24\.\d+\.\d+-[a-z-]+@sha256:[0-9a-f]{64}$/);
    expect(contentOf([...building, ...final], 'FROM').map((from) => from.split(' ')[0])).toEqual([
      '${NODE_IMAGE}',
      '${NODE_IMAGE}',
    ]);
    expect(read('README.md')).toContain(`docker buildx imagetools inspect ${image!.split('@')[0]!}`);
  });

  it('copies files that are there and reach the builder', () => {
    const copies = [...building, ...final].filter(
      ({ keyword, fromStage }) => keyword === 'COPY' && !fromStage,
    );
    const sources = copies.flatMap(({ args }) => args.slice(0, -1));
    expect(sources).toEqual(expect.arrayContaining(['package-lock.json', 'src', 'packages', 'bin']));
    expect(sources.filter((source) => !existsSync(join(root, source)) || sent(source).length === 0)).toEqual(
      [],
    );
    expect(kept.filter(['.env', '.git/config', 'node_modules/x/index.js', '.payonce/seal.key'])).toEqual([]);
    expect(kept.filter(['src/core/money.spec.ts', 'test/docker.spec.ts'])).toEqual([]);
  });

  it('ends as nobody in particular, with packages of production alone', () => {
    expect(contentOf(final, 'USER')).toEqual(['node']);
    const installs = contentOf(final, 'RUN').filter((run) => run.includes('npm ci'));
    expect(installs).toHaveLength(1);
    expect(installs[0]).toMatch(/--omit=dev .*--ignore-scripts/);
    const { dependencies } = JSON.parse(read('package.json')) as { dependencies: object };
    expect(Object.keys(dependencies)).toEqual(expect.arrayContaining(['bullmq', 'ioredis']));
  });
});

describe('docker/compose.yml', () => {
  it('runs the service in two roles, and more of them', () => {
    expect(roles.map(([name, { environment }]) => [name, environment['PAYONCE_ROLE']])).toEqual([
      ['api', 'api'],
      ['worker', 'worker'],
    ]);
    for (const [, service] of roles) {
      expect(service).not.toHaveProperty('container_name');
      // No port of the host is asked for by name, so that two do not ask for the same.
      for (const port of service.ports ?? []) expect(port).toMatch(/^127\.0\.0\.1::\d+$/);
    }
    expect(services['api']!.ports).toEqual(['127.0.0.1::50051', `127.0.0.1::${imageEnv['PORT']}`]);
    const alone = composed({ ...given, API_PORT: '3000', API_GRPC_PORT: '50051' });
    expect(alone.services['api']!.ports).toEqual(['127.0.0.1:50051:50051', '127.0.0.1:3000:3000']);
  });

  it('builds the one image, and waits for services that are there and can tell how they are', () => {
    for (const [name, { build, depends_on: waits = {} }] of Object.entries(services)) {
      if (build) {
        const file = resolve(root, 'docker', build.context, build.dockerfile);
        expect([name, file]).toEqual([name, join(root, 'docker/Dockerfile')]);
      }
      for (const [other, { condition }] of Object.entries(waits)) {
        expect([name, other, condition]).toEqual([name, other, 'service_healthy']);
        expect(services[other]).toHaveProperty('healthcheck');
      }
    }
  });

  it('sets what the service or the simulator takes, and nothing else', () => {
    const secrets = [...pspsText.matchAll(/"env:(\w+)"/g)].map(([, name]) => name!);
    expect(secrets).toEqual(['STRIPE_WEBHOOK_SECRET', 'ADYEN_HMAC_KEY']);
    for (const [, { environment }] of roles) {
      const own = Object.entries(environment).filter(([name]) => !secrets.includes(name));
      // Refuses what it does not know, and what is wrong.
      const config = loadConfig({ ...imageEnv, ...Object.fromEntries(own) });
      const expected = { simulator: false, simulated: true, exposed: true, port: 3_000, host: '0.0.0.0' };
      expect(config).toMatchObject(expected);
      expect(config.databaseUrl).toContain('@postgres:5432/');
      expect(config.redisUrl).toBe('redis://redis:6379');
      expect(Buffer.from(config.sealKey!).toString('base64')).toBe(sealKey);
      expect(variableNames).toEqual(expect.arrayContaining(own.map(([name]) => name)));
    }
    const taken = [...read('packages/simulator/src/main.ts').matchAll(/env\['(\w+)'\]/g)].map(
      ([, name]) => name,
    );
    expect(taken).toEqual(expect.arrayContaining(Object.keys(services['simulator']!.environment ?? {})));
  });

  it('shows metrics on a port of their own, which the host does not have', () => {
    for (const [, { environment, ports = [] }] of roles) {
      const { monitoringPort } = loadConfig({
        PAYONCE_MONITORING_PORT: environment['PAYONCE_MONITORING_PORT'],
      });
      expect(monitoringPort).toEqual(expect.any(Number));
      expect(ports.filter((port) => port.endsWith(`:${monitoringPort}`))).toEqual([]);
    }
  });

  it('pins every image that it does not build by a version and a digest', () => {
    const pinned = /^[a-z]+:\d+\.\d+[\w.-]*@sha256:[0-9a-f]{64}$/;
    const foreign = Object.values(services).filter(({ build }) => !build);
    expect(foreign).toHaveLength(2);
    for (const { image } of foreign) expect(image).toMatch(pinned);
  });

  it('has no secret of its own', () => {
    for (const name of Object.keys(given)) {
      expect(() => composed({ ...given, [name]: '' })).toThrow(`${name} is missing`);
    }
    expect(composeText).not.toMatch(/\$\{(?!API_(?:GRPC_)?PORT)\w+:?-/);
    expect(composeText).not.toMatch(/whsec_simulator|0{32}|:payonce@/);
  });

  it('asks for nothing that README.md does not name', () => {
    const asked = new Set([...composeText.matchAll(/\$\{(\w+)/g)].map(([, name]) => name!));
    const [, section] = read('README.md').split('\n## In a container\n');
    const said = section!.split('\n## ')[0]!;
    expect([...asked].filter((name) => !said.includes(name))).toEqual([]);
  });

  it('mounts PSPs that the service can read, their secrets from its environment', () => {
    for (const [, { environment, volumes }] of roles) {
      const [file, place, mode] = volumes![0]!.split(':');
      expect(resolve(root, 'docker', file!)).toBe(join(root, 'docker/psps.json'));
      expect([place, mode]).toEqual([environment['PAYONCE_PSPS_FILE'], 'ro']);
      const { psps, routing } = parsePsps(pspsText, 'psps.json', environment, {
        simulated: true,
        exposed: true,
      });
      expect(psps.map(({ name }) => name)).toEqual(['stripe', 'adyen']);
      expect(psps[0]!.credentials['webhookSecret']).toBe(given.STRIPE_WEBHOOK_SECRET);
      expect(psps[1]!.credentials['hmacKey']).toBe(given.ADYEN_HMAC_KEY);
      expect(routing.length).toBeGreaterThan(0);
      // They are the simulator's.
      expect(new Set(psps.map(({ baseUrl }) => new URL(baseUrl!).hostname))).toEqual(new Set(['simulator']));
    }
    expect(() => parsePsps(pspsText, 'psps.json', {})).toThrow(PspsFileError);
    // Its keys are the simulator's, and its addresses have no certificate: not without asking for it.
    const strict = () => parsePsps(pspsText, 'psps.json', given);
    expect(strict).toThrow("/psps/0/credentials/secretKey: is the simulator's");
    expect(strict).toThrow('/psps/0/baseUrl: must be https');
  });

  it('gives a process longer to end than it takes', () => {
    for (const [name, { environment, stop_grace_period: grace }] of roles) {
      const { shutdownGraceMs } = loadConfig({
        PAYONCE_SHUTDOWN_GRACE_MS: environment['PAYONCE_SHUTDOWN_GRACE_MS'],
      });
      const [, seconds] = /^(\d+)s$/.exec(grace!)!;
      // A process ends itself 5 s after its grace (src/main.ts).
      expect([name, Number(seconds) * 1_000 > shutdownGraceMs + 5_000]).toEqual([name, true]);
    }
  });

  it('asks a simulator how it is in a way that works, on its control port', async () => {
    const simulator = await startSimulator();
    const { hostname, port } = new URL(simulator.urls.control);
    const test = services['simulator']!.healthcheck!.test;
    expect(hostname).toBe('127.0.0.1');
    expect(test[0]).toBe('CMD');
    expect(test.join(' ')).toContain('http://127.0.0.1:8450/');
    expect(services['simulator']!.ports).toEqual(['127.0.0.1:8450:8450']);
    const asks = commandOf(JSON.stringify(test.slice(1).map((arg) => arg.replace(':8450/', `:${port}/`))));
    expect(await check(asks, 0)).toBe(0);
    await simulator.close();
    expect(await check(asks, 0)).toBe(1);
  });
});

describe('what the image is made of', () => {
  let folder: string;
  let database: FreshDatabase;
  const app = () => join(folder, 'app');
  async function payonce(...args: string[]): Promise<Readonly<Record<string, string>>> {
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [join(app(), 'bin/payonce.mjs'), ...args, '--json'],
      { cwd: app(), env: { PATH: process.env['PATH'], DATABASE_URL: database.url }, timeout: 30_000 },
    );
    return JSON.parse(stdout) as Record<string, string>;
  }

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'payonce-image-'));
    database = await freshDatabase();
    const build = join(folder, 'build');
    for (const place of [build, app()]) {
      mkdirSync(place);
      // In place of `npm ci`.
      symlinkSync(join(root, 'node_modules'), join(place, 'node_modules'));
    }
    copy(building, build, root);
    const [install, ...runs] = contentOf(building, 'RUN');
    expect(install).toBe('npm ci --ignore-scripts');
    for (const run of runs) await promisify(execFile)('sh', ['-c', run], { cwd: build, timeout: 100_000 });
    copy(final, app(), build);
  }, 120_000);
  afterAll(async () => {
    await database.drop();
    rmSync(folder, { recursive: true, force: true });
  });

  it.each(roles)('starts as %s, is found healthy, and ends when told', async (_, { environment }) => {
    const [, entry] = commandOf(contentOf(final, 'CMD')[0]!);
    const service = spawnNode(join(app(), entry!), {
      cwd: app(),
      env: {
        ...imageEnv,
        ...environment,
        // What stands for the network of the containers.
        PAYONCE_PSPS_FILE: join(root, 'docker/psps.json'),
        DATABASE_URL: database.serviceUrl,
        PAYONCE_MIGRATION_DATABASE_URL: database.url,
        REDIS_URL: '',
        HOST: '127.0.0.1',
        PORT: '0',
        GRPC_PORT: 'off',
        PAYONCE_MONITORING_PORT: '0',
      },
    });
    const [, port] = await service.waitForLine(/"listening":"http:\/\/127\.0\.0\.1:(\d+)"/);
    expect(await check(probe, Number(port))).toBe(0);
    service.kill('SIGTERM');
    expect(await service.exit).toEqual({ code: 0, signal: null });
    expect(await check(probe, Number(port))).toBe(1);
  });

  it('is told of what the PSPs of the simulator do', async () => {
    const [, play] = commandOf(JSON.stringify(services['simulator']!.command));
    const [, entry] = commandOf(contentOf(final, 'CMD')[0]!);
    // What stands for the network of the containers: there, the name `api` leads to any of the APIs.
    let api = '';
    const network = createServer((request, response) => {
      const { method, headers } = request;
      const on = forward(new URL(request.url!, api), { method, headers }, (answer) => {
        response.writeHead(answer.statusCode!, answer.headers);
        answer.pipe(response);
      });
      on.on('error', () => response.destroy());
      request.pipe(on);
    }).listen(0, '127.0.0.1');
    await once(network, 'listening');
    const { port } = network.address() as AddressInfo;

    const { SIMULATOR_WEBHOOKS: hooks } = services['simulator']!.environment!;
    const simulator = spawnNode(join(app(), play!), {
      cwd: app(),
      env: {
        SIMULATOR_PORTS: 'stripe=0,adyen=0,keyless=0,control=0',
        SIMULATOR_WEBHOOKS: hooks!.replaceAll('http://api:3000', `http://127.0.0.1:${port}`),
      },
    });
    const [line] = await simulator.waitForLine(/^\{"listening":.*/);
    const { listening } = JSON.parse(line) as { listening: Record<'stripe' | 'adyen', { url: string }> };
    const psps = join(folder, 'psps.json');
    const near = pspsText
      .replaceAll('http://simulator:8420', listening.stripe.url)
      .replaceAll('http://simulator:8430', listening.adyen.url);
    writeFileSync(psps, near);

    const settings = {
      PAYONCE_PSPS_FILE: psps,
      DATABASE_URL: database.serviceUrl,
      PAYONCE_MIGRATION_DATABASE_URL: database.url,
      REDIS_URL: '',
      HOST: '127.0.0.1',
      PORT: '0',
      GRPC_PORT: 'off',
      PAYONCE_MONITORING_PORT: '0',
    };
    const started = roles.map(([, { environment }]) =>
      spawnNode(join(app(), entry!), { cwd: app(), env: { ...imageEnv, ...environment, ...settings } }),
    );
    const [atApi, atWorker] = await Promise.all(
      started.map((service) => service.waitForLine(/"listening":"([^"]+)","metrics":"([^"]+)"/)),
    );
    api = atApi![1]!;
    const shop = await payonce('merchants', 'create', '--name', 'Shop');
    const scopes = ['--scopes', 'payments:write'];
    const { key } = await payonce('api-keys', 'create', '--merchant', shop['id']!, ...scopes);
    for (const first of ['stripe', 'adyen'] as const) {
      const answer = await fetch(`${api}/v1/payments`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${key}`,
          'content-type': 'application/json',
          'idempotency-key': `order-${first}`,
        },
        body: JSON.stringify(
          orderOf({ first, reference: `order-${first}`, tokens: { [first]: tokens[first] } }),
        ),
      });
      expect([first, answer.status]).toEqual([first, 201]);
    }
    for (const path of ['', '/packages/simulator', '/api/merchants', '/assets/swagger-ui-bundle.js']) {
      const { status } = await fetch(`${api}/docs${path}`);
      expect([path, status]).toEqual([path, 200]);
    }
    await eventually(async () => {
      const metrics = await (await fetch(`${atWorker![2]!}/metrics`)).text();
      const applied = (psp: string) =>
        metrics.includes(`payonce_webhook_decisions_total{psp="${psp}",state="applied",reason="none"} 1`);
      return applied('stripe') && applied('adyen');
    }, 'what the PSPs told is applied');

    for (const service of [...started, simulator]) service.kill('SIGTERM');
    for (const service of [...started, simulator]) expect(await service.exit).toMatchObject({ code: 0 });
    network.close();
  });

  it('starts as simulator', async () => {
    const [, entry] = commandOf(JSON.stringify(services['simulator']!.command));
    const ports = 'stripe=0,adyen=0,keyless=0,control=0';
    const simulator = spawnNode(join(app(), entry!), { cwd: app(), env: { SIMULATOR_PORTS: ports } });
    await simulator.waitForLine(/^\{"listening":/);
    simulator.kill('SIGTERM');
    expect(await simulator.exit).toEqual({ code: 0, signal: null });
  });

  it('has the command line', async () => {
    expect(await payonce('merchants', 'create', '--name', 'Shop')).toMatchObject({ name: 'Shop' });
  });
});
