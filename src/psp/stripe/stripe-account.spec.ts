import { type Stripe } from 'stripe';
import { provedUnsent } from '../network-error.js';
import { StripeAccount } from './stripe-account.js';

/** A Stripe that says whose the key is, and counts how often it was asked. */
function stripeOf(says: () => Promise<{ id: string }>) {
  let asked = 0;
  const stripe = { accounts: { retrieveCurrent: () => ((asked += 1), says()) } } as unknown as Stripe;
  return { stripe, asked: () => asked };
}
const failureOf = (account: StripeAccount) =>
  account.confirm().then(
    () => null,
    (error: Error & { code: string }) => [error.code, provedUnsent(error)],
  );

describe('a secret key that does not name its account', () => {
  it.each(['acct_1Shop', '1Shop'])(
    'is used where Stripe says that it is of %s, and asked about once',
    async (own) => {
      const { stripe, asked } = stripeOf(() => Promise.resolve({ id: 'acct_1Shop' }));
      const account = new StripeAccount(stripe, own);
      expect([await failureOf(account), await failureOf(account), asked()]).toEqual([null, null, 1]);
    },
  );

  it('sends nothing where it is of another account, each time', async () => {
    const { stripe, asked } = stripeOf(() => Promise.resolve({ id: 'acct_1Another' }));
    const account = new StripeAccount(stripe, 'acct_1Shop');
    const refused = ['wrong_account', true];
    expect([await failureOf(account), await failureOf(account), asked()]).toEqual([refused, refused, 2]);
  });

  it('sends nothing while Stripe does not say, and goes on once it does', async () => {
    let isAway = true;
    const { stripe } = stripeOf(() =>
      isAway ? Promise.reject(new Error('away')) : Promise.resolve({ id: 'acct_1Shop' }),
    );
    const account = new StripeAccount(stripe, 'acct_1Shop');
    expect(await failureOf(account)).toEqual(['account_not_confirmed', true]);
    isAway = false;
    expect(await failureOf(account)).toBeNull();
  });
});

it('asks nothing where no account is to be compared with', async () => {
  const { stripe, asked } = stripeOf(() => Promise.reject(new Error('away')));
  expect([await failureOf(new StripeAccount(stripe, undefined)), asked()]).toEqual([null, 0]);
});
