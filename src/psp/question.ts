import { type Answer } from './contract.js';

/** The answer to a question. One that is refused says nothing about the operation. */
export function answerToQuestion(answer: Answer): Answer {
  return answer.outcome === 'rejected' ? { ...answer, outcome: 'unknown' } : answer;
}
