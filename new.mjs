/**
 * `npm run new -- psp acme`: writes the files of a new PSP, with an adapter that promises nothing, a simulator that answers
 * nothing, and the specs that say what is missing (docs/contributing/a-psp.md). Refuses to overwrite.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

const [what, name = ''] = process.argv.slice(2);
if (what !== 'psp' || !/^[a-z][a-z0-9]{1,30}$/.test(name)) {
  console.error('npm run new -- psp <name>, such as acme: small letters and digits, the first a letter');
  process.exit(2);
}
const Name = name[0].toUpperCase() + name.slice(1);

const files = {
  [`src/psp/${name}/${name}.psp.ts`]: `import {
  type Answer,
  type CallContext,
  type Capabilities,
  type Instruction,
  type PspAdapter,
} from '../contract.js';
import { JsonApi } from '../json-api.js';
import { Wire } from '../wire.js';
import { answerOfExecute, executeRequest } from './${name}.mapping.js';

/** ${Name}. Each promise stands beside the sentence of its documentation that it rests on; without one, nothing is promised. */
const ${name}Capabilities: Capabilities = {
  operations: ['charge'],
  currencies: null,
  methods: { card: {} },
  idempotency: { windowMs: null, replays: 'none' },
  lookup: null,
  cancel: null,
  captures: 'whole',
};

interface ${Name}Options {
  readonly secretKey: string;
  readonly baseUrl?: string;
  readonly timeoutMs: number;
}

export const PUBLIC_URL = 'https://api.${name}.example';

export class ${Name}Psp implements PspAdapter {
  readonly capabilities = ${name}Capabilities;
  private readonly wire: Wire;
  private readonly api: JsonApi;

  constructor({ secretKey, baseUrl = PUBLIC_URL, timeoutMs }: ${Name}Options) {
    this.wire = new Wire(timeoutMs);
    this.api = new JsonApi(this.wire, baseUrl, { Authorization: \`Bearer \${secretKey}\` });
  }

  async execute(instruction: Instruction, call: CallContext): Promise<Answer> {
    return answerOfExecute(await this.api.send(executeRequest(instruction), call));
  }

  /** Asks for something that changes nothing. @throws what the PSP refuses */
  async check(call: CallContext): Promise<string> {
    const { httpStatus, text } = await this.api.send({ method: 'GET', path: '/' }, call);
    if (httpStatus !== 200) throw new Error(\`${Name} answered \${httpStatus}: \${text}\`);
    return '${Name} takes the key.';
  }

  async close(): Promise<void> {
    this.wire.close();
  }
}
`,
  [`src/psp/${name}/${name}.mapping.ts`]: `import { type Answer, type Instruction } from '../contract.js';
import { type ApiRequest, type ApiResponse } from '../json-api.js';

/** The one request of an execute: every resend of a route is the same bytes. */
export function executeRequest({ entityKey, money, token }: Instruction): ApiRequest {
  const body = { reference: entityKey, amount: money.amount, currency: money.currency, token };
  return { method: 'POST', path: '/payments', body: JSON.stringify(body) };
}

/** An answer that is not understood is \`unknown\`, never a success or a failure. */
export function answerOfExecute({ httpStatus }: ApiResponse): Answer {
  return { outcome: 'unknown', httpStatus, pspCode: 'not_written' };
}
`,
  [`src/psp/${name}/${name}.mapping.spec.ts`]: `import { answerOfExecute } from './${name}.mapping.js';

/** Bodies as ${Name} answers them, from its documentation or recorded. */
it('reads a payment that was approved', () => {
  const body = { id: 'id-1', status: 'approved' };
  const answer = answerOfExecute({ httpStatus: 200, text: JSON.stringify(body), header: () => undefined });
  expect(answer).toMatchObject({ outcome: 'succeeded', pspReference: 'id-1' });
});
`,
  [`src/psp/${name}/${name}.webhook.ts`]: `import { refused } from '../notification-check.js';
import { type NotificationReader, type NotificationReading } from '../notification.js';

/** ${Name}'s notifications: none is taken before its signature is checked over the bytes as they came. */
export class ${Name}Notices implements NotificationReader {
  read(): NotificationReading {
    return refused('signature_missing');
  }
}
`,
  [`src/psp/${name}/${name}.entry.ts`]: `import {
  type AccountSettings,
  type AdapterEntry,
  asked,
  previous,
  required,
  signingSecret,
} from '../adapter-entry.js';
import { PUBLIC_URL, ${Name}Psp } from './${name}.psp.js';
import { ${Name}Notices } from './${name}.webhook.js';

export const ${name}Adapter: AdapterEntry = {
  adapter: '${name}',
  credentials: [required('secretKey'), signingSecret('webhookSecret'), signingSecret('webhookSecretPrevious')],
  basePath: false,
  publicUrl: PUBLIC_URL,
  hosts: /^api\\.${name}\\.example$/,
  account: ({ secretKey = '' }, configured) => configured ?? secretKey,
  takesAccount: () => true,
  mayBeTest: () => false,
  missing: ({ credentials }) => previous('webhookSecret', credentials),
  create: ${name},
  check: (settings, call) => asked(${name}(settings), call),
  notices: ({ credentials: { webhookSecret } }) => (webhookSecret === undefined ? null : new ${Name}Notices()),
};

function ${name}({ credentials: { secretKey = '' }, ...settings }: AccountSettings): ${Name}Psp {
  return new ${Name}Psp({ ...settings, secretKey });
}
`,
  [`packages/simulator/src/${name}.ts`]: `import { type CustomerReturn, json, type Prepared, type Reply, type Wire } from './wire.js';

/** ${Name} on its own wire format: it answers nothing yet. */
export class ${Name}Wire implements Wire {
  prepare(): Prepared | Reply {
    return json(501, { error: 'not_written' });
  }

  serverError(status: number): Reply {
    return json(status, { error: 'server_error' });
  }

  throttled(retryAfterSeconds: number): Reply {
    return { ...json(429, { error: 'throttled' }), headers: { 'retry-after': String(retryAfterSeconds) } };
  }

  authenticate(): CustomerReturn | undefined {
    return undefined;
  }

  fail(): boolean {
    return false;
  }

  dispute(): undefined {
    return undefined;
  }

  reset(): void {}
}
`,
  [`test/contracts/${name}-subject.ts`]: `import { ${Name}Psp } from '../../src/psp/${name}/${name}.psp.js';
import { type PspSubject } from './psp-under-test.js';

const secretKey = 'sk_averysecretkeyof${name}';

/** Tokens of the simulator that behave in a certain way. */
export const ${name}Subject: PspSubject = {
  psp: '${name}',
  make: (baseUrl, timeoutMs) => new ${Name}Psp({ baseUrl, secretKey, timeoutMs }),
  secrets: [secretKey],
  tokens: {
    approved: 'approved',
    softDecline: 'soft_decline',
    hardDecline: 'hard_decline',
    stepUpDecline: 'step_up',
    asksCustomer: 'asks_customer',
    waits: 'waits',
  },
  refundsAreReceived: false,
};
`,
  [`test/contracts/${name}.spec.ts`]: `import { exercisePsp } from './exercise-psp.js';
import { ${name}Subject } from './${name}-subject.js';

exercisePsp('${name}', ${name}Subject);
`,
};

/** Insertions before a line that stands once in a file. */
const lines = [
  {
    file: 'src/psp/registry.ts',
    before: '  bankSepaAdapter,\n',
    write: `  ${name}Adapter,\n`,
  },
  {
    file: 'src/psp/registry.ts',
    before: "import { keylessAdapter, stripeAdapter } from './stripe/stripe.entry.js';\n",
    write: `import { ${name}Adapter } from './${name}/${name}.entry.js';\n`,
  },
  {
    file: 'packages/simulator/src/index.ts',
    before: '} satisfies Readonly<Record<string, Vendor>>;',
    write: `  ${name}: {
    keys: null,
    wire: () => new ${Name}Wire(),
    port: 0,
    sample: { token: 'approved', decline: 'declined', currency: 'XAF' },
  },
`,
  },
  {
    file: 'packages/simulator/src/index.ts',
    before: "import { type CallRecord } from './calls.js';\nimport",
    write: `import { ${Name}Wire } from './${name}.js';\n`,
  },
  {
    file: 'demo/accounts.ts',
    before: '};\n\n/** An account at a PSP that the simulator plays',
    write: `  ${name}: (baseUrl, notified) => ({
    baseUrl,
    credentials: { secretKey: 'sk_demo', ...withSecret('webhookSecret', notified) },
  }),
`,
  },
  {
    file: 'docs/configuration.md',
    before: '- `bank-sepa`: `privateKey`',
    write: `- \`${name}\`: \`secretKey\`; for notifications \`webhookSecret\`\n`,
  },
  { file: 'docs/payment-methods.md', before: '| `bank-sepa` ', write: `| \`${name}\` | | \`card\` |\n` },
];

const taken = Object.keys(files).filter((file) => existsSync(file));
if (taken.length > 0) {
  console.error(`there is one: ${taken.join(', ')}`);
  process.exit(1);
}
const written = new Map();
for (const { file, before, write } of lines) {
  const text = written.get(file) ?? readFileSync(file, 'utf8');
  const at = text.indexOf(before);
  if (at < 0 || text.includes(before, at + 1)) throw new Error(`${file} does not hold once: ${before}`);
  written.set(file, text.slice(0, at) + write + text.slice(at));
}
for (const [file, text] of [...written, ...Object.entries(files)]) {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
console.log(`written: ${Object.keys(files).join('\n         ')}
changed: ${[...written.keys()].join('\n         ')}

Next: npx prettier --write . ; npx jest src/psp/${name} test/contracts/${name}.spec.ts
What each file is for: docs/contributing/a-psp.md`);
