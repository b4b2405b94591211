import { applyDecorators, HttpCode, type Type } from '@nestjs/common';
// @nestjs/swagger reads the parameters of a handler from the same two.
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import { ApiBody, ApiOperation, ApiResponse, getSchemaPath } from '@nestjs/swagger';
import { type ProblemCode, problemCatalogue } from '../core/problem.js';
import { type Access, type OperatorAccess } from './access.js';
import { fieldsOf } from './fields.js';
import { ProblemView } from './problem.view.js';
import { ACCESS } from './request.decorators.js';

type Examples = Readonly<Record<string, object>>;

interface OperationDocument {
  readonly id: string;
  readonly summary: string;
  readonly description: string;
  /** Bodies to send, by name. */
  readonly bodies?: Examples;
  /** Default: whether a field of the body is. */
  readonly bodyIsRequired?: true;
  /** By status: what is answered, when, and examples by name. The lowest is that of a handler that says none. */
  readonly answers: Readonly<Record<number, readonly [Type, description: string, examples: Examples]>>;
  /** Beside those that follow from the credentials, the Idempotency-Key, the query and the body. */
  readonly problems?: readonly ProblemCode[];
}

/**
 * The document of a handler: what @ApiOperation and its kin say, with all that follows from what the handler
 * declares anyway. It stands above the decorators that it reads: those of access and of parameters.
 */
export function Operation({
  id: operationId,
  summary,
  description,
  bodies = {},
  bodyIsRequired,
  answers,
  problems = [],
}: OperationDocument): MethodDecorator {
  return (target, name, handler) => {
    const access = Reflect.getMetadata(ACCESS, handler.value as object) as
      Access | OperatorAccess | undefined;
    const query = dtoOf(target, name, RouteParamtypes.QUERY);
    const body = dtoOf(target, name, RouteParamtypes.BODY);
    const codes = new Set<ProblemCode>([
      ...problems,
      ...(query ? problemsOf.query : []),
      ...(body ? problemsOf.body : []),
      ...problemsOfAccess(access),
    ]);
    const required = bodyIsRequired ?? (body && [...fieldsOf(body).values()].some((field) => field.required));
    const headers = { ...requestId, ...(movesMoney(access) ? replayed : {}) };
    applyDecorators(
      HttpCode(Number(Object.keys(answers)[0] ?? 200)),
      ApiOperation({
        operationId,
        summary,
        description: `${description}${scopeLine(access)}`,
        security: access === undefined ? [] : [{ ['operator' in access ? 'operatorToken' : 'apiKey']: [] }],
      }),
      ...(body ? [ApiBody({ type: body, required: required === true, examples: named(bodies) })] : []),
      ...Object.entries(answers).map(([status, [type, when, examples]]) =>
        ApiResponse({
          status: Number(status),
          type,
          description: when,
          headers: { ...headers, ...(movesMoney(access) ? leadsOn[status] : {}) },
          examples: named(examples),
        }),
      ),
      ...problemResponses([...codes]),
    )(target, name, handler);
  };
}

/** The answer of an operation that lists: its last page, for an example. */
export function aPage(page: Type, one: object): OperationDocument['answers'][number] {
  return [page, 'A page.', { last: { data: [one], has_more: false, next_cursor: null } }];
}

const problemsOf = {
  query: ['validation_failed', 'card_number_refused'],
  body: [
    'body_malformed',
    'body_too_large',
    'unsupported_media_type',
    'validation_failed',
    'card_number_refused',
  ],
  key: [
    'idempotency_key_missing',
    'idempotency_key_invalid',
    'idempotency_key_reused',
    'request_in_progress',
  ],
  scopes: ['unauthorized', 'forbidden', 'rate_limited', 'overloaded', 'internal_error'],
  operators: ['not_found', 'unauthorized', 'overloaded', 'internal_error'],
} satisfies Record<string, readonly ProblemCode[]>;

function problemsOfAccess(access: Access | OperatorAccess | undefined): readonly ProblemCode[] {
  if (access === undefined) return [];
  if ('operator' in access) return problemsOf.operators;
  return access.movesMoney ? [...problemsOf.key, ...problemsOf.scopes] : problemsOf.scopes;
}

function movesMoney(access: Access | OperatorAccess | undefined): boolean {
  return access !== undefined && 'movesMoney' in access && access.movesMoney;
}

function scopeLine(access: Access | OperatorAccess | undefined): string {
  if (access === undefined || 'operator' in access) return '';
  return `\n\nScope: ${access.scopes.map((scope) => `\`${scope}\``).join(' or ')}.`;
}

/** The class of the parameter that the body or the query becomes. */
function dtoOf(target: object, name: string | symbol, kind: RouteParamtypes): Type | undefined {
  const read = Reflect.getMetadata(ROUTE_ARGS_METADATA, target.constructor, name) as
    Readonly<Record<string, { readonly index: number }>> | undefined;
  const parameter = Object.entries(read ?? {}).find(([key]) => key.startsWith(`${kind}:`));
  const types = Reflect.getMetadata('design:paramtypes', target, name) as readonly Type[];
  return parameter && types[parameter[1].index];
}

export const requestId = { 'Request-Id': { $ref: '#/components/headers/RequestId' } };
const replayed = { 'Idempotent-Replayed': { $ref: '#/components/headers/IdempotentReplayed' } };
const authenticate = { 'WWW-Authenticate': { $ref: '#/components/headers/WwwAuthenticate' } };
const location = { Location: { $ref: '#/components/headers/Location' } };
const help = { Link: { $ref: '#/components/headers/Help' } };
const retryAfter = { 'Retry-After': { $ref: '#/components/headers/RetryAfter' } };

/** Headers by which an answer leads on, by its status. */
const leadsOn: Readonly<Record<string, object>> = {
  201: location,
  202: { ...location, ...retryAfter },
};

/** One response for each status, with an example for each code that comes with it. */
function problemResponses(codes: readonly ProblemCode[]): MethodDecorator[] {
  const statusOf = (code: ProblemCode) => problemCatalogue[code][0];
  return [...new Set(codes.map(statusOf))].map((status) => {
    const of = codes.filter((code) => statusOf(code) === status);
    return ApiResponse({
      status,
      description: of.map((code) => `\`${code}\`: ${problemCatalogue[code][1]}.`).join('\n\n'),
      headers: {
        ...requestId,
        ...help,
        ...(status === 401 ? authenticate : {}),
        ...([409, 429, 503].includes(status) ? retryAfter : {}),
      },
      content: {
        'application/problem+json': {
          schema: { $ref: getSchemaPath(ProblemView) },
          examples: Object.fromEntries(of.map((code) => [code, { $ref: `#/components/examples/${code}` }])),
        },
      },
    });
  });
}

export function named(examples: Examples): Record<string, { summary: string; value: object }> {
  return Object.fromEntries(
    Object.entries(examples).map(([name, value]) => [name, { summary: name, value }]),
  );
}
