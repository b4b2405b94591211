import { Injectable } from '@nestjs/common';
import { type FastifyRequest } from 'fastify';
import { hash, timingSafeEqual } from 'node:crypto';
import { Config } from '../config/config.js';
import { Problem } from '../core/problem.js';
import { type Caller } from '../core/caller.js';
import { type Access, roleOfSession } from './access.js';
import { Admission } from './admission.js';
import { bearerOf, deadlineMsOf, idempotencyKeyOf, unauthorized, waitSecondsOf } from './headers.js';
import { RequestHooks, singleHeader } from './request-hooks.js';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/**
 * Checks the access rule of a route: credentials, scope, the id in the path and the Idempotency-Key, all before a
 * byte of the body is looked at.
 */
@Injectable()
export class Authentication {
  /** The digest of the one token that operators have; null: what takes it is not there. Merchants' keys open nothing of theirs. */
  private readonly opsDigest: Buffer | null;

  constructor(
    private readonly hooks: RequestHooks,
    private readonly admission: Admission,
    { opsToken }: Config,
  ) {
    this.opsDigest = opsToken === null ? null : digestOf(opsToken);
  }

  async check(request: FastifyRequest): Promise<void> {
    const { access } = request.routeOptions.config;
    if (access === undefined || roleOfSession(request) !== undefined) return;
    const { authorization } = request.headers;
    if ('operator' in access) {
      this.requireToken(authorization);
      this.hooks.admitOperator(request.inFlight);
      readId(request);
      return;
    }
    const caller = await this.admission.admit(authorization, request.inFlight, null);
    request.inFlight.caller = { ...caller, sourceAddress: request.ip };
    allow(request, caller, access);
  }

  private requireToken(authorization: string | undefined): void {
    if (this.opsDigest === null) throw new Problem('not_found', 'There is nothing at this path.');
    // Digests have the same length, and the time of the comparison says nothing about either.
    if (!timingSafeEqual(this.opsDigest, digestOf(bearerOf(authorization)))) throw unauthorized();
  }
}

function digestOf(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}

function allow(request: FastifyRequest, caller: Caller, { scopes, movesMoney }: Access): void {
  const { inFlight, headers } = request;
  requireScope(caller, scopes);
  readId(request);
  if (!movesMoney) return;
  inFlight.key = idempotencyKeyOf(
    singleHeader(headers['idempotency-key']),
    linesOf(request, 'idempotency-key'),
  );
  inFlight.waitS = waitSecondsOf(singleHeader(headers['prefer']));
  inFlight.deadlineMs = deadlineMsOf(singleHeader(headers['payonce-deadline']));
}

/** Throws Problem `forbidden` where the caller has none of these scopes. */
export function requireScope(caller: Caller, scopes: Access['scopes']): void {
  if (scopes.some((scope) => caller.scopes.includes(scope))) return;
  throw new Problem('forbidden', `This needs an API key with the scope ${scopes.join(' or ')}.`);
}

/** The id in the path. @throws Problem `not_found` where it cannot be one */
export function readId({ inFlight, params }: FastifyRequest): void {
  const { id } = params as { id?: string };
  if (id !== undefined) inFlight.id = objectId(id);
}

/** An id in small letters. Throws Problem `not_found` for what is no UUID. */
export function objectId(id: string | undefined): string {
  if (id === undefined || !UUID.test(id)) throw new Problem('not_found', 'No object has this id.');
  return id.toLowerCase();
}

/** How many lines of this header came; Node joins them with commas, which a key may hold as well. */
function linesOf(request: FastifyRequest, name: string): number {
  const header = request.headers[name];
  if (typeof header !== 'string' || !header.includes(', ')) return 1;
  return request.raw.rawHeaders.filter((raw, index) => index % 2 === 0 && raw.toLowerCase() === name).length;
}
