import { type Pool } from 'pg';
import { ManualClock } from '../core/clock.js';
import { bankSettingsOf } from '../psp/bank-sepa/bank-settings.js';
import { type BankDrop } from '../psp/bank-sepa/bank-drop.js';
import { Receiver } from './receiver.js';

const bank = bankSettingsOf({
  account: { name: 'Shop', iban: 'DE89370400440532013000' },
  sftp: { host: 'bank.example', user: 'shop', hostKey: 'SHA256:x', upload: '/in', download: '/out' },
  cutOffs: { everyMinutes: 60 },
});

it('reads the other files where one cannot be read, and says that one could not', async () => {
  const recorded: unknown[] = [];
  const pool = {
    async query(sql: string, values: readonly unknown[]) {
      if (sql.includes('INSERT INTO bank_files')) recorded.push(values[2]);
      return { rows: [], rowCount: sql.includes('INSERT INTO bank_files') ? 1 : 0 };
    },
  };
  const at = (name: string) => ({ name, bytes: 1, modifiedAt: new Date(0) });
  const drop = {
    list: () => Promise.resolve([at('a.xml'), at('b.xml'), at('c.xml')]),
    read: (path: string) =>
      path === '/out/a.xml'
        ? Promise.reject(new Error('permission denied'))
        : Promise.resolve(Buffer.from(path)),
  };
  const receiver = new Receiver(
    pool as unknown as Pool,
    { store: () => Promise.resolve(new Set()) },
    { announce: () => Promise.resolve() },
    new ManualClock(0),
  );
  const psp = { name: 'bank', bank, key: { privateKey: '' } };
  await expect(receiver.fetch(psp, drop as unknown as BankDrop)).rejects.toThrow('permission denied');
  expect(recorded).toEqual(['b.xml', 'c.xml']);
});
