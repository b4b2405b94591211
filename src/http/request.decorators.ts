import { applyDecorators, createParamDecorator, type ExecutionContext, SetMetadata } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { ApiHeader, ApiParam } from '@nestjs/swagger';
import { type FastifyContextConfig, type FastifyRequest } from 'fastify';
import { type RequestContext } from '../core/keyed-request.js';
import { type Caller, type Scope } from '../core/caller.js';
import { type OperatorRole } from '../core/operator-role.js';
import { type Access, type OperatorAccess } from './access.js';
import { MAX_DEADLINE_MS, MAX_KEY_LENGTH, unauthorized } from './headers.js';

function requestOf(context: ExecutionContext): FastifyRequest {
  return context.switchToHttp().getRequest<FastifyRequest>();
}

function callerOf({ inFlight: { caller } }: FastifyRequest): Caller {
  if (caller === null) throw unauthorized();
  return caller;
}

/** Metadata key of a handler's access rule; the OpenAPI document reads it. */
export const ACCESS = 'access';

function access(asked: Access | OperatorAccess, session: FastifyContextConfig = {}): MethodDecorator {
  return applyDecorators(RouteConfig({ access: asked, ...session }), SetMetadata(ACCESS, asked));
}

/** The route takes an API key with one of these scopes. */
export function Scopes(...scopes: Scope[]): MethodDecorator {
  return access({ scopes, movesMoney: false });
}

/** The route moves money: it takes an API key with this scope, and an Idempotency-Key. */
export function MovesMoney(scope: Scope): MethodDecorator {
  return access({ scopes: [scope], movesMoney: true });
}

/** The route takes the operators' token, or in the console a session of this role or one above it, and no API key. */
export function ForOperators(operatorRole: OperatorRole): MethodDecorator {
  return access({ operator: true }, { operatorRole });
}

/** Who asks. Only for routes with scopes. */
export const CurrentCaller = createParamDecorator((_: unknown, context: ExecutionContext) =>
  callerOf(requestOf(context)),
);

/** How a request that moves money was made: who, under which Idempotency-Key, and how long they wait. */
export const KeyedBy = documented(
  createParamDecorator((_: unknown, context: ExecutionContext): RequestContext => {
    const request = requestOf(context);
    const { key, waitS, deadlineMs } = request.inFlight;
    return { caller: callerOf(request), key, waitMs: waitS * 1_000, deadlineMs, requestId: request.id };
  }),
  ApiHeader({
    name: 'Idempotency-Key',
    required: true,
    description:
      'A new one for each new request, a UUID for instance; bare or as a quoted string of RFC 8941.',
    schema: { minLength: 1, maxLength: MAX_KEY_LENGTH, pattern: String.raw`^[\x20-\x7e]+$` },
    example: '8e03978e-40d5-43dd-bc93-6894a57f9324',
  }),
  ApiHeader({
    name: 'Prefer',
    description: '`wait=<seconds>`: wait for the first request with this key, instead of a 409. At most 60.',
    example: 'wait=10',
  }),
  ApiHeader({
    name: 'Payonce-Deadline',
    description:
      'How long you wait for the outcome, in ms. After that no other PSP is tried; an outcome that is not known by then is answered 202. Default: 25,000.',
    schema: { type: 'integer', minimum: 1, maximum: MAX_DEADLINE_MS },
    example: 10_000,
  }),
);

const IdOfPath = createParamDecorator(
  (_: unknown, context: ExecutionContext) => requestOf(context).inFlight.id,
);

/** The id in the path, in small letters. */
export function PathId(noun: string, example: string): ParameterDecorator {
  const description = `The id of the ${noun}. An id that is not a UUID is answered 404.`;
  return documented(IdOfPath, ApiParam({ name: 'id', description, type: String, format: 'uuid', example }))();
}

const ReferenceOfPath = createParamDecorator(
  (_: unknown, context: ExecutionContext) => (requestOf(context).params as { reference: string }).reference,
);

/** The merchant's own name in the path. */
export function PathReference(noun: string, example: string): ParameterDecorator {
  const description = `Your name of the ${noun}, percent-encoded.`;
  return documented(ReferenceOfPath, ApiParam({ name: 'reference', description, type: String, example }))();
}

/** A decorator of a parameter that documents the handler too. */
function documented(read: () => ParameterDecorator, ...documents: MethodDecorator[]) {
  return (): ParameterDecorator => (target, name, index) => {
    read()(target, name, index);
    const handler = Object.getOwnPropertyDescriptor(target, name!)!;
    for (const document of documents) document(target, name!, handler);
  };
}
