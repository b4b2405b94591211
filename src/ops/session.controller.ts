import { Body, Controller, Delete, Get, HttpCode, Ip, Post, Req, Res } from '@nestjs/common';
import { serialize } from 'cookie';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { ConsoleAccess, CurrentOperator, ForRole, ForSigningIn } from './console-access.js';
import { type OperatorView } from './console-views.js';
import { SignInDto } from './dto/sign-in.dto.js';
import { OperatorSessions, type SignedIn } from './operator-sessions.js';

/** /ops/api/session: who is signed in to the console. */
@Controller('ops/api/session')
export class SessionController {
  constructor(
    private readonly sessions: OperatorSessions,
    private readonly access: ConsoleAccess,
  ) {}

  @Post()
  @HttpCode(200)
  @ForSigningIn()
  async signIn(
    @Body() request: SignInDto,
    @Ip() ip: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<OperatorView> {
    const factors = request.factors();
    const { token, operator } =
      'link' in factors
        ? await this.sessions.signInByLink(factors.link, ip)
        : await this.sessions.signIn(factors.name, factors.password, factors.code, ip);
    reply.header('set-cookie', this.cookieOf(token));
    return viewOf(operator);
  }

  @Get()
  @ForRole('viewer')
  show(@CurrentOperator() operator: SignedIn): OperatorView {
    return viewOf(operator);
  }

  @Delete()
  @ForRole('viewer')
  async signOut(
    @CurrentOperator() operator: SignedIn,
    @Req() request: FastifyRequest,
    @Ip() ip: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object> {
    await this.sessions.end(this.access.tokenOf(request)!, operator, ip);
    reply.header('set-cookie', this.cookieOf('', 0));
    return {};
  }

  /** Without an age it ends with the browser; the database ends it earlier. */
  private cookieOf(token: string, maxAge?: number): string {
    const { cookie, isSecure } = this.access;
    return serialize(cookie, token, {
      httpOnly: true,
      sameSite: 'strict',
      path: '/',
      secure: isSecure,
      ...(maxAge === undefined ? {} : { maxAge }),
    });
  }
}

function viewOf({ name, role }: SignedIn): OperatorView {
  return { name, role };
}
