import { insert } from '../../src/kernel/index.js';
import { audit } from '../../src/kernel/index.js';
import { FinalError, type JobKind, jobIdOf } from '../../src/jobs/index.js';
import { eventually } from '../support/service.js';
import { redisBinary } from '../support/redis-server.js';
import { clock, type Deed, gate, ids, JobsStage, names } from './jobs-stage.js';

const backends = redisBinary ? (['postgres', 'redis'] as const) : (['postgres'] as const);

describe.each(backends)('staged jobs, with queues in %s', (backend) => {
  let stage: JobsStage;
  beforeEach(async () => {
    stage = await JobsStage.open(backend);
  });
  afterEach(() => stage.close());

  it('are run once each, soon, and leave no row', async () => {
    const kind = stage.deeds();
    await stage.runtime({ kinds: [kind] });
    await stage.stage(kind, names(40));
    await eventually(async () => (await stage.count('effects')) === 40, 'all were done', 5_000);
    expect(await stage.count('runs')).toBe(40);
    await eventually(async () => (await stage.count('staged_jobs')) === 0, 'no row is left');
    const metrics = await stage.metrics.metrics();
    expect(metrics).toContain('payonce_jobs_total{kind="deed.do",outcome="done"} 40');
    expect(metrics).toContain('payonce_jobs_staged 0');
  });
});
