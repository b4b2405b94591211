import { type Outcome } from '@payonce/conformance';
import { spawnNode } from '../support/process.js';

/** The kit against the service as it is built. `500, and nothing is done` may stay open: Stripe calls it indeterminate. */
describe.each(['stripe', 'adyen'])('the 40 trials at %s', (psp) => {
  it('do every operation once, and tell the truth', async () => {
    const args = ['--target', 'dist/demo/conformance.js', '--psp', psp, '--json'];
    const kit = spawnNode('packages/conformance/dist/main.js', { args });
    expect(await kit.exit).toMatchObject({ code: 0 });
    const outcomes = JSON.parse(kit.stdout()) as Outcome[];
    expect(outcomes).toHaveLength(40);
    const unsettled = outcomes.filter(({ verdict }) => verdict !== 'once' && verdict !== 'none');
    expect(unsettled.filter(({ trial }) => !trial.startsWith('500'))).toEqual([]);
    expect(unsettled.length).toBeLessThan(3);
  });
});
