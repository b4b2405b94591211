import { Type } from 'typebox';
import { problemCatalogue } from '../core/problem.js';

/** What answers look like, for the OpenAPI document and for tests that hold answers against it. */

export const Text = Type.String();
export const Id = Type.String({ format: 'uuid', description: 'UUIDv7.' });
export const Time = Type.String({ format: 'date-time', description: 'RFC 3339, UTC.' });
export const Minor = (description: string): ReturnType<typeof Type.Integer> =>
  Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description });

/** OpenAPI 3.1 writes "or null" as a list of types. */
export function nullable(schema: { type: string; description?: string }, description?: string): object {
  return { ...schema, type: [schema.type, 'null'], ...(description ? { description } : {}) };
}

export function strictObject(
  properties: Record<string, object>,
  description?: string,
): { type: 'object'; description?: string } {
  return {
    type: 'object',
    required: Object.keys(properties),
    properties,
    additionalProperties: false,
    ...(description ? { description } : {}),
  } as { type: 'object'; description?: string };
}

export const Routes = {
  type: 'array',
  description: 'Which PSPs were asked, in order, and how each ended.',
  items: strictObject({ route: Type.Integer(), psp: Text, verdict: Text, outcome: nullable(Text) }),
};

export function pageOf(name: string): object {
  return strictObject({
    data: { type: 'array', items: { $ref: `#/components/schemas/${name}` } },
    has_more: Type.Boolean(),
    next_cursor: nullable(Text, 'Give it as `cursor` to get the next page.'),
  });
}

const problemMembers: Record<string, object> = {
  type: Type.String({ format: 'uri' }),
  title: Type.String({ description: 'Fixed for each code.' }),
  status: Type.Integer(),
  detail: Type.String({ description: 'About this occurrence. Never repeats what was sent.' }),
  code: Type.Enum(Object.keys(problemCatalogue), { description: 'Program against this.' }),
  request_id: Type.String({
    format: 'uuid',
    description:
      'Absent in a stored answer, which is the same to the byte whenever it is sent; see Request-Id.',
  }),
  refund_id: Type.String({
    format: 'uuid',
    description: 'For `refund_exists` and `refund_reversed`: the one there is.',
  }),
  payment_id: Type.String({ format: 'uuid', description: 'For `probable_duplicate`: the payment there is.' }),
  payout_id: nullable(
    Id,
    'For `payout_in_progress`: the payout to wait for. For `payout_sequence_stale`: the last one that ended, null where there is none.',
  ),
  errors: {
    type: 'array',
    maxItems: 20,
    description: 'For `validation_failed`, `card_number_refused` and `webhook_target_refused`.',
    items: strictObject({
      pointer: Type.String({
        description: 'RFC 6901, into the body; for a query, the name of the parameter.',
      }),
      message: Text,
    }),
  },
};

export const ProblemSchema = {
  type: 'object',
  description: 'RFC 9457.',
  required: ['type', 'title', 'status', 'detail', 'code'],
  properties: problemMembers,
};
