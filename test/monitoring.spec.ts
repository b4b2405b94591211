import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parse } from 'yaml';
import { describeWith } from './support/program.js';
import {
  eventually,
  orderOf,
  openWithService,
  type Service,
  type TestEnvironment,
} from './support/test-environment.js';

/** The alert rules and the dashboard in monitoring/, with the tools of Prometheus. */
const folder = resolve(__dirname, '../monitoring');
const rulesFile = join(folder, 'alerts.yml');
const describeWithPrometheus = (title: string, body: () => void): void =>
  describeWith('promtool', title, body);

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly annotations: { readonly runbook_url: string };
}
const { groups } = parse(readFileSync(rulesFile, 'utf8')) as { groups: { rules: Rule[] }[] };
const rules = groups.flatMap((group) => group.rules);

describe('what monitoring/ names', () => {
  let environment: TestEnvironment;
  let service: Service;
  let metrics: string;
  beforeAll(async () => {
    const opened = await openWithService({ env: { GRPC_PORT: '0' } }, { role: 'all' });
    ({ environment, service } = opened);
    await opened.client.post('/v1/payments', orderOf(), 'monitored-1');
    await opened.client.post('/v1/payments', orderOf(), 'monitored-1');
    metrics = await (await fetch(`${service.url}/metrics`)).text();
  });
  afterAll(() => environment.close());

  it('is measured: every metric of a rule and of a panel is there', () => {
    const { panels } = JSON.parse(readFileSync(join(folder, 'grafana-dashboard.json'), 'utf8')) as {
      panels: { targets: { expr: string }[] }[];
    };
    const exprs = [
      ...rules.map(({ expr }) => expr),
      ...panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
    ];
    const names = new Set(exprs.flatMap((expr) => expr.match(/\b(?:payonce|process|nodejs)_[a-z_]+/g) ?? []));
    const missing = [...names].filter(
      (name) => !metrics.includes(`# HELP ${name.replace(/_(count|bucket|sum)$/, '')} `),
    );
    expect([names.size > 15, missing]).toEqual([true, []]);
  });

  it('counts payments by status, keys by what became of them, and says what runs', () => {
    for (const line of [
      /^payonce_status_changes_total\{object="payment",status="captured"\} 1$/m,
      /^payonce_idempotency_total\{result="new"\} 1$/m,
      /^payonce_idempotency_total\{result="replayed"\} 1$/m,
      /^payonce_psp_breaker_open\{psp="stripe"\} 0$/m,
      /^payonce_build_info\{version="[^"]+",node="v\d+[^"]*"\} 1$/m,
      /^process_resident_memory_bytes \d+$/m,
    ]) {
      expect(metrics).toMatch(line);
    }
  });

  it('has a runbook for each alert', () => {
    for (const { annotations } of rules) {
      const path = annotations.runbook_url.replace(/^.*\/blob\/main\//, '').replace(/#.*$/, '');
      expect(readFileSync(resolve(__dirname, '..', path), 'utf8').length).toBeGreaterThan(300);
    }
  });
});

describeWithPrometheus('the alert rules', () => {
  it('fire when they should, and not before', () => {
    const tested = execFileSync('promtool', ['test', 'rules', 'alerts.test.yml'], { cwd: folder }).toString();
    expect(tested).toContain('SUCCESS');
    const cases = readFileSync(join(folder, 'alerts.test.yml'), 'utf8');
    expect(rules.filter(({ alert }) => !cases.includes(`alertname: ${alert}\n`))).toEqual([]);
  });

  it('are loaded by a real Prometheus', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'payonce-prometheus-'));
    const config = join(directory, 'prometheus.yml');
    writeFileSync(config, `rule_files: [${JSON.stringify(rulesFile)}]\n`);
    const args = [
      `--config.file=${config}`,
      `--storage.tsdb.path=${directory}/data`,
      '--web.listen-address=127.0.0.1:0',
    ];
    const prometheus = spawn('prometheus', args, { stdio: ['ignore', 'ignore', 'pipe'] });
    try {
      let said = '';
      prometheus.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
      const address = await eventually(
        () => /Listening on" address=(127\.0\.0\.1:\d+)/.exec(said)?.[1],
        'Prometheus listens',
      );
      const loaded = await eventually(async () => {
        const response = await fetch(`http://${address}/api/v1/rules`).catch(() => null);
        if (response?.status !== 200) return null;
        const { data } = (await response.json()) as { data: { groups: { rules: { name: string }[] }[] } };
        return data.groups.length > 0 ? data.groups.flatMap((group) => group.rules) : null;
      }, 'the rules are loaded');
      expect(loaded.map(({ name }) => name)).toEqual(rules.map(({ alert }) => alert));
    } finally {
      prometheus.kill('SIGKILL');
      rmSync(directory, { recursive: true, force: true });
    }
  });
});
