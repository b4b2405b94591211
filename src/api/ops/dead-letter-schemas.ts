import { type Static, Type } from 'typebox';
import { CODE, CURSOR, MOST_IN_A_PAGE } from '../../jobs/index.js';
import { Time } from '../request-schemas.js';

/** What is asked and answered under /ops/api/dead-letters: validators and the OpenAPI document. */

const code = (description: string) =>
  Type.String({
    pattern: CODE,
    description,
    'x-refusal': 'must be 1 to 100 of A-Z a-z 0-9 . _ - and begin with a letter or a digit',
  });

const Kind = code('Room and verb: `webhook.apply`.');
const Cause = code('Why it was given up: a code that the handler of the kind gave.');
const Count = Type.Integer({ minimum: 0 });

export const DeadLetterListQuery = Type.Object(
  {
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: MOST_IN_A_PAGE,
        default: 20,
        description: 'How many at most.',
        'x-refusal': `must be an integer from 1 to ${MOST_IN_A_PAGE}`,
      }),
    ),
    cursor: Type.Optional(
      Type.String({
        pattern: CURSOR,
        description: '`next_cursor` of the page before.',
        'x-refusal': 'must be the next_cursor of a page',
      }),
    ),
    kind: Type.Optional(Kind),
    cause: Type.Optional(Cause),
    'died[lte]': Type.Optional({ ...Time, description: 'Given up at this time or earlier (RFC 3339).' }),
  },
  { additionalProperties: false },
);

/** Of ids in one selection: they have to fit into a body. */
const MOST_IDS = 1_000;

export const DeadLetterSelection = Type.Object(
  {
    ids: Type.Optional(
      Type.Array(
        Type.String({
          pattern: '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$',
          'x-refusal': 'must be the id of a dead letter',
        }),
        {
          minItems: 1,
          maxItems: MOST_IDS,
          description: 'These.',
          'x-refusal': `must be a list of 1 to ${MOST_IDS} ids`,
        },
      ),
    ),
    kind: Type.Optional(Kind),
    cause: Type.Optional(Cause),
    all: Type.Optional(
      Type.Boolean({
        enum: [true],
        description: 'All there are.',
        'x-refusal': 'must be true or be left out',
      }),
    ),
  },
  {
    additionalProperties: false,
    description: 'One way of naming letters: `ids`; or a `kind`, a `cause` or both; or `all`.',
  },
);

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

export type DeadLetterListParameters = Static<typeof DeadLetterListQuery>;
export type DeadLetterSelectionBody = Static<typeof DeadLetterSelection>;
