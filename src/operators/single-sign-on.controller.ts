import { Controller, Get, Ip, Req, Res } from '@nestjs/common';
import { parse, serialize } from 'cookie';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { Problem } from '../core/problem.js';
import { ConsoleAccess, ForSigningIn } from './console-access.js';
import { JOURNEY_S, SingleSignOn } from './single-sign-on.js';

const COOKIE = 'payonce_oidc';
const PATH = '/ops/api/session/oidc';

/** /ops/api/session/oidc: signing in by an OpenID provider. A browser comes here by itself, so the answers are redirects. */
@Controller('ops/api/session')
export class SingleSignOnController {
  constructor(
    private readonly signOn: SingleSignOn,
    private readonly access: ConsoleAccess,
  ) {}

  /** Which ways there are to sign in, for the page. */
  @Get('ways')
  @ForSigningIn()
  ways(): { readonly oidc: boolean } {
    return { oidc: this.signOn.isConfigured };
  }

  @Get('oidc')
  @ForSigningIn()
  async begin(@Res() reply: FastifyReply): Promise<void> {
    const { url, journey } = await this.signOn.begin();
    void reply.header('set-cookie', this.journeyCookie(journey, JOURNEY_S)).redirect(url, 303);
  }

  /** The sign-in ends here, done or refused. */
  @Get('oidc/callback')
  @ForSigningIn()
  async finish(@Req() request: FastifyRequest, @Ip() ip: string, @Res() reply: FastifyReply): Promise<void> {
    reply.header('set-cookie', this.journeyCookie('', 0));
    const sealed = parse(request.headers.cookie ?? '')[COOKIE] ?? null;
    const query = request.url.slice(request.url.indexOf('?') + 1);
    try {
      const { token } = await this.signOn.finish(query, sealed, ip);
      void reply.header('set-cookie', this.access.cookieOf(token)).redirect('/ops/', 303);
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== 'unauthorized') throw error;
      void reply.redirect('/ops/sign-in?refused', 303);
    }
  }

  /** Lax, for the provider's page sends the browser back here. */
  private journeyCookie(value: string, maxAge: number): string {
    const { isSecure: secure } = this.access;
    return serialize(COOKIE, value, { httpOnly: true, sameSite: 'lax', path: PATH, secure, maxAge });
  }
}
