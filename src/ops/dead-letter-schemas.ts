import { Type } from 'typebox';
import { CODE } from '../jobs/dead-letters.js';

/** What answers about dead letters look like. */

const code = (description: string) =>
  Type.String({
    maxLength: 100,
    pattern: CODE,
    description,
  });

const Kind = code('Room and verb: `webhook.apply`.');
const Cause = code('Why it was given up: a code that the handler of the kind gave.');
const Count = Type.Integer({ minimum: 0 });

export const DeadLetterSchema = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    kind: Kind,
    job_id: Type.String({ description: 'What the queue knows the job by.' }),
    args: Type.Unsafe<object>({
      type: 'object',
      additionalProperties: { type: ['string', 'number', 'boolean', 'null'] },
      description: 'What the job was about: ids.',
    }),
    cause: Cause,
    error: Type.String({ description: 'The last error in words. For people; it may change.' }),
    tries: Type.Integer({ minimum: 1 }),
    first_tried_at: Type.String({ format: 'date-time' }),
    died_at: Type.String({ format: 'date-time' }),
  },
  { additionalProperties: false, description: 'A job that was given up.' },
);

export const DeadLetterPage = Type.Object(
  {
    data: Type.Unsafe<object[]>({ type: 'array', items: { $ref: '#/components/schemas/DeadLetter' } }),
    has_more: Type.Boolean(),
    next_cursor: Type.Unsafe<string | null>({ type: ['string', 'null'] }),
  },
  { additionalProperties: false },
);

export const DeadLetterCounts = Type.Object(
  {
    data: Type.Array(
      Type.Object(
        {
          kind: Kind,
          cause: Cause,
          count: Count,
          oldest_died_at: Type.String({ format: 'date-time' }),
          oldest_age_seconds: Count,
        },
        { additionalProperties: false },
      ),
    ),
  },
  { additionalProperties: false },
);

const left = {
  ...Count,
  description: 'Selected and still there: past the bound of one go, or in the hands of another operator.',
};

export const DeadLettersMerged = Type.Object({ merged: Count, left }, { additionalProperties: false });
export const DeadLettersPurged = Type.Object({ purged: Count, left }, { additionalProperties: false });
