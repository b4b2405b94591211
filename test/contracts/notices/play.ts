import { type Answer, type Instruction } from '../../../src/psp/contract.js';
import { authorized, referenceOf } from '../exercise-psp.js';
import { type PspBench } from '../psp-under-test.js';

/** Does one thing, and what has to be there before it can be done. */
export async function play(bench: PspBench, deed: Instruction['operation'] | 'decline'): Promise<Answer> {
  const { tokens, bankAccounts } = bench.subject;
  const part = { amount: 400, currency: 'EUR' };
  switch (deed) {
    case 'charge':
    case 'authorize':
      return bench.execute(bench.instruction({ operation: deed }));
    case 'decline':
      return bench.execute(bench.instruction({ token: tokens.hardDecline }));
    case 'payout':
      return bench.execute(bench.instruction({ operation: deed, token: bankAccounts!.pays }));
    case 'refund': {
      const parentReference = referenceOf(await bench.execute(bench.instruction()));
      return bench.execute(bench.instruction({ operation: deed, parentReference, money: part }));
    }
    case 'capture':
    case 'void': {
      const parentReference = await authorized(bench);
      const isPart = deed === 'capture' && bench.capabilities.captures !== 'whole';
      const money = isPart ? { money: part } : {};
      return bench.execute(bench.instruction({ operation: deed, parentReference, ...money }));
    }
  }
}
