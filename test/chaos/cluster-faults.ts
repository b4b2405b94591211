import { type FaultKindPlayed, type Scene } from './faults.js';
import { type Cluster } from './cluster.js';
import { type ClusterNode } from './cluster-node.js';
import { compareAndResume } from './operator.js';

/** How often it is asked who takes writes. */
const LOOK_MS = 200;
const MOST_LOOKS = 300;

/** Kinds of faults of a cluster. Each ends with all nodes there again. */
export function ofCluster(cluster: Cluster): readonly FaultKindPlayed[] {
  const kind = (name: string, play: (scene: Scene) => Promise<void>): FaultKindPlayed => ({
    name,
    group: 'postgres',
    atPsps: false,
    play: async (scene) => {
      await scene.during(500 + 1_000 * scene.random());
      const before = await cluster.primary();
      await play(scene);
      await cluster.settled();
      const isPromoted = (await cluster.primary()) !== before;
      if (isPromoted && !cluster.isSynchronous)
        scene.installation.lost.push(await compareAndResume(name, scene));
    },
  });
  const kinds = [
    kind('primary: Postgres killed', async () => {
      await (await cluster.primary()).killPostmaster();
    }),
    kind('primary: node killed', async ({ during }) => {
      const primary = await cluster.primary();
      await primary.kill();
      await cluster.isReplaced(primary);
      await during(2_000);
      primary.start();
    }),
    kind('primary: cut off', async (scene) => {
      const primary = await cluster.primary();
      primary.cutOff();
      await Promise.all([cluster.isReplaced(primary), watchForTwo(cluster, scene, primary)]);
      await scene.during(2_000);
      primary.rejoin();
    }),
    kind('switchover by hand', () => cluster.switchOver()),
    kind('first standby killed', async ({ during }) => {
      const [first] = await cluster.standbys();
      await first!.kill();
      await during(6_000);
      first!.start();
    }),
    kind('both standbys killed', async ({ during }) => {
      const standbys = await cluster.standbys();
      await Promise.all(standbys.map((standby) => standby.kill()));
      await during(10_000);
      for (const standby of standbys) standby.start();
    }),
  ];
  if (!cluster.isSynchronous) return kinds;
  return [
    ...kinds,
    // Two take writes then, and only a synchronous standby tells what counts.
    kind('primary: Patroni frozen', async ({ during }) => {
      const primary = await cluster.primary();
      primary.freeze();
      await cluster.isReplaced(primary);
      await during(3_000);
      primary.thaw();
    }),
    kind('waits for the standby cancelled', async ({ installation, during }) => {
      const primary = await cluster.primary();
      primary.replication.misbehave({ do: 'stall' });
      for (let times = 0; times < 10; times++) {
        await during(500);
        await installation.sql(
          "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'",
        );
      }
      primary.replication.behave();
    }),
  ];
}

/** A primary that is cut off must have stopped before another one begins. */
async function watchForTwo(
  cluster: Cluster,
  { installation, during }: Scene,
  former: ClusterNode,
): Promise<void> {
  for (let times = 0; times < MOST_LOOKS; times++) {
    const taking = await Promise.all(cluster.nodes.map((node) => node.takesWrites()));
    const names = cluster.nodes.filter((_, n) => taking[n]).map(({ name }) => name);
    if (names.length > 1) installation.witnessed.push(`${names.join(' and ')} take writes at once`);
    if (names.length > 0 && !names.includes(former.name)) return;
    await during(LOOK_MS);
  }
}
