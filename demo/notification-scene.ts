import { money } from './books.js';
import { Endpoint } from './endpoint.js';
import { type Order, keyFor, paymentIn, requestFor } from './shop.js';
import { type Scene, seconds } from './story.js';

/** A notification of a PSP, and the event that the shop gets. */
export const notified: Scene = {
  title: 'Only a notification shows the charge, and the shop gets an event',
  async play(scene) {
    const { environment } = scene;
    const { shop, psps } = environment;
    const endpoint = await Endpoint.open();
    try {
      endpoint.secret = await shop.listenAt(endpoint.url);
      await psps.notify(environment.serviceAddress);
      const order: Order = { reference: 'order-9', amount: 5_500, currency: 'EUR' };
      scene.request(`${order.reference}: charge ${money(order.amount, order.currency)}`);
      scene.trouble('adyen charges the card, its answer is lost, and from then on it answers nothing at all');
      await psps.misbehave('adyen', { fault: 'close_after', next: 1 });
      await psps.misbehave('adyen', { fault: 'hang_before', rate: 1 });
      const answer = await shop.post('/v1/payments', keyFor(order), requestFor(order));
      const answeredMs = performance.now();
      const payment = paymentIn(answer);
      const attempts = await shop.attempts(payment.id);
      scene.calls(attempts);
      scene.payonce(
        'Adyen offers no lookup. While the charge was sent again under the same key, and hung, its signed notification ' +
          'arrived. It is stored beside the calls, counts as evidence with them, and decides the payment.',
      );
      scene.answer(answer, payment);
      const event = await endpoint.received('payment.captured', payment.id);
      if (event) {
        const afterMs = Math.max(event.atMs - answeredMs, 0);
        scene.event(
          `${event.type}, signed, ${afterMs < 1 ? 'before the answer' : `${seconds(afterMs)} after the answer`}`,
        );
      }
      await scene.customer(payment);
      const notice = attempts.find(({ kind }) => kind === 'notice');
      scene.expect(payment.status === 'captured', `the payment is ${payment.status}`);
      scene.expect(notice?.outcome === 'succeeded', 'no notification was weighed');
      scene.expect(event !== null && endpoint.refused === 0, 'the shop got no event');
    } finally {
      await psps.behave('adyen');
      await psps.notifyNoService();
      await endpoint.close();
    }
  },
};
