import { randomBytes } from 'node:crypto';
import { type Effect } from '@payonce/simulator';
import { eventually } from '../support/eventually.js';
import { orderOf, tokens } from '../support/test-environment.js';
import { Compose } from './compose.js';

type Psp = 'stripe' | 'adyen';
const secret = () => randomBytes(24).toString('hex');
const ASKED_FOR_MS = 20_000;

/** A project of compose, and a shop that pays at it. */
export class Installation {
  private key = '';

  private constructor(readonly compose: Compose) {}

  /** Builds the images and starts the files of `docker/`, with as many of each part as `scale` says. */
  static async start(
    project: string,
    files: readonly string[],
    scale: Readonly<Record<string, number>>,
  ): Promise<Installation> {
    const compose = await Compose.open(project, files, {
      PAYONCE_SEAL_KEY: randomBytes(32).toString('base64'),
      POSTGRES_PASSWORD: secret(),
      POSTGRES_APP_PASSWORD: secret(),
      STRIPE_WEBHOOK_SECRET: `whsec_${secret()}`,
      ADYEN_HMAC_KEY: randomBytes(32).toString('hex'),
    });
    const installation = new Installation(compose);
    try {
      await compose.up(scale);
      for (let index = 1; index <= scale['api']!; index++) await installation.isHealthy('api', index);
      const shop = await installation.payonce('merchants', 'create', '--name', 'Shop');
      const scopes = ['--scopes', 'payments:write'];
      const { key } = await installation.payonce('api-keys', 'create', '--merchant', shop['id']!, ...scopes);
      installation.key = key!;
      return installation;
    } catch (error) {
      await compose.close();
      throw error;
    }
  }

  close(): Promise<void> {
    return this.compose.close();
  }

  /** Runs `payonce` in an API's container. */
  async payonce(...args: readonly string[]): Promise<Readonly<Record<string, string>>> {
    const command = ['node', 'bin/payonce.mjs', ...args, '--json'];
    return JSON.parse(await this.compose.do('exec', '-T', 'api', ...command)) as Record<string, string>;
  }

  /** Pays as a client that asks again with its key until it is answered. @returns the answer */
  async pay(
    reference: string,
    { at = 1, first = 'stripe' }: { readonly at?: number; readonly first?: Psp } = {},
  ): Promise<string> {
    const url = await this.compose.url('api', 3000, at);
    const order = {
      method: 'POST',
      headers: {
        authorization: `Bearer ${this.key}`,
        'content-type': 'application/json',
        'idempotency-key': reference,
      },
      body: JSON.stringify(orderOf({ first, reference, tokens: { [first]: tokens[first] } })),
    };
    return eventually(async () => {
      const signal = AbortSignal.timeout(ASKED_FOR_MS);
      const answer = await fetch(`${url}/v1/payments`, { ...order, signal }).catch(() => null);
      const text = await answer?.text().catch(() => null);
      return answer?.status === 201 && text;
    }, `${reference} is paid`);
  }

  /** The PSP's effects for a payment, by the answer to it. */
  async effects(answer: string, psp: Psp = 'stripe'): Promise<string[]> {
    const { id } = JSON.parse(answer) as { id: string };
    const signal = AbortSignal.timeout(ASKED_FOR_MS);
    const ledger = await fetch(`http://127.0.0.1:8450/${psp}/_ledger`, { signal });
    const { effects } = (await ledger.json()) as { effects: readonly Effect[] };
    return effects.filter(({ reference }) => reference?.includes(id)).map(({ operation }) => operation);
  }

  async isHealthy(service: string, index = 1): Promise<void> {
    const health = () => this.compose.inspect(service, '{{.State.Health.Status}}', index);
    await eventually(async () => (await health()) === 'healthy', `${service} ${index} is healthy`);
  }
}
