import {
  applyDecorators,
  createParamDecorator,
  type ExecutionContext,
  SetMetadata,
  UseFilters,
  UseInterceptors,
} from '@nestjs/common';
import { GrpcMethod } from '@nestjs/microservices';
import { type Metadata } from '@grpc/grpc-js';
import { type Access } from '../http/access.js';
import { type Scope } from '../core/caller.js';
import { callOf } from './call.js';
import { CallInterceptor } from './call.interceptor.js';
import { GrpcProblemFilter } from './grpc-problem.filter.js';

/** Metadata key of a handler's method and access rule; the hooks of calls read it. */
export const RPC = 'rpc';

export interface Rpc {
  /** The path of a call: `/payonce.v1.Payments/Create`. */
  readonly path: string;
  readonly access: Access;
}

function rpc(service: string, method: string, access: Access): MethodDecorator {
  return applyDecorators(
    GrpcMethod(service, method),
    SetMetadata<string, Rpc>(RPC, { path: `/payonce.v1.${service}/${method}`, access }),
    UseFilters(GrpcProblemFilter),
    UseInterceptors(CallInterceptor),
  );
}

/** A method that takes an API key with one of these scopes. */
export function ReadingRpc(service: string, method: string, ...scopes: Scope[]): MethodDecorator {
  return rpc(service, method, { scopes, movesMoney: false });
}

/** A method that moves money: it takes an API key with this scope, and an idempotency-key. */
export function MoneyRpc(service: string, method: string, scope: Scope): MethodDecorator {
  return rpc(service, method, { scopes: [scope], movesMoney: true });
}

/** The call: who asks, under which key, until when. */
export const CurrentCall = createParamDecorator((_: unknown, context: ExecutionContext) =>
  callOf(context.switchToRpc().getContext<Metadata>()),
);
