import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { type FastifyRequest } from 'fastify';
import { type RequestContext } from '../idempotency/request-context.js';
import { type Caller, type Scope } from '../merchants/caller.js';
import { unauthorized } from './headers.js';

function requestOf(context: ExecutionContext): FastifyRequest {
  return context.switchToHttp().getRequest<FastifyRequest>();
}

function callerOf({ edge: { caller } }: FastifyRequest): Caller {
  if (caller === null) throw unauthorized();
  return caller;
}

/** The route takes an API key with one of these scopes. */
export function Scopes(...scopes: Scope[]): MethodDecorator {
  return RouteConfig({ access: { scopes, movesMoney: false } });
}

/** The route moves money: it takes an API key with this scope, and an Idempotency-Key. */
export function MovesMoney(scope: Scope): MethodDecorator {
  return RouteConfig({ access: { scopes: [scope], movesMoney: true } });
}

/** The route takes the operators' token and no API key. */
export function ForOperators(): MethodDecorator {
  return RouteConfig({ access: { operator: true } });
}

/** Who asks. Only for routes with scopes. */
export const CurrentCaller = createParamDecorator((_: unknown, context: ExecutionContext) =>
  callerOf(requestOf(context)),
);

/** How a request that moves money was made: who, under which Idempotency-Key, and how long they wait. */
export const KeyedBy = createParamDecorator((_: unknown, context: ExecutionContext): RequestContext => {
  const request = requestOf(context);
  const { key, waitS, deadlineMs } = request.edge;
  return { caller: callerOf(request), key, waitMs: waitS * 1_000, deadlineMs, requestId: request.id };
});

/** The id in the path, in small letters. */
export const PathId = createParamDecorator(
  (_: unknown, context: ExecutionContext) => requestOf(context).edge.id,
);
