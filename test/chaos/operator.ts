import { pspNames } from '@payonce/simulator';
import { eventually } from '../support/eventually.js';
import { type Scene } from './faults.js';

/** What became of the last commits, as an operator saw it. */
export interface LostCommits {
  /** The kind of fault after which a standby was promoted. */
  readonly kind: string;
  /** From the moment when all nodes were there again until the hold was seen, in ms. */
  readonly heldAfterMs: number;
  /** Effects at PSPs that no row knows any more. */
  readonly unknownEffects: number;
}

/** A promoted standby need not have the last commits: does what docs/operations.md says under "Lost commits". */
export async function compareAndResume(kind: string, { installation, during }: Scene): Promise<LostCommits> {
  const since = performance.now();
  const isHeld = async () => {
    const status = (await installation.payonce('failover', 'status')) as { hold: string };
    return status.hold === 'operations';
  };
  await eventually(isHeld, 'operations are held');
  const heldAfterMs = performance.now() - since;
  // Customers are refused meanwhile, and what is under way at PSPs ends.
  await during(4_000);
  const effects = pspNames.flatMap((psp) => installation.simulator.ledger(psp).effects);
  const rows = await installation.sql<{ key: string }>('SELECT psp_idempotency_key AS key FROM psp_requests');
  const known = new Set(rows.map(({ key }) => key));
  const unknown = effects.filter(
    ({ idempotency_key: key, route }) => key !== null && route !== null && !known.has(key),
  );
  // A request whose first route was lost finds its effect by its key; that of a later route a person would give back.
  const later = unknown.filter(({ route }) => route !== '1');
  if (later.length > 0) throw new Error(`effects of lost later routes: ${JSON.stringify(later)}`);
  await installation.payonce('failover', 'resume', '--by', 'chaos');
  const before = installation.lost.reduce((sum, each) => sum + each.unknownEffects, 0);
  return { kind, heldAfterMs, unknownEffects: unknown.length - before };
}
