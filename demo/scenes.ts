import { setTimeout as sleep } from 'node:timers/promises';
import { money } from './books.js';
import { notified } from './notification-scene.js';
import { reconciled } from './reconciliation-scene.js';
import { type Psp } from './psps.js';
import { type Attempt, keyFor, type Order, paymentIn, refundIn, requestFor } from './shop.js';
import { LOCK_MS, PSP_TIMEOUT_MS } from './stage.js';
import { type Scene, seconds, type SceneReport } from './story.js';

function described({ reference, amount, currency, capture }: Order): string {
  return `${reference}: ${capture === 'manual' ? 'reserve' : 'charge'} ${money(amount, currency)}`;
}

const plain: Scene = {
  title: 'A plain charge',
  async play(scene) {
    const order = { reference: 'order-1', amount: 2_000, currency: 'USD' };
    scene.request(described(order));
    const { payment, answer } = await scene.environment.shop.pay(order);
    scene.calls(await scene.environment.shop.attempts(payment.id));
    scene.answer(answer, payment);
    await scene.customer(payment);
    scene.expect(payment.status === 'captured' && payment.psp === 'stripe', 'stripe did not charge it');
  },
};

const lostAnswer: Scene = {
  title: 'The PSP charges, and its answer is lost',
  async play(scene) {
    const { shop, psps } = scene.environment;
    const order = { reference: 'order-2', amount: 4_990, currency: 'EUR' };
    scene.request(described(order));
    scene.trouble(`adyen charges the card and then says nothing for ${seconds(PSP_TIMEOUT_MS)}`);
    await psps.misbehave('adyen', { fault: 'hang_after', next: 1 });
    const { payment, answer } = await shop.pay(order);
    const attempts = await shop.attempts(payment.id);
    scene.calls(attempts);
    const calls = await psps.calls('adyen', payment.entity_key);
    const keys = new Set(calls.map(({ idempotency_key }) => idempotency_key));
    const [key] = keys;
    scene.payonce(
      `"unknown" binds the payment to adyen: no other PSP may be tried. Sent again to adyen under the same ` +
        `PSP key (${key?.slice(0, 8)}…), so adyen repeats its first answer instead of charging again.`,
    );
    scene.answer(answer, payment);
    await scene.customer(payment);
    scene.expect(payment.psp === 'adyen', 'adyen was left');
    scene.expect(calls.length >= 2 && keys.size === 1, 'it was not sent again under the same PSP key');
    scene.expect(attempts[0]?.outcome === 'unknown', 'the first call was not in doubt');
  },
};

const down: Scene = {
  title: 'A PSP that is down',
  async play(scene) {
    const { shop, psps } = scene.environment;
    const order = { reference: 'order-3', amount: 1_500, currency: 'EUR' };
    scene.request(described(order));
    scene.trouble('adyen refuses connections');
    await psps.misbehave('adyen', { fault: 'refuse' });
    await sleep(100); // connections that were open are closed, and the service sees it
    const { payment, answer } = await shop.pay(order);
    await psps.behave('adyen');
    const attempts = await shop.attempts(payment.id);
    scene.calls(attempts);
    const refused = attempts[0];
    scene.payonce(
      `Nothing of the request left this machine, so it fails over to stripe. Proof: ${proofOf(refused)}.`,
    );
    scene.answer(answer, payment);
    await scene.customer(payment);
    scene.expect(
      refused?.outcome === 'not_sent' && refused.verdict === 'ruled_out',
      'adyen was not ruled out',
    );
    scene.expect(payment.psp === 'stripe', 'it was not failed over');
  },
};

function proofOf(attempt: Attempt | undefined): string {
  if (!attempt) return 'none';
  const { outcome, psp_code, route, psp, verdict } = attempt;
  return `${outcome} (${psp_code}), route ${route} at ${psp}, now ${verdict}`;
}

const declines: Scene = {
  title: 'A soft decline and a hard one',
  async play(scene) {
    await decline(scene, {
      order: { reference: 'order-4a', amount: 2_500, currency: 'USD' },
      code: 'do_not_honor',
      why: 'soft: another PSP may get it through',
      charged: true,
    });
    await decline(scene, {
      order: { reference: 'order-4b', amount: 2_600, currency: 'USD' },
      code: 'stolen_card',
      why: 'hard: no other PSP is tried',
      charged: false,
    });
  },
};

async function decline(
  scene: SceneReport,
  { order, code, why, charged }: { order: Order; code: string; why: string; charged: boolean },
): Promise<void> {
  const { shop } = scene.environment;
  scene.request(described(order));
  scene.trouble(`the bank declines at stripe with ${code}`);
  const tokens = { stripe: `pm_decline_${code}`, adyen: '8415000000000001' };
  const { payment, answer } = await shop.pay({ ...order, tokens });
  const attempts = await shop.attempts(payment.id);
  scene.calls(attempts);
  const proof = charged ? ` Proof: ${proofOf(attempts[0])}.` : '';
  scene.payonce(`${why[0]?.toUpperCase()}${why.slice(1)}.${proof}`);
  scene.answer(answer, payment);
  await scene.customer(payment);
  scene.expect(payment.status === (charged ? 'captured' : 'failed'), `the payment is ${payment.status}`);
  scene.expect(attempts.some(({ psp }) => psp === 'adyen') === charged, 'the wrong PSPs were asked');
}

const REQUESTS = 50;

const crowd: Scene = {
  title: `The same request ${REQUESTS} times at once`,
  async play(scene) {
    const { shop, psps } = scene.environment;
    const order = { reference: 'order-5', amount: 7_700, currency: 'USD' };
    scene.request(`${described(order)}, ${REQUESTS} times at once under one Idempotency-Key`);
    await psps.misbehave('stripe', { fault: 'delay_before', delay_ms: 300, next: 1 });
    const ask = () => shop.post('/v1/payments', keyFor(order), requestFor(order));
    const answers = await Promise.all(Array.from({ length: REQUESTS }, ask));
    const late = await shop.settle('/v1/payments', keyFor(order), requestFor(order));
    const payment = paymentIn(late);
    const first = answers.filter(({ status, replayed }) => status === 201 && !replayed);
    const replays = answers.filter(({ status, replayed }) => status === 201 && replayed);
    const busy = answers.filter(({ status }) => status === 409);
    scene.calls(await shop.attempts(payment.id));
    const replayed = replays.length > 0 ? `; ${replays.length} × the same 201, replayed` : '';
    scene.payonce(
      `${first.length} × 201, and one call to stripe; ${busy.length} × 409 request_in_progress${replayed}.`,
    );
    scene.answer(late, payment, ', when sent once more afterwards');
    await scene.customer(payment);
    scene.expect(first.length === 1, `${first.length} requests were worked on`);
    scene.expect(
      first.length + replays.length + busy.length === REQUESTS,
      'some requests got an answer of another kind',
    );
    scene.expect(late.replayed && late.text === first[0]?.text, 'the replayed answer is another one');
  },
};

const crash: Scene = {
  title: 'kill -9 in the middle of a call',
  async play(scene) {
    const { environment } = scene;
    const { shop, psps } = environment;
    const order = { reference: 'order-6', amount: 3_000, currency: 'USD' };
    scene.request(described(order));
    scene.trouble('stripe charges the card; in that moment Payonce is killed (SIGKILL)');
    const psp: Psp = 'stripe';
    await psps.misbehave(psp, { fault: 'kill', pid: environment.servicePid, when: 'after_effect', next: 1 });
    const lost = await shop.post('/v1/payments', keyFor(order), requestFor(order)).then(
      ({ status }) => `${status}`,
      () => null,
    );
    await environment.serviceEnded();
    const restartedMs = performance.now();
    await environment.startService();
    const upMs = performance.now() - restartedMs;
    const { payment, answer } = await shop.pay(order);
    const attempts = await shop.attempts(payment.id);
    scene.calls(attempts);
    const resumed = answer.replayed
      ? 'All that happens before the shop, which got no answer, sends its request again with the same key.'
      : 'The shop, which got no answer, sends its request again with the same key, and that continues it.';
    scene.payonce(
      `Started again in ${seconds(upMs)}. The call was stored before it was made, so the new process knows ` +
        `that it is in doubt. Once the lock of the killed process has run out (${seconds(LOCK_MS)}), it looks the charge up at ` +
        `stripe and finds it: nothing is sent twice. ${resumed}`,
    );
    const again = await shop.post('/v1/payments', keyFor(order), requestFor(order));
    const same = again.text === answer.text && again.status === answer.status;
    scene.answer(answer, payment, same ? '; when sent once more, the same to the byte' : '');
    await scene.customer(payment);
    scene.expect(lost === null, `the request was answered ${lost} although the service was killed`);
    scene.expect(attempts[0]?.outcome === null, 'the end of the first call was seen');
    scene.expect(payment.status === 'captured', `the payment is ${payment.status}`);
    scene.expect(again.replayed && same, 'a repeated request got another answer');
  },
};

const authorizations: Scene = {
  title: 'Money reserved: one part captured, the other canceled',
  async play(scene) {
    const { shop } = scene.environment;
    const part: Order = { reference: 'order-7a', amount: 10_000, currency: 'USD', capture: 'manual' };
    const captured = 6_000;
    scene.request(`${described(part)}, then capture ${money(captured, part.currency)} of it`);
    const reserved = (await shop.pay(part)).payment;
    const path = `/v1/payments/${reserved.id}`;
    const capture = await shop.settle(`${path}/capture`, `${keyFor(part)}-capture`, { amount: captured });
    scene.calls(await shop.attempts(reserved.id));
    scene.answer(capture, paymentIn(capture));
    await scene.customer(reserved);
    scene.expect(paymentIn(capture).amount_captured === captured, 'another amount was captured');

    const whole: Order = { reference: 'order-7b', amount: 8_000, currency: 'EUR', capture: 'manual' };
    scene.request(`${described(whole)}, then cancel it`);
    const held = (await shop.pay(whole)).payment;
    const cancel = await shop.settle(`/v1/payments/${held.id}/cancel`, `${keyFor(whole)}-cancel`, {});
    scene.calls(await shop.attempts(held.id));
    scene.answer(cancel, paymentIn(cancel));
    await scene.customer(held);
    scene.expect(paymentIn(cancel).status === 'canceled', 'it was not canceled');
  },
};

const refundedOnce: Scene = {
  title: 'Two requests for one refund',
  async play(scene) {
    const { shop, psps } = scene.environment;
    const order: Order = { reference: 'order-8', amount: 6_000, currency: 'USD' };
    scene.request(
      `${described(order)}; then support and the shop's nightly job both refund it, under keys of their own`,
    );
    const { payment } = await shop.pay(order);
    scene.trouble('stripe refunds and then answers 500');
    await psps.misbehave('stripe', { fault: 'error_500_after', next: 1 });
    const path = `/v1/payments/${payment.id}/refunds`;
    const [support, job] = await Promise.all([
      shop.settle(path, 'support-8', {}),
      shop.settle(path, 'nightly-8', {}),
    ]);
    scene.calls(await shop.attempts(payment.id));
    scene.payonce(
      'A refund is named after its payment, not after its request, so both mean the same one; and what stripe did ' +
        'is looked up before anything is sent again.',
    );
    const [first, second] = [refundIn(support), refundIn(job)];
    const statuses = [support.status, job.status].toSorted((a, b) => b - a).join(' and ');
    scene.refund(statuses, first);
    await scene.customer(payment);
    scene.expect(first.id === second.id, 'they are two refunds');
    scene.expect(statuses === '201 and 200', `the two were answered ${statuses}`);
    scene.expect(first.status === 'succeeded' && first.amount === order.amount, 'it was not refunded');
  },
};

const otherCard: Scene = {
  title: 'The customer tries another card',
  async play(scene) {
    const { shop, psps } = scene.environment;
    const order = { reference: 'order-10', amount: 3_350, currency: 'EUR' };
    scene.request(`${described(order)}; the page shows an error, and the customer pays with another card`);
    scene.trouble(`adyen charges the first card and then says nothing for ${seconds(PSP_TIMEOUT_MS)}`);
    await psps.misbehave('adyen', { fault: 'hang_after', next: 1 });
    const named = { order: { reference: order.reference } };
    const first = shop.settle('/v1/payments', keyFor(order), { ...requestFor(order), ...named });
    await psps.hasDone(order.amount);
    const other = requestFor({ ...order, tokens: { stripe: 'pm_card_mastercard' } });
    const second = await shop.post('/v1/payments', `${keyFor(order)}-other-card`, { ...other, ...named });
    const answer = await first;
    const payment = paymentIn(answer);
    scene.calls(await shop.attempts(payment.id));
    const { code, payment_id: of } = JSON.parse(second.text) as { code?: string; payment_id?: string };
    scene.payonce(
      'Both requests name the order. The second waits, under a key of its own, until it is known what became of the ' +
        `first; then it is answered ${second.status} ${code}, and stripe is never asked.`,
    );
    scene.answer(answer, payment);
    await scene.customer(payment);
    const charged = (await psps.effects()).filter(({ amount }) => amount === order.amount);
    scene.expect(charged.length === 1, `the order was charged ${charged.length} times`);
    scene.expect(code === 'order_paid' && of === payment.id, `the second card was answered ${second.text}`);
  },
};

export const scenes: readonly Scene[] = [
  plain,
  lostAnswer,
  down,
  declines,
  crowd,
  crash,
  authorizations,
  refundedOnce,
  otherCard,
  notified,
  reconciled,
];
