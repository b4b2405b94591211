import { checkedAnswer } from './answer-check.js';
import { type Instruction } from './contract.js';

const instruction = { operation: 'charge', money: { amount: 100, currency: 'EUR' } } as Instruction;

describe('what a PSP answers', () => {
  it.each([
    'card_declined',
    'card_velocity_exceeded',
    'card_not_supported',
    'token_already_used',
    '05 : Do not honor',
  ])('the code %s reaches the merchant as it is: codes are no secrets', (pspCode) => {
    const answer = checkedAnswer({ outcome: 'declined', pspCode }, 'execute', instruction);
    expect(answer.pspCode).toBe(pspCode);
  });

  it('a code that holds a secret does not', () => {
    const pspCode = 'no such token: card_1NXWPnFn5Gs8Hl2F1a2b3c4d';
    expect(checkedAnswer({ outcome: 'declined', pspCode }, 'execute', instruction).pspCode).toBe(
      'no such token: [removed]',
    );
  });
});
