import { MAX_DELAY_MS } from './clock.js';
import { type Fault, faultRequest, type FaultRequest } from './faults.js';
import { shownHook } from './hooks.js';
import { type DisputedMoney, type Effect } from './ledger.js';
import { type SimulatedPsp } from './psp.js';
import { type Port } from './server.js';
import { differences, type Planted, type ReportRequest } from './report-request.js';
import { adyenReport, reportedBy, stripeReport } from './settlement-report.js';
import { BadControl, type Call, disputeSteps, Full, json, type Reply } from './wire.js';

const MAX_CLOCK_STEP_MS = 400 * 24 * 3_600_000;

export interface LedgerReading {
  readonly psp: string;
  readonly effects: readonly Effect[];
  /** Money that disputes took, and gave back. */
  readonly disputes: readonly DisputedMoney[];
  /** Requests seen on the wire, control apart. */
  readonly calls: number;
}

/** One PSP with its port, as tests, demos and people with curl steer it. */
export class Control {
  private refusal: { id: number; timer: NodeJS.Timeout | undefined } | undefined;

  constructor(
    readonly psp: SimulatedPsp,
    readonly port: Port,
  ) {}

  ledger(filter: { reference?: string; after?: number } = {}): LedgerReading {
    const { psp } = this;
    const { ledger, calls } = psp;
    return { psp: psp.name, effects: ledger.read(filter), disputes: ledger.disputes, calls: calls.total };
  }

  /** What the PSP reports to those who keep books, as CSV. */
  report(request: ReportRequest = {}): string {
    const write = this.psp.name === 'adyen' ? adyenReport : stripeReport;
    return write(reportedBy(this.psp.ledger), request);
  }

  /**
   * The PSP makes it known in its own way: Adyen writes a report and says where it is, Stripe's balance transactions
   * are notified from now on. Returns the report's name.
   */
  publish(request: ReportRequest = {}): string {
    return this.psp.wire.publish?.(request) ?? '';
  }

  addFault(request: FaultRequest): Fault {
    const fault = this.psp.faults.add(faultRequest(request));
    if (fault.fault !== 'refuse') return fault;
    if (this.refusal !== undefined) {
      clearTimeout(this.refusal.timer);
      this.psp.faults.remove(this.refusal.id);
    }
    this.port.refuse();
    const { for_ms: forMs } = fault;
    const timer = forMs === undefined ? undefined : setTimeout(() => void this.stopRefusing(), forMs);
    this.refusal = { id: fault.id, timer };
    return fault;
  }

  async clearFaults(): Promise<void> {
    this.psp.faults.clear();
    await this.stopRefusing();
  }

  async reset(): Promise<void> {
    this.psp.reset();
    this.port.reset();
    await this.stopRefusing();
  }

  async close(): Promise<void> {
    clearTimeout(this.refusal?.timer);
    this.psp.reset();
    await this.port.close();
  }

  /** Answers what begins with `/_`. `trusted` calls come from this machine. */
  async answer(call: Call, trusted: boolean): Promise<Reply> {
    try {
      return await this.route(call, trusted);
    } catch (error) {
      if (error instanceof BadControl) return json(400, { error: { message: error.message } });
      if (error instanceof Full) return json(507, { error: { message: error.message } });
      throw error;
    }
  }

  private async route({ method, path, query, body }: Call, trusted: boolean): Promise<Reply> {
    const { psp } = this;
    const parameters = new URLSearchParams(query);
    const reference = parameters.get('reference') ?? undefined;
    switch (`${method} ${path}`) {
      case 'GET /_health':
        return json(200, { status: 'ok', url: this.port.url });
      case 'GET /_ledger':
        return json(200, this.ledger({ reference, after: Number(parameters.get('after') ?? 0) }));
      case 'GET /_report': {
        const headers = { 'content-type': 'text/csv; charset=utf-8' };
        return {
          status: 200,
          body: this.report({ planted: plantedOf(parameters.getAll('plant')) }),
          headers,
        };
      }
      case 'POST /_publish': {
        const { plant = [] } = parse(body);
        if (!Array.isArray(plant)) throw new BadControl('plant: a list such as ["missing:3"]');
        return json(200, { report: this.publish({ planted: plantedOf(plant.map(String)) }) });
      }
      case 'GET /_calls':
        return json(200, { psp: psp.name, calls: psp.readCalls(reference), total: psp.calls.total });
      case 'POST /_reset':
        await this.reset();
        return json(200, { reset: psp.name });
      case 'GET /_faults':
        return json(200, { faults: psp.faults.list() });
      case 'POST /_faults': {
        const request = faultRequest(parse(body));
        if (request.fault === 'kill' && !trusted)
          throw new BadControl('kill is only taken from this machine');
        return json(201, this.addFault(request));
      }
      case 'DELETE /_faults':
        await this.clearFaults();
        return json(200, { faults: [] });
      case 'POST /_clock':
        psp.advance(clockStep(parse(body)));
        return json(200, { now: new Date(psp.clock.now()).toISOString() });
      case 'POST /_fail': {
        const { id } = parse(body);
        return typeof id === 'string' && psp.wire.fail(id) ? json(200, { id, failed: true }) : notFound();
      }
      case 'POST /_dispute':
        return this.dispute(parse(body));
      case 'POST /_settings':
        psp.wire.settings?.(parse(body));
        return json(200, {});
      case 'GET /_webhooks':
        return json(200, psp.webhooks.list());
      case 'POST /_webhooks':
        return json(201, shownHook(psp.webhooks.register(parse(body))));
      case 'POST /_webhooks/rotate':
        psp.webhooks.rotate(parse(body));
        return json(200, psp.webhooks.list());
      case 'DELETE /_webhooks':
        psp.webhooks.clear();
        return json(200, psp.webhooks.list());
      case 'POST /_customer/authenticate': {
        const { id, result = 'succeeded' } = parse(body);
        const after = typeof id === 'string' ? psp.wire.authenticate(id, result === 'succeeded') : undefined;
        return after === undefined
          ? notFound()
          : json(200, { id, status: after.status, ...(after.details ? { details: after.details } : {}) });
      }
      default:
        return method === 'GET' && path.startsWith('/_customer/authenticate/')
          ? this.visit(path.slice('/_customer/authenticate/'.length), parameters)
          : notFound();
    }
  }

  private dispute({ id, do: step, amount }: Readonly<Record<string, unknown>>): Reply {
    const known = disputeSteps.find((one) => one === step);
    if (known === undefined) throw new BadControl(`do: one of ${disputeSteps.join(', ')}`);
    const isAmount = amount === undefined || (Number.isSafeInteger(amount) && Number(amount) > 0);
    if (!isAmount) throw new BadControl('amount: minor units');
    const of = amount === undefined ? undefined : Number(amount);
    const dispute = typeof id === 'string' ? this.psp.wire.dispute(id, known, of) : undefined;
    return dispute === undefined ? notFound() : json(200, { id, dispute, done: known });
  }

  /** A customer's browser follows the link; `?result=failed` fails the authentication. */
  private visit(id: string, parameters: URLSearchParams): Reply {
    const after = this.psp.wire.authenticate(id, (parameters.get('result') ?? 'succeeded') === 'succeeded');
    if (after === undefined) return notFound();
    const { status, returnUrl, details } = after;
    if (returnUrl === null || !URL.canParse(returnUrl)) return json(200, { id, status });
    const back = new URL(returnUrl);
    const added = details ?? { payment_intent: id, redirect_status: status };
    for (const [name, value] of Object.entries(added)) back.searchParams.set(name, value);
    return { status: 302, body: '', headers: { location: back.href } };
  }

  private async stopRefusing(): Promise<void> {
    if (this.refusal === undefined) return;
    clearTimeout(this.refusal.timer);
    this.psp.faults.remove(this.refusal.id);
    this.refusal = undefined;
    await this.port.resume();
  }
}

/** `missing:3`: the third effect of the ledger is left out. */
function plantedOf(texts: readonly string[]): Planted[] {
  return texts.map((text) => {
    const [word, seq = ''] = text.split(':');
    const difference = differences.find((one) => one === word);
    if (difference === undefined || !/^\d{1,9}$/.test(seq)) {
      throw new BadControl(`plant: one of ${differences.join(', ')}, and the seq of an effect: missing:3`);
    }
    return { difference, seq: Number(seq) };
  });
}

function notFound(): Reply {
  return json(404, { error: { message: 'not found' } });
}

function clockStep({ advance_ms: step }: Readonly<Record<string, unknown>>): number {
  if (typeof step !== 'number' || !(step >= 0 && step <= MAX_CLOCK_STEP_MS)) {
    throw new BadControl(
      `advance_ms: a number from 0 to ${MAX_CLOCK_STEP_MS} (delays end at ${MAX_DELAY_MS})`,
    );
  }
  return step;
}

function parse(body: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(body === '' ? '{}' : body);
  } catch {
    throw new BadControl('the body is not JSON');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new BadControl('the body is not a JSON object');
  }
  return value as Readonly<Record<string, unknown>>;
}
