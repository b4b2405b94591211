import { money } from './books.js';
import { Endpoint } from './endpoint.js';
import { type Order, keyFor, paymentIn, requestFor } from './shop.js';
import { type Scene, seconds } from './story.js';

/** What a PSP tells of its own accord, and what the shop is told. */
export const notified: Scene = {
  title: 'Only the notification tells, and the shop is told',
  async play(told) {
    const { stage } = told;
    const { shop, psps } = stage;
    const endpoint = await Endpoint.open();
    try {
      endpoint.secret = await shop.listenAt(endpoint.url);
      await psps.notify(stage.serviceAddress);
      const order: Order = { reference: 'order-9', amount: 5_500, currency: 'EUR' };
      told.asked(`${order.reference}: charge ${money(order.amount, order.currency)}`);
      told.trouble('adyen charges the card, its answer is lost, and from then on it answers nothing at all');
      await psps.misbehave('adyen', { fault: 'close_after', next: 1 });
      await psps.misbehave('adyen', { fault: 'hang_before', rate: 1 });
      const answer = await shop.post('/v1/payments', keyFor(order), requestFor(order));
      const answeredMs = performance.now();
      const payment = paymentIn(answer);
      const attempts = await shop.attempts(payment.id);
      told.calls(attempts);
      told.payonce(
        'Adyen cannot be looked up. While it was asked again under the same key, and hung, its signed notification ' +
          'arrived at another door. It is written down beside the calls and weighed with them: that settles it.',
      );
      told.answer(answer, payment);
      const event = await endpoint.told('payment.captured', payment.id);
      if (event) {
        const afterMs = Math.max(event.atMs - answeredMs, 0);
        told.event(
          `${event.type}, signed, ${afterMs < 1 ? 'before the answer' : `${seconds(afterMs)} after the answer`}`,
        );
      }
      await told.customer(payment);
      const notice = attempts.find(({ kind }) => kind === 'notice');
      told.expect(payment.status === 'captured', `the payment is ${payment.status}`);
      told.expect(notice?.outcome === 'succeeded', 'no notification was weighed');
      told.expect(event !== null && endpoint.refused === 0, 'the shop was not told');
    } finally {
      await psps.behave('adyen');
      await psps.notifyNoService();
      await endpoint.close();
    }
  },
};
