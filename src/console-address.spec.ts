import { consoleOf, noteConsole } from './console-address.js';
import { temporaryFolder } from '../test/support/temporary-folder.js';

const dataDir = temporaryFolder();
const own = { databaseUrl: null, dataDir, port: 3_000, opsPort: null };

it('is where the service of this folder listened last, and by the configuration before that', () => {
  expect(consoleOf({ ...own, port: 3_005 })).toBe('http://127.0.0.1:3005');
  expect(consoleOf({ ...own, opsPort: 3_006 })).toBe('http://127.0.0.1:3006');
  noteConsole(own, 'http://127.0.0.1:43210');
  expect(consoleOf(own)).toBe('http://127.0.0.1:43210');
});

it('is that of the configuration where the database is elsewhere', () => {
  const elsewhere = { ...own, databaseUrl: 'postgres://db/payonce' };
  noteConsole(elsewhere, 'http://10.0.0.1:80');
  expect(consoleOf(elsewhere)).toBe('http://127.0.0.1:3000');
});
