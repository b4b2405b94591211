import { isIP } from 'node:net';
import { AdyenWire } from './adyen.js';
import { MollieWire } from './mollie.js';
import { GocardlessWire } from './gocardless.js';
import { PaypalWire } from './paypal.js';
import { type CallRecord } from './calls.js';
import { CheckoutWire } from './checkout.js';
import { Control, type LedgerReading } from './control.js';
import { type Fault, type FaultRequest } from './faults.js';
import {
  adyenKeys,
  checkoutKeys,
  gocardlessKeys,
  type KeyPolicy,
  mollieKeys,
  paypalKeys,
  stripeKeys,
} from './idempotency.js';
import { type PspParts, SimulatedPsp } from './psp.js';
import { Port } from './server.js';
import { type ReportRequest } from './report-request.js';
import { SquareWire } from './square.js';
import { StripeWire } from './stripe.js';
import { type WebhooksReading } from './webhooks.js';
import {
  type Call,
  type CustomerReturn,
  type DisputeStep,
  Full,
  json,
  type Reply,
  type Wire,
} from './wire.js';

export { type BankLine, SimulatedBank } from './bank.js';
export { type CallRecord } from './calls.js';
export { type LedgerReading } from './control.js';
export { type Fault, type FaultKind, type FaultRequest } from './faults.js';
export { type Effect, type Operation } from './ledger.js';
export { type Difference, type Planted, type ReportRequest } from './report-request.js';
export { hasSshd, type SftpDrop, startSftpDrop } from './sftp-drop.js';
export { type WebhooksReading } from './webhooks.js';

export type PspName = keyof typeof vendors;
export type PortName = PspName | 'control';

export interface SimulatorOptions {
  /** Default: 127.0.0.1. */
  readonly host?: string;
  /** 0 or none: any free port. */
  readonly ports?: Partial<Record<PortName, number>>;
  /** Told from the start, at any host, and again after a reset. */
  readonly webhooks?: Partial<Record<PspName, WebhookRequest>>;
  /** Told when a cap is reached; the default writes one line to standard error. */
  readonly onFull?: (message: string) => void;
}

export interface Simulator {
  /** Where each PSP is reached, and `control` for all of them. */
  readonly urls: Readonly<Record<PortName, string>>;
  ledger(psp: PspName, filter?: { reference?: string; after?: number }): LedgerReading;
  /** A settlement report from the ledger, with fees: Stripe's itemised CSV, Adyen's settlement detail CSV. */
  report(psp: PspName, request?: ReportRequest): string;
  /**
   * The PSP makes a report known: Adyen writes one and notifies where it is, Stripe's balance transactions have these
   * differences from now on. Returns its name.
   */
  publish(psp: PspName, request?: ReportRequest): string;
  /** The last 5,000 requests on the wire. */
  calls(psp: PspName, reference?: string): readonly CallRecord[];
  faults(psp: PspName, fault: FaultRequest): Fault;
  clearFaults(psp?: PspName): Promise<void>;
  /** Moves the clock of one PSP, or of all. */
  advance(ms: number, psp?: PspName): void;
  settings(psp: PspName, settings: { search_lag_ms?: number }): void;
  /** Its id. */
  webhook(psp: PspName, hook: WebhookRequest): number;
  /** Another secret for one webhook; `keep_previous` signs with the old one, too, where that PSP does. */
  rotateSecret(psp: PspName, hook: { id: number; secret: string; keep_previous?: boolean }): void;
  /** Endpoints, and what became of notifications; none waits where `waiting` is 0. */
  webhooks(psp: PspName): WebhooksReading;
  /** The customer comes back from the PSP's page. */
  authenticate(psp: PspName, id: string, result: 'succeeded' | 'failed'): CustomerReturn | undefined;
  /** A capture, refund or payout comes to nothing after all. False: none stands by that id of the PSP's. */
  fail(psp: PspName, id: string): boolean;
  /** The bank disputes a payment (its PSP's id), or decides. The dispute's id; undefined: nothing to dispute. */
  dispute(psp: PspName, id: string, step: DisputeStep, amount?: number): string | undefined;
  /** Ledgers, calls, faults, keys, payments, webhooks, clocks: all of one PSP, or of all. */
  reset(psp?: PspName): Promise<void>;
  close(): Promise<void>;
}

export interface WebhookRequest {
  readonly url: string;
  /** The address that the PSP was told, where a proxy leads on from it. */
  readonly known_as?: string;
  readonly secret?: string;
  readonly mode?: string;
  readonly delay_ms?: number;
  readonly copies?: number;
  readonly tries?: number;
  readonly seed?: number;
}

interface Sample {
  /** A payment method that is approved. */
  readonly token: string;
  /** A code by which its issuer declines. */
  readonly decline: string;
  /** A currency that is no other sample's, by which payments can be routed to this PSP, unless it takes one method alone. */
  readonly currency: string;
  /** The one method that it takes, at once and without authorization; a card where there is none. */
  readonly method?: 'bacs';
}

interface Vendor {
  /** null: it remembers no keys, or does not publish for how long. */
  readonly keys: KeyPolicy | null;
  readonly wire: (parts: PspParts) => Wire;
  /** The port that the process listens on unless it is told otherwise. */
  readonly port: number;
  /** See `samples`. */
  readonly sample: Sample;
}

const stripe = ({ clock, ledger, webhooks, pages }: PspParts): Wire =>
  new StripeWire(clock, ledger, webhooks, pages);

/** Every PSP there is. A new one is a line here. */
const vendors = {
  stripe: {
    keys: stripeKeys,
    wire: stripe,
    port: 8420,
    sample: { token: 'pm_card_visa', decline: 'insufficient_funds', currency: 'USD' },
  },
  adyen: {
    keys: adyenKeys,
    wire: ({ clock, ledger, webhooks, pages }: PspParts) => new AdyenWire(clock, ledger, webhooks, pages),
    port: 8430,
    sample: { token: '8415', decline: '12', currency: 'EUR' },
  },
  // Stripe's words, and no memory at all.
  keyless: {
    keys: null,
    wire: stripe,
    port: 8440,
    sample: { token: 'pm_card_visa', decline: 'insufficient_funds', currency: 'GBP' },
  },
  checkout: {
    keys: checkoutKeys,
    wire: ({ clock, ledger, webhooks, pages }: PspParts) => new CheckoutWire(clock, ledger, webhooks, pages),
    port: 8460,
    sample: { token: 'src_card', decline: '20051', currency: 'AUD' },
  },
  square: {
    keys: null,
    wire: ({ clock, ledger, webhooks }: PspParts) => new SquareWire(clock, ledger, webhooks),
    port: 8470,
    sample: { token: 'cnon:card-nonce-ok', decline: 'INSUFFICIENT_FUNDS', currency: 'CAD' },
  },
  mollie: {
    keys: mollieKeys,
    wire: ({ clock, ledger, webhooks, pages }: PspParts) => new MollieWire(clock, ledger, webhooks, pages),
    port: 8480,
    sample: { token: 'tkn_card', decline: 'insufficient_funds', currency: 'SEK' },
  },
  gocardless: {
    keys: gocardlessKeys,
    wire: ({ clock, ledger, webhooks }: PspParts) => new GocardlessWire(clock, ledger, webhooks),
    port: 8490,
    sample: { token: 'MD_confirmed', decline: 'insufficient_funds', currency: 'GBP', method: 'bacs' },
  },
  paypal: {
    keys: paypalKeys,
    wire: ({ clock, ledger, webhooks, pages }: PspParts) => new PaypalWire(clock, ledger, webhooks, pages),
    port: 8500,
    sample: { token: 'vault-card', decline: '5120', currency: 'NZD' },
  },
} satisfies Readonly<Record<string, Vendor>>;

export const pspNames = Object.keys(vendors) as readonly PspName[];

/** The same for each PSP. */
function forEachPsp<T>(make: (name: PspName) => T): Readonly<Record<PspName, T>> {
  return Object.fromEntries(pspNames.map((name) => [name, make(name)])) as Record<PspName, T>;
}

/** A payment of each PSP for rehearsals. */
export const samples = forEachPsp((name): Sample => vendors[name].sample);

/** The ports that the process listens on unless it is told otherwise. */
export const defaultPorts: Readonly<Record<PortName, number>> = {
  ...forEachPsp((name) => vendors[name].port),
  control: 8450,
};

/** Plays the outside world: each PSP on a port of its own, and one port that controls them all. */
export async function startSimulator(options: SimulatorOptions = {}): Promise<Simulator> {
  const host = options.host ?? '127.0.0.1';
  const onFull = once(options.onFull ?? ((message) => process.stderr.write(`${message}\n`)));
  const controls = forEachPsp((name) => makeControl(name, host, onFull));
  const control = makeControlPort(host, controls);
  const chosen = (psp?: PspName): Control[] =>
    psp === undefined ? Object.values(controls) : [controls[psp]];

  const opened: Port[] = [];
  try {
    for (const name of pspNames) {
      const hook = options.webhooks?.[name];
      if (hook !== undefined) controls[name].psp.webhooks.registerStanding(hook);
    }
    for (const name of pspNames) {
      await controls[name].port.listen(options.ports?.[name] ?? 0);
      opened.push(controls[name].port);
    }
    await control.listen(options.ports?.control ?? 0);
  } catch (error) {
    await Promise.all(opened.map((port) => port.close()));
    throw error;
  }

  return {
    urls: { ...forEachPsp((name) => controls[name].port.url), control: control.url },
    ledger: (psp, filter) => controls[psp].ledger(filter),
    report: (psp, request) => controls[psp].report(request),
    publish: (psp, request) => controls[psp].publish(request),
    calls: (psp, reference) => controls[psp].psp.readCalls(reference),
    faults: (psp, fault) => controls[psp].addFault(fault),
    clearFaults: async (psp) => {
      for (const one of chosen(psp)) await one.clearFaults();
    },
    advance: (ms, psp) => {
      for (const one of chosen(psp)) one.psp.advance(ms);
    },
    settings: (psp, settings) => controls[psp].psp.wire.settings?.({ ...settings }),
    webhook: (psp, hook) => controls[psp].psp.webhooks.register(hook).id,
    rotateSecret: (psp, hook) => controls[psp].psp.webhooks.rotate(hook),
    webhooks: (psp) => controls[psp].psp.webhooks.list(),
    authenticate: (psp, id, result) => controls[psp].psp.wire.authenticate(id, result === 'succeeded'),
    fail: (psp, id) => controls[psp].psp.wire.fail(id),
    dispute: (psp, id, step, amount) => controls[psp].psp.wire.dispute(id, step, amount),
    reset: async (psp) => {
      for (const one of chosen(psp)) await one.reset();
    },
    close: async () => {
      await Promise.all([control.close(), ...chosen().map((one) => one.close())]);
    },
  };
}

function makeControl(name: PspName, host: string, onFull: (message: string) => void): Control {
  const { keys, wire } = vendors[name];
  const psp = new SimulatedPsp(
    name,
    keys,
    wire,
    () => port.url,
    (error: Full) => onFull(`${name}: ${error.message}`),
  );
  const port = new Port(host, (call, exchange, peer) => {
    if (!call.path.startsWith('/_')) psp.handle(call, exchange);
    else if (!mayControl(call, host)) exchange.answer(foreign());
    else void control.answer(call, isLoopback(peer)).then((reply) => exchange.answer(reply));
  });
  const control = new Control(psp, port);
  return control;
}

/** `/stripe/_faults`, `/adyen/_ledger`, …; `/_reset` and `/_clock` without a PSP are for all. */
function makeControlPort(host: string, controls: Readonly<Record<PspName, Control>>): Port {
  return new Port(host, (call, exchange, peer) => {
    if (!mayControl(call, host)) {
      exchange.answer(foreign());
      return;
    }
    const [, first = ''] = call.path.split('/');
    const psp = pspNames.find((name) => name === first);
    const trusted = isLoopback(peer);
    if (psp !== undefined) {
      const path = call.path.slice(psp.length + 1);
      void controls[psp].answer({ ...call, path }, trusted).then((reply) => exchange.answer(reply));
    } else if (['/_reset', '/_clock', '/_faults', '/_health'].includes(call.path)) {
      void all(controls, call, trusted).then((reply) => exchange.answer(reply));
    } else exchange.answer(json(404, { error: { message: `begin with one of ${pspNames.join(', ')}` } }));
  });
}

async function all(
  controls: Readonly<Record<PspName, Control>>,
  call: Call,
  trusted: boolean,
): Promise<Reply> {
  const replies = await Promise.all(pspNames.map((name) => controls[name].answer(call, trusted)));
  const failed = replies.find(({ status }) => status >= 400);
  if (failed !== undefined) return failed;
  const bodies = replies.map(({ body }) => JSON.parse(typeof body === 'string' ? body : body()) as unknown);
  return json(200, Object.fromEntries(pspNames.map((name, index) => [name, bodies[index]])));
}

function isLoopback(address: string): boolean {
  return address === '::1' || /^(::ffff:)?127\./.test(address);
}

/**
 * A page in a browser of this machine can send requests here too, under a name that it makes lead here. So control
 * takes an Origin of this machine or none, and a Host of this machine or the one that it listens on.
 */
function mayControl({ headers }: Call, listensOn: string): boolean {
  const { origin, host = '' } = headers;
  const isNear = (name: string | null) =>
    name !== null && (name === 'localhost' || (isIP(name) !== 0 && isLoopback(name)));
  const named = hostnameOf(`http://${host}`);
  const isOurs = isNear(named) || (named !== null && named === listensOn);
  return isOurs && (origin === undefined || isNear(hostnameOf(origin)));
}

/** Without the brackets of an IPv6 address; null where there is none. */
function hostnameOf(url: string): string | null {
  return URL.canParse(url) ? new URL(url).hostname.replace(/^\[|\]$/g, '') : null;
}

function foreign(): Reply {
  return json(403, { error: { message: 'control is taken from this machine alone, by its own name' } });
}

/** A cap that is reached is reported once, not two hundred thousand times. */
function once(tell: (message: string) => void): (message: string) => void {
  let warned = false;
  return (message) => {
    if (warned) return;
    warned = true;
    tell(message);
  };
}
