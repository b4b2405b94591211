import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readAlertsFile } from './alerts-file.js';
import { temporaryFolder } from '../../test/support/temporary-folder.js';

const folder = temporaryFolder();
let files = 0;
function read(content: unknown, env: Readonly<Record<string, string>> = {}) {
  const file = join(folder, `${(files += 1)}.json`);
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  return readAlertsFile(file, env);
}
const slack = { name: 'night', type: 'slack', url: 'https://hooks.example/T0/B0/secret' };

describe('the file of alerts', () => {
  it('is read, with secrets from the environment', () => {
    const mail = {
      name: 'finance',
      type: 'mail',
      smtp: 'env:SMTP',
      from: 'a@pay.example',
      to: ['b@pay.example'],
    };
    const given = {
      consoleUrl: 'https://pay.example/ops',
      channels: [slack, { ...mail, kinds: ['breaks', 'late_reports'] }],
    };
    expect(read(given, { SMTP: 'smtps://u:p@mail.example' })).toEqual({
      consoleUrl: 'https://pay.example/ops',
      channels: [slack, { ...mail, kinds: ['breaks', 'late_reports'], smtp: 'smtps://u:p@mail.example' }],
    });
    expect(read({ channels: [slack] }).consoleUrl).toBeNull();
  });

  it.each([
    ['not JSON', '{"channels": [{"url": "https://hooks.example/T0/B0/secret"', 'it is not JSON'],
    ['no channels', { channels: [] }, '/channels must NOT have fewer than 1 items'],
    [
      'an unknown member',
      { channels: [{ ...slack, token: 'x' }] },
      '/channels/0 has token, which is not known',
    ],
    ['an unknown type', { channels: [{ ...slack, type: 'pigeon' }] }, '/channels/0'],
    [
      'an unknown list',
      { channels: [{ ...slack, kinds: ['stuk'] }] },
      '/channels/0/kinds/0 must be equal to',
    ],
    ['the name of another', { channels: [slack, slack] }, 'two channels have one name'],
    [
      'http elsewhere',
      { channels: [{ ...slack, url: 'http://hooks.example/x' }] },
      'night.url must be an https URL',
    ],
    [
      'an address in clear',
      { channels: [slack], consoleUrl: 'http://pay.example' },
      'consoleUrl must be an https URL',
    ],
    [
      'a variable that is not set',
      { channels: [{ ...slack, url: 'env:NO_SUCH' }] },
      'night.url: NO_SUCH is not set',
    ],
    [
      'no mail server',
      { channels: [{ name: 'm', type: 'mail', smtp: 'https://mail.example', from: 'a', to: ['b'] }] },
      'm.smtp must be smtp:// or smtps://',
    ],
    [
      'a password that breaks the address',
      {
        channels: [{ name: 'm', type: 'mail', smtp: 'smtp://u:secret/1@mail.example', from: 'a', to: ['b'] }],
      },
      'm.smtp must be smtp:// or smtps://',
    ],
    [
      'a password that is not encoded',
      {
        channels: [
          { name: 'm', type: 'mail', smtp: 'smtp://u:50%secret@mail.example', from: 'a', to: ['b'] },
        ],
      },
      'm.smtp must be smtp:// or smtps://',
    ],
  ])('is refused with %s, without the secrets in it', (_what, content, complaint) => {
    let said = '';
    try {
      read(content);
    } catch (error) {
      said = String(error);
    }
    expect(said).toContain(complaint);
    expect(said).not.toContain('secret');
  });
});
