import {
  type ApiClient,
  eventually,
  openWithService,
  orderOf,
  paymentOf,
  type Service,
  type TestEnvironment,
} from '../support/test-environment.js';

/** A PSP that says that there is news and not which: the address of each payment gets its id, unsigned. */
describe('a notification without proof', () => {
  let environment: TestEnvironment;
  let service: Service;
  let client: ApiClient;

  beforeAll(async () => {
    ({ environment, service, client } = await openWithService({}, { role: 'all' }));
  });
  afterAll(() => environment.close());

  /** A payment by PayPal whose customer is at its page. */
  const atThePage = async (key: string) => {
    const body = {
      ...orderOf({ first: 'mollie', reference: key }),
      payment_method: { type: 'wallet', wallet: { name: 'paypal' } },
    };
    const payment = paymentOf(await client.post('/v1/payments', body, key));
    expect(payment).toMatchObject({ status: 'requires_action', psp: 'mollie' });
    return { id: payment.id, reference: payment.psp_reference! };
  };
  const tell = async (body: string, type = 'application/x-www-form-urlencoded') => {
    const headers = { 'content-type': type };
    return (await fetch(`${service.url}/v1/webhooks/mollie`, { method: 'POST', headers, body })).status;
  };
  const lookups = async (id: string) =>
    (await client.attempts(id)).filter(({ kind }) => kind === 'lookup').length;
  const hintedAt = (reference: string) =>
    environment.sql('SELECT hinted_at FROM psp_requests WHERE psp_reference = $1', [reference]);

  it('is a reason to ask: the payment ends without anybody who asks for it', async () => {
    const { id, reference } = await atThePage('order-hinted');
    environment.simulator.authenticate('mollie', reference, 'succeeded');
    expect(await tell(`id=${reference}`)).toBe(200);
    const ended = () => environment.sql("SELECT FROM payments WHERE id = $1 AND status = 'captured'", [id]);
    await eventually(async () => ((await ended()).length === 1 ? true : null), 'a payment that is captured');
  });

  it('is no evidence: sent by anybody, any number of times, it costs one question', async () => {
    const { id, reference } = await atThePage('order-forged');
    const said = `id=${reference}`;
    expect(await tell(said)).toBe(200);
    const first = await hintedAt(reference);
    expect(first).toEqual([{ hinted_at: expect.any(Date) as Date }]);
    for (let n = 0; n < 20; n++) expect(await tell(said)).toBe(200);
    // What came within ten seconds of the first was no further reason.
    expect(await hintedAt(reference)).toEqual(first);
    await eventually(async () => ((await lookups(id)) > 0 ? true : null), 'a question');
    const [payment] = await environment.sql<{ status: string }>('SELECT status FROM payments WHERE id = $1', [
      id,
    ]);
    expect(payment).toEqual({ status: 'requires_action' });
  });

  it('about nothing of ours is taken, and changes nothing', async () => {
    expect(await tell('id=tr_nobodys')).toBe(200);
    expect(await tell('id=tr_nobodys&more=1')).toBe(401);
    expect(await tell('{"resource":"event","id":"event_1"}', 'application/json')).toBe(401);
    expect(await environment.sql("SELECT * FROM webhook_inbox WHERE psp = 'mollie'")).toEqual([]);
  });
});
