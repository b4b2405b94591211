import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sealKeyOf } from './seal-key.js';

describe('sealKeyOf', () => {
  const dataDir = join(mkdtempSync(join(tmpdir(), 'payonce-seal-')), 'made', 'here');
  afterAll(() => rmSync(join(dataDir, '..', '..'), { recursive: true }));

  it('prefers the configured key and touches nothing', () => {
    const sealKey = Buffer.alloc(32, 1);
    expect(sealKeyOf({ sealKey, databaseUrl: null, dataDir: '/nowhere' })).toBe(sealKey);
  });

  it('makes a key once, for its owner only', () => {
    const first = sealKeyOf({ sealKey: null, databaseUrl: null, dataDir });
    expect(first).toHaveLength(32);
    expect(sealKeyOf({ sealKey: null, databaseUrl: null, dataDir })).toEqual(first);
    expect(readdirSync(dataDir)).toEqual(['seal.key']);
    expect(statSync(join(dataDir, 'seal.key')).mode & 0o777).toBe(0o600);
  });

  it('makes none for a database elsewhere, and says where one may lie', () => {
    const databaseUrl = 'postgresql://u:p@127.0.0.1/pay';
    const without = () => sealKeyOf({ sealKey: null, databaseUrl, dataDir: '/no/such/place' });
    expect(without).toThrow(/PAYONCE_SEAL_KEY is missing.*\/no\/such\/place\/seal\.key/);
  });

  it('refuses a damaged key rather than making another', () => {
    writeFileSync(join(dataDir, 'seal.key'), 'half');
    expect(() => sealKeyOf({ sealKey: null, databaseUrl: null, dataDir })).toThrow(/does not hold 32 bytes/);
  });
});
