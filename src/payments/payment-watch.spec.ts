import { SystemClock } from '../core/clock.js';
import { type Caller } from '../core/caller.js';
import { MAX_WATCHES, PaymentWatch } from './payment-watch.js';
import { type PaymentsService } from './payments.service.js';

const processing = { get: async () => ({ status: 'processing' }) } as unknown as PaymentsService;
const callerOf = (merchantId: string) => ({ merchantId }) as Caller;

describe('watches of payments', () => {
  const ended = new AbortController();
  afterAll(() => ended.abort());

  it('leave places for other merchants, however many one of them begins', async () => {
    const watch = new PaymentWatch(processing, new SystemClock());
    const begin = async (merchantId: string) => {
      const stream = watch.watch(callerOf(merchantId), 'id', ended.signal);
      return stream.next().then(
        () => stream,
        (error: { code: string }) => error.code,
      );
    };
    const begun = async (merchantId: string, count: number) => {
      const all = [];
      for (let n = 0; n < count; n++) all.push(await begin(merchantId));
      return all;
    };
    const first = await begun('one', MAX_WATCHES);
    const half = MAX_WATCHES / 2;
    expect(first.slice(0, half).every((each) => typeof each !== 'string')).toBe(true);
    expect(first.slice(half)).toEqual(Array(half).fill('rate_limited'));
    const second = await begun('two', half);
    expect(second.filter((each) => typeof each !== 'string')).toHaveLength(half / 2);
    expect(typeof (await begin('three'))).not.toBe('string');
    // A watch that ends gives its place back.
    for (const each of [...first, ...second]) if (typeof each !== 'string') await each.return(undefined);
    expect(await begun('four', half + 1)).toEqual([
      ...Array<unknown>(half).fill(expect.any(Object)),
      'rate_limited',
    ]);
  });
});
