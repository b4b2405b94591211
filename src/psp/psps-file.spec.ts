import { adapters } from './registry.js';
import { type BankInstructions } from './bank-sepa/bank-instructions.js';
import { accountOf, noticeReaderOf, type PspsConfig } from './psps-config.js';
import { defaultPsps, parsePsps, PspsFileError, readPspsFile } from './psps-file.js';

const env = { STRIPE: 'sk_live_verysecret', ADYEN: 'AQEverysecret' };
const stripe = { name: 'stripe', adapter: 'stripe', credentials: { secretKey: 'env:STRIPE' } };
const adyen = {
  name: 'adyen',
  adapter: 'adyen',
  baseUrl: 'http://127.0.0.1:8430/v71',
  timeoutMs: 500,
  credentials: { apiKey: 'env:ADYEN', merchantAccount: 'PayonceECOM' },
};

const bank = {
  name: 'bank',
  adapter: 'bank-sepa',
  credentials: { privateKey: 'env:STRIPE' },
  bank: {
    account: { name: 'Shop', iban: 'DE89370400440532013000' },
    sftp: {
      host: 'bank.example',
      user: 'shop',
      hostKey: `SHA256:${'A'.repeat(43)}`,
      upload: '/in',
      download: '/out',
    },
    cutOffs: { times: ['12:00'], timeZone: 'Europe/Berlin' },
  },
};

const accountsOf = ({ psps }: PspsConfig, instructions?: BankInstructions) =>
  psps.map((psp) => accountOf(psp, undefined, instructions));
const parse = (content: object) => parsePsps(JSON.stringify(content), 'psps.json', env);

function problemsOf(text: string): string[] {
  try {
    parsePsps(text, 'psps.json', env);
  } catch (error) {
    expect(error).toBeInstanceOf(PspsFileError);
    expect((error as Error).message).not.toMatch(/verysecret/);
    return (error as PspsFileError).problems.map(({ pointer, message }) => `${pointer}: ${message}`);
  }
  return [];
}

const problems = (content: object) => problemsOf(JSON.stringify(content));

describe('parsePsps', () => {
  it('resolves what is in the environment and fills in what may be left out', () => {
    const routing = [
      { when: { currency: ['EUR'], amountBelow: 50_000 }, order: ['adyen', 'stripe'] },
      {
        split: [
          { psp: 'stripe', weight: 9 },
          { psp: 'adyen', weight: 1 },
        ],
      },
    ];
    const config = parse({ psps: [stripe, adyen], routing });
    expect(config.psps[0]).toEqual({
      name: 'stripe',
      adapter: 'stripe',
      timeoutMs: 10_000,
      credentials: { secretKey: 'sk_live_verysecret' },
    });
    expect(config.psps[1]).toMatchObject({ timeoutMs: 500, baseUrl: 'http://127.0.0.1:8430/v71' });
    expect(config.routing).toEqual(routing);
  });

  it('fills in what a bank need not be told, and knows its account by the IBAN', () => {
    const config = parse({ psps: [bank] });
    expect(config.psps[0]!.bank).toMatchObject({
      sftp: { port: 22 },
      creditTransferFormat: 'pain.001.001.09',
      directDebitFormat: 'pain.008.001.08',
      settledBy: 'statement',
      answersWithinDays: 5,
    });
    const instructions = {} as BankInstructions;
    const fingerprintOf = (content: object) =>
      accountsOf(parse({ psps: [content] }), instructions)[0]!.fingerprint;
    const moved = { ...bank.bank, sftp: { ...bank.bank.sftp, host: 'other.example' } };
    const other = { ...bank.bank, account: { name: 'Shop', iban: 'NL91ABNA0417164300' } };
    expect(fingerprintOf({ ...bank, bank: moved })).toBe(fingerprintOf(bank));
    expect(fingerprintOf({ ...bank, bank: other })).not.toBe(fingerprintOf(bank));
    const [account] = accountsOf(config, instructions);
    expect(account!.adapter.capabilities.operations).toEqual(['payout', 'refund']);
    expect(account!.secrets).toContain('sk_live_verysecret');
  });

  it('asks the accounts in their order where no routing is written', () => {
    expect(parse({ psps: [adyen, stripe] }).routing).toEqual([{ order: ['adyen', 'stripe'] }]);
  });

  it('names file, place and variable when a variable is missing', () => {
    const credentials = { secretKey: 'env:NO_SUCH' };
    expect(() => parse({ psps: [{ ...stripe, credentials }] })).toThrow(
      'psps.json: /psps/0/credentials/secretKey: the environment variable NO_SUCH is not set',
    );
  });

  it.each<[string, object, string]>([
    ['an unknown field', { psps: [stripe], extra: 1 }, '/extra: is not known'],
    ['an unknown field of an account', { psps: [{ ...stripe, key: 1 }] }, '/psps/0/key: is not known'],
    [
      'a rule without an account',
      { psps: [], routing: [{ order: [] }] },
      '/routing/0/order: must not have fewer than 1 items',
    ],
    [
      'a timeout that is too short',
      { psps: [{ ...stripe, timeoutMs: 99 }] },
      '/psps/0/timeoutMs: must be >= 100',
    ],
    [
      'a timeout that is too long',
      { psps: [{ ...stripe, timeoutMs: 60_001 }] },
      '/psps/0/timeoutMs: must be <= 60000',
    ],
    ['two of one name', { psps: [stripe, stripe] }, '/psps/1/name: is taken by an entry above'],
    [
      'an unknown adapter',
      { psps: [{ ...stripe, adapter: 'x' }] },
      `/psps/0/adapter: is none of ${adapters.map(({ adapter }) => adapter).join(', ')}`,
    ],
    [
      'a missing credential',
      { psps: [{ ...adyen, credentials: { apiKey: 'k' } }] },
      '/psps/0/credentials: merchantAccount is missing',
    ],
    [
      'an unknown credential',
      { psps: [{ ...stripe, credentials: { secretKey: 'k', 'a/b': 'k' } }] },
      '/psps/0/credentials/a~1b: is not known',
    ],
    [
      'no URL',
      { psps: [{ ...stripe, baseUrl: 'ftp://x' }] },
      '/psps/0/baseUrl: must be an http or https URL',
    ],
    [
      'a path for Stripe',
      { psps: [{ ...stripe, baseUrl: 'http://x/v1' }] },
      '/psps/0/baseUrl: must have no path for stripe',
    ],
    [
      'a user in a URL',
      { psps: [{ ...adyen, baseUrl: 'http://u:p@x/' }] },
      '/psps/0/baseUrl: must have no query, fragment or user',
    ],
    [
      'a rule without accounts',
      { psps: [stripe], routing: [{}] },
      '/routing/0: must have either order or split',
    ],
    [
      'a rule for nobody',
      { psps: [stripe], routing: [{ order: ['adyen'] }] },
      '/routing/0/order/0: names no PSP account',
    ],
    [
      'a PSP twice',
      { psps: [stripe], routing: [{ order: ['stripe', 'stripe'] }] },
      '/routing/0/order/1: is named twice',
    ],
    [
      'a currency that is none',
      { psps: [stripe], routing: [{ when: { currency: ['XXX'] }, order: ['stripe'] }] },
      '/routing/0/when/currency/0: is no ISO 4217 currency',
    ],
    ['a bank without its settings', { psps: [{ ...bank, bank: undefined }] }, '/psps/0/bank: is missing'],
    [
      'settings of a bank for another PSP',
      { psps: [{ ...stripe, bank: bank.bank }] },
      '/psps/0/bank: is not taken by stripe',
    ],
    [
      'a bank without a pinned host key',
      { psps: [{ ...bank, bank: { ...bank.bank, sftp: { ...bank.bank.sftp, hostKey: undefined } } }] },
      "/psps/0/bank/sftp: must have required property 'hostKey'",
    ],
    [
      'a host key that is no fingerprint',
      { psps: [{ ...bank, bank: { ...bank.bank, sftp: { ...bank.bank.sftp, hostKey: 'any' } } }] },
      '/psps/0/bank/sftp/hostKey: must match pattern "^SHA256:[A-Za-z0-9+/]{43}$"',
    ],
    [
      'a login by password',
      { psps: [{ ...bank, credentials: { password: 'x' } }] },
      '/psps/0/credentials: privateKey is missing',
    ],
    [
      'a wrong IBAN',
      {
        psps: [
          { ...bank, bank: { ...bank.bank, account: { name: 'Shop', iban: 'DE00370400440532013000' } } },
        ],
      },
      '/psps/0/bank/account/iban: is no IBAN',
    ],
    [
      'cut-offs of both kinds',
      { psps: [{ ...bank, bank: { ...bank.bank, cutOffs: { times: ['12:00'], everyMinutes: 5 } } }] },
      '/psps/0/bank/cutOffs: must have either times or everyMinutes',
    ],
    [
      'a time zone that is none',
      { psps: [{ ...bank, bank: { ...bank.bank, cutOffs: { times: ['12:00'], timeZone: 'Mars' } } }] },
      '/psps/0/bank/cutOffs/timeZone: is no time zone',
    ],
    [
      'a folder outside of the login',
      { psps: [{ ...bank, bank: { ...bank.bank, sftp: { ...bank.bank.sftp, upload: '/in/../etc' } } }] },
      '/psps/0/bank/sftp/upload: must match pattern "^(?!.*(?:^|/)\\.\\.(?:/|$))[\\w./-]{1,200}$"',
    ],
    [
      'a negative weight',
      { psps: [stripe], routing: [{ split: [{ psp: 'stripe', weight: -1 }] }] },
      '/routing/0/split/0/weight: must be >= 0',
    ],
  ])('refuses %s', (_, content, problem) => {
    expect(problems(content)).toContain(problem);
  });

  describe('what belongs to the simulator', () => {
    const known = [
      ['stripe', 'secretKey', 'sk_test_simulator'],
      ['stripe', 'webhookSecret', 'whsec_simulator'],
      ['adyen', 'apiKey', 'simulator'],
      ['adyen', 'hmacKey', '00'.repeat(32)],
    ] as const;
    const urls = { stripe: 'http://127.0.0.1:1', adyen: 'http://127.0.0.1:2' };
    const asRules = (simulated: boolean, exposed: boolean) => ({ simulated, exposed });
    const attempt = (content: object, rules: ReturnType<typeof asRules>) => () =>
      parsePsps(JSON.stringify(content), 'psps.json', env, rules);

    it.each(known)(
      '%s %s: refused where everybody could know it, without repeating it',
      (psp, name, value) => {
        const { credentials, ...account } = psp === 'stripe' ? stripe : adyen;
        const content = { psps: [{ ...account, credentials: { ...credentials, [name]: value } }] };
        expect(attempt(content, asRules(false, true))).toThrow(
          `/psps/0/credentials/${name}: is the simulator's`,
        );
        expect(attempt(content, asRules(false, true))).not.toThrow(
          value === 'simulator' ? /: simulator/ : value,
        );
        expect(attempt(content, asRules(true, true))).not.toThrow();
        expect(attempt(content, asRules(false, false))).not.toThrow();
      },
    );

    it('is all of what the bundled one has', () => {
      const secrets = accountsOf(defaultPsps(urls)).flatMap((account) => account.secrets ?? []);
      expect(new Set(secrets.filter(Boolean))).toEqual(new Set(known.map(([, , value]) => value)));
    });

    it.each([
      ['http://127.0.0.1:8430', false, true],
      ['http://[::1]:8430', false, true],
      ['http://localhost:8430', false, true],
      ['http://simulator:8430', false, false],
      ['http://simulator:8430', true, true],
      ['http://api.stripe.com', false, false],
      ['http://api.stripe.com', true, false],
      ['http://10.0.0.7', true, false],
      ['http://[2001:db8::1]', true, false],
      ['https://api.stripe.com', false, true],
    ])('%s where a simulator may play %s: taken %s', (baseUrl, simulated, taken) => {
      const content = { psps: [{ ...stripe, baseUrl }] };
      const parsing = expect(attempt(content, asRules(simulated, true)));
      if (taken) parsing.not.toThrow();
      else parsing.toThrow('/psps/0/baseUrl: must be https');
    });
  });

  it('tells every fault at once', () => {
    expect(
      problems({
        psps: [
          { ...stripe, adapter: 'x' },
          { ...stripe, credentials: {} },
        ],
      }),
    ).toHaveLength(3);
  });

  it('never quotes the file, not even where it is no JSON', () => {
    expect(problemsOf('{ "psps": [\n"verysecret" "verysecret"')).toEqual([': is not JSON (line 2)']);
  });

  it('says which file cannot be read', async () => {
    await expect(readPspsFile('/no/such/file.json', {}, { simulated: false, exposed: true })).rejects.toThrow(
      '/no/such/file.json: /: cannot be read (ENOENT)',
    );
  });
});

describe('what Adyen needs for payouts', () => {
  const apiKey = 'verysecret';
  const adyen = (credentials: object, more: object = {}) => ({
    psps: [
      {
        name: 'adyen',
        adapter: 'adyen',
        ...more,
        credentials: { apiKey, merchantAccount: 'Shop', ...credentials },
      },
    ],
  });
  const operationsOf = async (content: object) => {
    const [account] = accountsOf(parse(content));
    await account?.adapter.close();
    return account?.adapter.capabilities.operations;
  };

  it('is a balance account; an account without one refunds, and pays nobody out', async () => {
    expect(await operationsOf(adyen({}))).toEqual(['charge', 'authorize', 'capture', 'void', 'refund']);
    expect(await operationsOf(adyen({ balanceAccount: 'BA1' }))).toContain('payout');
  });

  it('is the address for payouts, wherever that for payments is given', () => {
    const baseUrl = 'https://live.example/checkout/v71';
    expect(problems(adyen({ balanceAccount: 'BA1' }, { baseUrl }))).toEqual([
      '/psps/0/credentials: transfersBaseUrl is missing',
    ]);
    const both = { balanceAccount: 'BA1', transfersBaseUrl: 'https://live.example/btl/v4' };
    expect(parse(adyen(both, { baseUrl })).psps[0]?.credentials).toMatchObject(both);
    expect(problems(adyen({ ...both, transfersBaseUrl: 'ftp://x' }))).toEqual([
      '/psps/0/credentials/transfersBaseUrl: must be an http or https URL',
    ]);
  });

  it('may be a key of its own, which is a secret', async () => {
    const [account] = accountsOf(parse(adyen({ balanceAccount: 'BA1', transfersApiKey: 'another' })));
    expect(account?.secrets).toContain('another');
    expect(account?.secrets).not.toContain('BA1');
    await account?.adapter.close();
  });
});

describe('accountsOf', () => {
  it('makes an adapter of every entry, and knows its secrets', async () => {
    const accounts = accountsOf(
      defaultPsps({ stripe: 'http://127.0.0.1:1', adyen: 'http://127.0.0.1:2/v71' }),
    );
    expect(accounts.map(({ name }) => name)).toEqual(['stripe', 'adyen']);
    expect(accounts[0]?.secrets).toContain('sk_test_simulator');
    expect(accounts[1]?.secrets).not.toContain('PayonceECOM');
    await Promise.all(accounts.map(({ adapter }) => adapter.close()));
  });
});

describe('who reads notifications', () => {
  const key = 'AB'.repeat(32);
  const withStripe = (credentials: object) => ({
    psps: [{ ...stripe, credentials: { ...stripe.credentials, ...credentials } }],
  });
  const withAdyen = (credentials: object) => ({
    psps: [{ ...adyen, credentials: { ...adyen.credentials, ...credentials } }],
  });

  it('is told by the secrets of an account; without one its notifications are not taken', () => {
    const readNotices = ({ psps }: PspsConfig) =>
      psps.filter((psp) => noticeReaderOf(psp) !== null).map(({ name }) => name);
    const named = (content: object) => readNotices(parse(content));
    expect(named({ psps: [stripe, adyen] })).toEqual([]);
    expect(named(withStripe({ webhookSecret: 'whsec_1' }))).toEqual(['stripe']);
    expect(named(withAdyen({ hmacKey: key }))).toEqual(['adyen']);
    // The balance platform's webhooks have a key of their own, and are about payouts alone.
    expect(named(withAdyen({ transfersHmacKey: key }))).toEqual([]);
    const urls = { stripe: 'http://127.0.0.1:1', adyen: 'http://127.0.0.1:2' };
    expect(readNotices(defaultPsps(urls))).toEqual(['stripe', 'adyen']);
  });

  it('takes the secret before beside the one in use, and not alone', () => {
    const both = { webhookSecret: 'whsec_1', webhookSecretPrevious: 'whsec_0' };
    expect(parse(withStripe(both)).psps[0]?.credentials).toMatchObject(both);
    expect(problems(withStripe({ webhookSecretPrevious: 'whsec_0' }))).toEqual([
      '/psps/0/credentials: webhookSecret is missing',
    ]);
    expect(parse(withAdyen({ hmacKey: key, hmacKeyPrevious: key })).psps).toHaveLength(1);
    expect(problems(withAdyen({ hmacKeyPrevious: key, transfersHmacKeyPrevious: key }))).toEqual([
      '/psps/0/credentials: hmacKey is missing',
      '/psps/0/credentials: transfersHmacKey is missing',
    ]);
  });

  it.each(['verysecret', '', '00', `${key}0`, `${key} `])('takes no HMAC key like %j', (hmacKey) => {
    const [problem] = problems(withAdyen({ hmacKey }));
    expect(problem).toMatch(/^\/psps\/0\/credentials\/hmacKey: must /);
  });

  it('takes no signing secret with blanks', () => {
    expect(problems(withStripe({ webhookSecret: 'whsec_verysecret\n' }))).toEqual([
      '/psps/0/credentials/webhookSecret: must have no blanks',
    ]);
  });
});
