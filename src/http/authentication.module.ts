import { Module, type NestModule } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { type FastifyInstance } from 'fastify';
import { MerchantsModule } from '../merchants/merchants.module.js';
import { Authentication } from './authentication.js';
import { HttpModule } from './http.module.js';

/** Who may ask, by the API keys of merchants and the token for operators. Needs no guard on a controller. */
@Module({ imports: [HttpModule, MerchantsModule], providers: [Authentication] })
export class AuthenticationModule implements NestModule {
  constructor(
    private readonly host: HttpAdapterHost,
    private readonly authentication: Authentication,
  ) {}

  /** A hook, and not a guard of Nest: guards run once the body is read. */
  configure(): void {
    const fastify = this.host.httpAdapter.getInstance<FastifyInstance>();
    fastify.addHook('onRequest', (request) => this.authentication.check(request));
  }
}
