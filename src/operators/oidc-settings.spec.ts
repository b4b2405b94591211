import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isSureOf, readOidcFile, roleOf } from './oidc-settings.js';
import { temporaryFolder } from '../../test/support/temporary-folder.js';

const whole = {
  issuer: 'https://id.example',
  clientId: 'payonce',
  clientSecret: 'env:SECRET',
  redirectUri: 'https://pay.example/ops/api/session/oidc/callback',
  roleClaim: 'groups',
  roles: { payments: 'operator', chiefs: 'admin' },
};

const file = join(temporaryFolder(), 'oidc.json');
function read(content: unknown): unknown {
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  return readOidcFile(file, { SECRET: 's3cret' });
}

it('reads the file, with its secret from the environment', () => {
  expect(read(whole)).toEqual({
    ...whole,
    clientSecret: 's3cret',
    scope: 'openid email profile',
    createOperators: false,
  });
});

it.each<[string, unknown]>([
  ['issuer must be an https URL', { ...whole, issuer: 'http://id.example' }],
  ['redirectUri must be an https URL', { ...whole, redirectUri: 'pay.example' }],
  ['the path of redirectUri', { ...whole, redirectUri: 'https://pay.example/' }],
  ['roles must give', { ...whole, roles: {} }],
  ['roles must give', { ...whole, roles: { payments: 'root' } }],
  ['GONE is not set', { ...whole, clientSecret: 'env:GONE' }],
  ['createOperators must be', { ...whole, createOperators: 'yes' }],
  ['acrValues must be a list', { ...whole, acrValues: [] }],
  ['amr must be a list', { ...whole, amr: ['two words'] }],
  ['maxAge must be whole seconds', { ...whole, maxAge: 0 }],
  ['clientID is not known', { ...whole, clientID: 'x' }],
  ['it is not JSON', '{ s3cret'],
])('refuses what is wrong: %s', (what, content) => {
  expect(() => read(content)).toThrow(what);
  expect(() => read(content)).not.toThrow('s3cret');
});

it('gives the highest role of those that the claim names, and none for what it does not name', () => {
  const { roleClaim } = whole;
  const roles = { payments: 'operator', chiefs: 'admin' } as const;
  const of = (groups: unknown) => roleOf({ roleClaim, roles }, { groups });
  expect(of(['payments', 'chiefs', 'other'])).toBe('admin');
  expect(of('payments')).toBe('operator');
  expect([of(undefined), of([]), of('constructor'), of(['admin']), of({ chiefs: true })]).toEqual(
    Array(5).fill(null),
  );
});

it('takes only what was asked for as sure enough of the person', () => {
  const asked = { acrValues: ['gold', 'silver'], amr: ['otp', 'pwd'] };
  expect(isSureOf(asked, { acr: 'silver', amr: ['pwd', 'otp', 'mfa'] })).toBe(true);
  for (const claims of [
    {},
    { acr: 'bronze', amr: ['pwd', 'otp'] },
    { acr: ['gold'], amr: ['pwd', 'otp'] },
    { acr: 'gold', amr: ['pwd'] },
    { acr: 'gold', amr: 'otp pwd' },
    { amr: ['pwd', 'otp'] },
  ]) {
    expect(isSureOf(asked, claims)).toBe(false);
  }
  expect(isSureOf({}, {})).toBe(true);
});
