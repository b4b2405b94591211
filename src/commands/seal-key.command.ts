import { type Command } from 'commander';
import { command, type RunCommand, withExamples } from './command.js';

export function addSealKey(payonce: Command, perform: RunCommand): void {
  const sealKey = withExamples(
    payonce.command('seal-key').description('rotate the key that encrypts tokens at rest'),
    'rotate',
  );
  command(
    sealKey,
    'rotate',
    'encrypt again under PAYONCE_SEAL_KEY what is under PAYONCE_SEAL_KEY_PREVIOUS',
    '',
  ).action(() =>
    perform(async ({ rotateSealKey }) => {
      const { reencrypted } = await rotateSealKey();
      return {
        json: { reencrypted },
        text: `Re-encrypted ${reencrypted} values; the database is now written with PAYONCE_SEAL_KEY.`,
      };
    }),
  );
}
