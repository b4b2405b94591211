import {
  atRest,
  eventually,
  orderOf,
  paymentOf,
  type Reply,
  type ServiceProcess,
  ApiClient,
  TestEnvironment,
} from '../support/test-environment.js';

/** What is in flight when the service is told to go is answered rightly, or can be asked for again. */
let environment: TestEnvironment;
let service: ServiceProcess;
let client: ApiClient;

beforeAll(async () => {
  environment = await TestEnvironment.open();
  client = new ApiClient(() => service.url, await environment.merchant());
});
afterAll(() => environment.close());
beforeEach(async () => {
  await environment.simulator.reset();
  service = await environment.startProcess();
});

const PAYMENTS = 20;
const psps = ['stripe', 'adyen'] as const;

const asks = (name: string) =>
  Array.from({ length: PAYMENTS }, (_, n) => {
    const reference = `${name}-${n}`;
    const body = orderOf({ first: psps[n % psps.length]!, reference, amount: 1_000 + n });
    return { body, ask: () => client.post('/v1/payments', body, reference) };
  });

/** The answers that were given; null where the connection was closed instead. */
const inFlight = (asked: ReturnType<typeof asks>): Promise<Reply | null>[] =>
  asked.map(({ ask }) => ask().catch(() => null));

function expectRight(reply: Reply): void {
  if (reply.status !== 201) return expect([202, 409, 503]).toContain(reply.status);
  const payment = paymentOf(reply);
  expect(payment.status).toBe('captured');
  expect(environment.effects(payment.id)).toMatchObject([{ psp: payment.psp, amount: payment.amount }]);
}

async function expectEachOnce(asked: ReturnType<typeof asks>): Promise<void> {
  const replies = await Promise.all(asked.map(({ ask }) => client.until(ask, atRest)));
  for (const [n, reply] of replies.entries()) {
    const payment = paymentOf(reply);
    expect(payment).toMatchObject({ status: 'captured', amount: asked[n]!.body.amount });
    expect(environment.effects(payment.id)).toMatchObject([{ operation: 'charge', amount: payment.amount }]);
  }
  expect(environment.effects()).toHaveLength(PAYMENTS);
}

it('answers what is in flight at a slow PSP when it is told to end, and ends', async () => {
  for (const psp of psps) environment.simulator.faults(psp, { fault: 'delay_after', delay_ms: 300, rate: 1 });
  const asked = asks('slow');
  const given = inFlight(asked);
  await eventually(() => environment.effects().length >= 5, 'a few calls under way');
  expect(await service.stop()).toEqual({ code: 0, signal: null });
  const replies = await Promise.all(given);
  const answered = replies.filter((reply) => reply !== null);
  // Five had reached their PSPs: those clients at least got their answers.
  expect(answered.filter(({ status }) => status === 201).length).toBeGreaterThanOrEqual(5);
  for (const reply of answered) expectRight(reply);

  await environment.simulator.clearFaults();
  service = await environment.startProcess();
  await expectEachOnce(asked);
  // What was answered before is answered the same to the byte.
  for (const [n, before] of replies.entries()) {
    if (before?.status === 201) expect((await asked[n]!.ask()).text).toBe(before.text);
  }
});

it('ends though PSPs do not answer, and loses nothing', async () => {
  for (const psp of psps) environment.simulator.faults(psp, { fault: 'hang_after', rate: 1 });
  const asked = asks('hung');
  const given = inFlight(asked);
  await eventually(() => environment.effects().length >= 5, 'a few calls under way');
  const stopped = service.stop();
  await environment.simulator.clearFaults();
  expect(await stopped).toEqual({ code: 0, signal: null });
  for (const reply of await Promise.all(given)) if (reply) expectRight(reply);

  service = await environment.startProcess();
  await expectEachOnce(asked);
});
