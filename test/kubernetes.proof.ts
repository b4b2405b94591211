import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import {
  createProgram,
  flattenDiagnosticMessageText,
  getPreEmitDiagnostics,
  ModuleKind,
  ModuleResolutionKind,
} from 'typescript';
import { parseAllDocuments } from 'yaml';
import { variableNames } from '../src/config/environment.js';
import { freshDatabase } from './support/database.js';
import { spawnNode } from './support/process.js';

/** The manifests against the schemas of Kubernetes, and against each other and the service. No cluster is needed. */
const text = readFileSync(resolve(__dirname, '../docker/kubernetes.yaml'), 'utf8');

interface Labels {
  readonly [name: string]: string;
}
interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string };
}
interface Container {
  readonly name: string;
  readonly command?: readonly string[];
  readonly env?: readonly { readonly name: string; readonly value: string }[];
  readonly ports?: readonly { readonly name: string }[];
  readonly startupProbe: Probe;
  readonly livenessProbe: Probe;
  readonly readinessProbe: Probe;
  readonly lifecycle?: {
    readonly preStop: { readonly exec: { readonly command: readonly [string, string] } };
  };
  readonly volumeMounts?: readonly { readonly name: string; readonly mountPath: string }[];
}
interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly selector?: Labels & { readonly matchLabels?: Labels };
    readonly ports?: readonly { readonly targetPort: string }[];
    readonly template?: {
      readonly metadata: { readonly labels: Labels };
      readonly spec: {
        readonly terminationGracePeriodSeconds?: number;
        readonly containers: readonly [Container];
        readonly volumes?: readonly { readonly name: string }[];
      };
    };
  };
}
const manifests = parseAllDocuments(text).map((document) => document.toJS() as Manifest);
const of = (kind: string) => manifests.filter((each) => each.kind === kind);
const deployments = of('Deployment');
const labelsOf = ({ spec }: Manifest) => spec.template!.metadata.labels;
const podOf = ({ spec }: Manifest) => spec.template!.spec;

/** What the types of Kubernetes say of these manifests: missing and misspelt fields, and values of another type. */
function complaintsOf(all: readonly Manifest[]): string[] {
  const cache = resolve(__dirname, '../.cache');
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, 'kubernetes-'));
  try {
    const file = join(folder, 'manifests.ts');
    const lines = all.map((manifest, n) => {
      const from = `kubernetes-models/${manifest.apiVersion}`;
      return `import { type I${manifest.kind} as T${n} } from '${from}';\nexport const m${n}: T${n} = ${JSON.stringify(manifest)};`;
    });
    writeFileSync(file, lines.join('\n'));
    const program = createProgram([file], {
      strict: true,
      noEmit: true,
      skipLibCheck: true,
      module: ModuleKind.Preserve,
      moduleResolution: ModuleResolutionKind.Bundler,
    });
    return getPreEmitDiagnostics(program).map(({ messageText }) =>
      flattenDiagnosticMessageText(messageText, ' '),
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
}

it('is what Kubernetes takes', () => {
  expect(manifests.map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual([
    'Job payonce-migrate',
    'Deployment payonce-api',
    'Deployment payonce-worker',
    'Service payonce',
    'PodDisruptionBudget payonce-api',
    'PodDisruptionBudget payonce-worker',
  ]);
  expect(complaintsOf(manifests)).toEqual([]);
});

it('notices a field that is misspelt, and a value of another type', () => {
  const [, api] = manifests;
  const misspelt = { ...api!, spec: { ...api!.spec, replica: 2 } };
  expect(complaintsOf([misspelt]).join()).toContain('"replica"');
  expect(complaintsOf([{ ...api!, spec: { ...api!.spec, replicas: '2' } } as Manifest])).toHaveLength(1);
});

it('finds its pods by the labels that they have', () => {
  for (const deployment of deployments)
    expect(labelsOf(deployment)).toEqual(deployment.spec.selector!.matchLabels);
  const budgets = of('PodDisruptionBudget').map(({ spec }) => spec.selector!.matchLabels);
  expect(budgets).toEqual(deployments.map(labelsOf));
  const [service] = of('Service');
  const [api] = deployments;
  expect(service!.spec.selector).toEqual(labelsOf(api!));
  const ports = podOf(api!).containers[0].ports!.map(({ name }) => name);
  for (const { targetPort } of service!.spec.ports!) expect(ports).toContain(targetPort);
});

it.each(deployments.map((each) => [each.metadata.name, each] as const))(
  '%s: its settings, probes, volumes and time to end are those of the service',
  (_, deployment) => {
    const pod = podOf(deployment);
    const [container] = pod.containers;
    expect(variableNames).toEqual(expect.arrayContaining(container.env!.map(({ name }) => name)));
    const paths = [container.startupProbe, container.livenessProbe, container.readinessProbe].map(
      ({ httpGet }) => httpGet.path,
    );
    // A restart mends no database: only what is not live is started again.
    expect(paths).toEqual(['/health/live', '/health/live', '/health/ready']);
    expect(container.volumeMounts!.map(({ name }) => name)).toEqual(pod.volumes!.map(({ name }) => name));
    const pspsFile = container.env!.find(({ name }) => name === 'PAYONCE_PSPS_FILE')!.value;
    expect(pspsFile.startsWith(container.volumeMounts![0]!.mountPath)).toBe(true);
    const pauseS = Number(container.lifecycle?.preStop.exec.command[1] ?? 0);
    // PAYONCE_SHUTDOWN_GRACE_MS, and the time after which a process ends itself.
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(pauseS + 15 + 5);
  },
);

it('has a job that migrates with what it is given', async () => {
  const database = await freshDatabase();
  try {
    const [entry, ...args] = podOf(of('Job')[0]!).containers[0].command!.slice(1);
    const child = spawnNode(entry!, {
      args,
      env: {
        NODE_ENV: 'production',
        DATABASE_URL: database.serviceUrl,
        PAYONCE_MIGRATION_DATABASE_URL: database.url,
        PAYONCE_SEAL_KEY: Buffer.alloc(32, 7).toString('base64'),
      },
    });
    expect(await child.exit).toMatchObject({ code: 0 });
  } finally {
    await database.drop();
  }
});
