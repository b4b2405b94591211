import { setTimeout as sleep } from 'node:timers/promises';
import {
  type CallRecord,
  type FaultRequest,
  type LedgerReading,
  type WebhooksReading,
} from '@payonce/simulator';

/** The PSPs that the demo talks about; the third that the simulator plays must stay untouched. */
export const psps = ['stripe', 'adyen', 'keyless'] as const;
export type Psp = (typeof psps)[number];
export type Effect = LedgerReading['effects'][number];

/** What they sign their notifications with. */
export const notificationSecrets = { stripe: 'whsec_demo', adyen: 'd3'.repeat(32) } as const;

const TIMEOUT_MS = 5_000;
const POLL_MS = 50;

/** The outside world as only the demo can see and steer it: through the simulator's control port. */
export class Psps {
  constructor(private readonly controlUrl: string) {}

  async misbehave(psp: Psp, fault: FaultRequest): Promise<void> {
    await this.ask(`/${psp}/_faults`, { method: 'POST', body: JSON.stringify(fault) });
  }

  async behave(psp: Psp): Promise<void> {
    await this.ask(`/${psp}/_faults`, { method: 'DELETE' });
  }

  /** Has them notify the service at this address. */
  async notify(serviceUrl: string): Promise<void> {
    for (const psp of ['stripe', 'adyen'] as const) {
      const hook = { url: `${serviceUrl}/v1/webhooks/${psp}`, secret: notificationSecrets[psp] };
      await this.ask(`/${psp}/_webhooks`, { method: 'POST', body: JSON.stringify(hook) });
    }
  }

  async notifyNoService(): Promise<void> {
    for (const psp of ['stripe', 'adyen'] as const) {
      await this.ask(`/${psp}/_webhooks`, { method: 'DELETE' });
    }
  }

  /** Where a PSP sends its notifications. */
  async notified(psp: Psp): Promise<readonly string[]> {
    const { webhooks } = (await this.ask(`/${psp}/_webhooks`)) as WebhooksReading;
    return webhooks.map(({ url }) => url);
  }

  /** Has a PSP tell nothing of what it does meanwhile, and everything again afterwards. */
  async withoutNotifications<T>(
    psp: Psp,
    hook: { url: string; secret: string },
    work: () => Promise<T>,
  ): Promise<T> {
    await this.ask(`/${psp}/_webhooks`, { method: 'DELETE' });
    try {
      return await work();
    } finally {
      await this.ask(`/${psp}/_webhooks`, { method: 'POST', body: JSON.stringify(hook) });
    }
  }

  /** Where a PSP itself is reached. */
  async urlOf(psp: Psp): Promise<string> {
    return ((await this.ask(`/${psp}/_health`)) as { url: string }).url;
  }

  /** What was made comes to nothing after all, and the PSP tells. */
  async fail(psp: Psp, id: string): Promise<void> {
    await this.ask(`/${psp}/_fail`, { method: 'POST', body: JSON.stringify({ id }) });
  }

  /** A customer's bank takes a payment back, or decides. */
  async dispute(psp: Psp, id: string, step: 'open' | 'win' | 'lose'): Promise<void> {
    await this.ask(`/${psp}/_dispute`, { method: 'POST', body: JSON.stringify({ id, do: step }) });
  }

  /** What every PSP really did. */
  async effects(): Promise<Effect[]> {
    const readings = await Promise.all(psps.map((psp) => this.ask(`/${psp}/_ledger`)));
    return readings.flatMap((reading) => (reading as LedgerReading).effects);
  }

  /** Resolves once a PSP has done something of this amount. @throws Error after 5 s */
  async hasDone(amount: number): Promise<void> {
    for (let tries = 0; tries < TIMEOUT_MS / POLL_MS; tries++) {
      if ((await this.effects()).some((effect) => effect.amount === amount)) return;
      await sleep(POLL_MS);
    }
    throw new Error(`No PSP has done anything of ${amount}.`);
  }

  /** What came in on the wire about an operation. */
  async calls(psp: Psp, entityKey: string): Promise<readonly CallRecord[]> {
    const read = await this.ask(`/${psp}/_calls?reference=${encodeURIComponent(entityKey)}`);
    return (read as { calls: CallRecord[] }).calls;
  }

  /** The settlement report of a PSP, as CSV, with a difference from its ledger where one is planted. */
  async report(psp: Psp, plant?: string): Promise<string> {
    const query = plant === undefined ? '' : `?plant=${plant}`;
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const answer = await fetch(`${this.controlUrl}/${psp}/_report${query}`, { signal });
    if (!answer.ok) throw new Error(`The simulator wrote no report of ${psp}: ${answer.status}`);
    return answer.text();
  }

  private async ask(path: string, init: RequestInit = {}): Promise<unknown> {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const answer = await fetch(`${this.controlUrl}${path}`, { ...init, signal });
    const body: unknown = await answer.json();
    if (!answer.ok) throw new Error(`The simulator refused ${path}: ${JSON.stringify(body)}`);
    return body;
  }
}
