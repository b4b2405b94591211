import { type Answer } from './contract.js';

/** The answer to a question. One that is refused says nothing about the operation. */
export function answerToQuestion(answer: Answer): Answer {
  return answer.outcome === 'rejected' ? { ...answer, outcome: 'unknown' } : answer;
}

/** The answer of an operation whose payment could not be read first: the operation was not asked for yet. */
export function notAskedYet(read: Answer): Answer {
  return read.outcome === 'unknown' ? { ...read, outcome: 'throttled' } : read;
}
