import { type Caller } from '../../src/core/caller.js';
import { OutgoingEnvironment } from './events-environment.js';
import { Receiver } from './receiver.js';

/** Who changed where events are sent, and who had them sent again. */
let receiver: Receiver;
let environment: OutgoingEnvironment;

beforeEach(async () => {
  receiver = await Receiver.open();
  environment = await OutgoingEnvironment.open();
});
afterEach(async () => {
  await Promise.all([receiver.close(), environment.close()]);
});

it('endpoints, rotations of secrets and replays are audited with the API key and the source address', async () => {
  const merchant = await environment.newMerchant();
  const caller: Caller = { ...merchant, apiKeyId: 'k-7', sourceAddress: '203.0.113.9' };
  const { endpoints, events } = environment.out;
  const { id } = await environment.endpoint(`${receiver.url}?token=hidden`, caller);
  await endpoints.rotateSecret(caller, id);
  await endpoints.disable(caller, id);
  await endpoints.disable(caller, id);
  await endpoints.enable(caller, id);
  const event = await environment.event('payment.captured', caller);
  await events.replay(caller, event, null);
  await endpoints.replay(caller, id, new Date(0), new Date(environment.clock.now().getTime() + 1_000));
  const { rows } = await environment.pool.query<{
    actor: string;
    action: string;
    subject: string;
    detail: object;
  }>(
    `SELECT actor, action, subject, detail FROM audit_records
      WHERE merchant_id = $1 AND action <> 'merchant.created' ORDER BY id`,
    [caller.merchantId],
  );
  const acts = rows.map(({ action, subject }) => [action, subject]);
  expect(acts).toHaveLength(6);
  expect(acts).toEqual(
    expect.arrayContaining([
      ['webhook_endpoint.created', `webhook_endpoint:${id}`],
      ['webhook_endpoint.secret_rotated', `webhook_endpoint:${id}`],
      ['webhook_endpoint.disabled', `webhook_endpoint:${id}`],
      ['webhook_endpoint.enabled', `webhook_endpoint:${id}`],
      ['event.replayed', `event:${event}`],
      ['webhook_endpoint.replayed', `webhook_endpoint:${id}`],
    ]),
  );
  for (const { actor, detail } of rows) {
    expect(actor).toBe('api-key:k-7');
    expect(detail).toMatchObject({ source_address: '203.0.113.9' });
  }
  expect(JSON.stringify(rows)).not.toMatch(/hidden|whsec_/);
});
