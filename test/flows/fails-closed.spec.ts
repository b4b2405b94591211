import { spawnNode } from '../support/process.js';

/** A start that would take payments nowhere real is refused before it touches anything. */
describe('a start without a PSP account', () => {
  const nowhere = 'postgresql://nobody:nothing@127.0.0.1:1/nothing';
  it.each<[string, Record<string, string>]>([
    ['in production', { NODE_ENV: 'production' }],
    ['with a database', { DATABASE_URL: nowhere }],
    ['reached from other machines', { HOST: '0.0.0.0' }],
    ['without the simulator', { PAYONCE_SIMULATOR: 'off' }],
  ])('%s is refused and says what to do', async (_, env) => {
    const service = spawnNode('dist/src/main.cjs', {
      // Should it start after all, then not on a database of its own.
      env: { PORT: '0', PAYONCE_DATA_DIR: '/dev/null/payonce', ...env },
    });
    expect(await service.exit).toEqual({ code: 1, signal: null });
    expect(service.output()).toBe(
      'The configuration is not valid:\n  there is no PSP account: name a file of them with PAYONCE_PSPS_FILE ' +
        '(docs/configuration.md), or set PAYONCE_SIMULATOR=on, with which no payment is real\n',
    );
  });
});
