import { Module, type NestModule } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { type FastifyInstance } from 'fastify';
import { DatabaseModule } from '../database/database.module.js';
import { MerchantsModule } from '../merchants/merchants.module.js';
import { Admission } from './admission.js';
import { Authentication } from './authentication.js';
import { HttpModule } from './http.module.js';
import { LeasedBuckets } from './leased-buckets.js';
import { LoadShedding } from './load-shedding.js';
import { RateLimits } from './rate-limits.js';

/** Who may ask and how much, by the API keys of merchants and the token for operators. Needs no guard on a controller. */
@Module({
  imports: [HttpModule, DatabaseModule, MerchantsModule],
  providers: [Authentication, Admission, LoadShedding, LeasedBuckets, RateLimits],
})
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
