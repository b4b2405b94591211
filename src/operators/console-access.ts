import { applyDecorators, createParamDecorator, type ExecutionContext, Injectable } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { ApiExcludeEndpoint } from '@nestjs/swagger';
import { parse, serialize } from 'cookie';
import { type FastifyContextConfig, type FastifyReply, type FastifyRequest } from 'fastify';
import { Config } from '../config/config.js';
import { Clock } from '../core/clock.js';
import { mayActAs, type OperatorRole } from '../core/operator-role.js';
import { Problem } from '../core/problem.js';
import { CONSOLE_HEADER, roleOfSession } from '../http/access.js';
import { readId } from '../http/authentication.js';
import { ApiLimits } from '../http/limits.js';
import { RequestHooks } from '../http/request-hooks.js';
import { StrangersGate } from '../http/strangers-gate.js';
import { actorOf } from './action-log.js';
import { OperatorSessions, type SignedIn } from './operator-sessions.js';

declare module 'fastify' {
  interface FastifyRequest {
    operator: SignedIn | null;
  }
}

/** Headers of every answer of the console. */
export const securityHeaders = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=()',
};

/** The route is for operators who are signed in and have this role, or one above it. */
export function ForRole(
  role: OperatorRole,
  more: Pick<FastifyContextConfig, 'takesFile' | 'fileBytes'> = {},
): MethodDecorator {
  return applyDecorators(RouteConfig({ ...more, operatorRole: role }), ApiExcludeEndpoint());
}

/** The route is open, so that operators can sign in. */
export function ForSigningIn(): MethodDecorator {
  return applyDecorators(RouteConfig({ operatorRole: null }), ApiExcludeEndpoint());
}

/**
 * Who acts, for audit records. There is one token for operators and it names nobody, so the address that it came from
 * stands beside it.
 */
export const CurrentActor = createParamDecorator((_: unknown, context: ExecutionContext): string => {
  const { operator, ip } = context.switchToHttp().getRequest<FastifyRequest>();
  return actorOf(operator ?? { name: `ops-token@${ip}` });
});

/** Who is signed in. Only for routes with a role. */
export const CurrentOperator = createParamDecorator(
  (_: unknown, context: ExecutionContext): SignedIn =>
    context.switchToHttp().getRequest<FastifyRequest>().operator!,
);

/** The paths that an operator without credentials may use. */
const SESSION = '/ops/api/session';
const DEVICE_S = 180 * 24 * 3_600;

/** Lets operators in by the session of their cookie, before a byte of the body is looked at. */
@Injectable()
export class ConsoleAccess {
  /** With this prefix no browser takes it without Secure, nor from another host. */
  readonly cookie: string;
  private readonly deviceCookie: string;
  private readonly signIns: StrangersGate;
  readonly isSecure: boolean;

  constructor(
    private readonly hooks: RequestHooks,
    private readonly sessions: OperatorSessions,
    { exposed, trustedProxies }: Config,
    limits: ApiLimits,
    clock: Clock,
  ) {
    this.signIns = new StrangersGate('sign-ins', limits.signIns, clock);
    this.isSecure = exposed || trustedProxies.length > 0;
    const prefix = this.isSecure ? '__Host-' : '';
    this.cookie = `${prefix}payonce_session`;
    this.deviceCookie = `${prefix}payonce_device`;
  }

  async check(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const role = roleOfSession(request);
    if (role === undefined) return;
    reply.headers(securityHeaders);
    if (request.method !== 'GET') refuseForged(request);
    if (role === null) return this.signIns.expect(request, reply);
    this.hooks.admitOperator(request.inFlight);
    const token = this.tokenOf(request);
    const operator =
      token === null
        ? null
        : await this.sessions.find(token, request.headers[CONSOLE_HEADER] === 'idle', request.ip);
    if (operator === null) throw new Problem('unauthorized', 'Sign in to the console.');
    request.operator = operator;
    if (operator.needsCredentials && !request.url.startsWith(SESSION)) {
      throw new Problem('forbidden', 'Choose a password and an authenticator first.');
    }
    if (!mayActAs(operator.role, role)) {
      throw new Problem('forbidden', `This takes the role ${role}; you have the role ${operator.role}.`);
    }
    readId(request);
  }

  /** Gives a sign-in its place, once its body is there. @throws Problem `overloaded` */
  admitSignIn(request: FastifyRequest): void {
    this.signIns.admit(request);
  }

  /** Without an age it ends with the browser; the database ends it earlier. */
  cookieOf(token: string, maxAge?: number): string {
    return this.serialized(this.cookie, token, maxAge);
  }

  /** The cookie by which the next sign-in recognises this browser. It opens no session. */
  deviceCookieOf(device: string): string {
    return this.serialized(this.deviceCookie, device, DEVICE_S);
  }

  private serialized(name: string, value: string, maxAge: number | undefined): string {
    return serialize(name, value, {
      httpOnly: true,
      sameSite: 'strict',
      path: '/',
      secure: this.isSecure,
      ...(maxAge === undefined ? {} : { maxAge }),
    });
  }

  tokenOf(request: FastifyRequest): string | null {
    return read(request, this.cookie);
  }

  deviceOf(request: FastifyRequest): string | null {
    return read(request, this.deviceCookie);
  }
}

function read({ headers: { cookie } }: FastifyRequest, name: string): string | null {
  return (cookie === undefined ? undefined : parse(cookie)[name]) ?? null;
}

function refuseForged({ headers }: FastifyRequest): void {
  const { origin, host } = headers;
  const isOurs = origin !== undefined && URL.canParse(origin) && new URL(origin).host === host;
  if (isOurs && headers[CONSOLE_HEADER] !== undefined) return;
  throw new Problem('forbidden', 'This request does not come from the console.');
}
