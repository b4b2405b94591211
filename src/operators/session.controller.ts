import { Body, Controller, Delete, Get, HttpCode, Ip, Post, Req, Res } from '@nestjs/common';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { ConsoleAccess, CurrentOperator, ForRole, ForSigningIn } from './console-access.js';
import { type OperatorView } from './session.view.js';
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
    @Req() asked: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<OperatorView> {
    const factors = request.factors();
    const { token, operator, device } =
      'link' in factors
        ? await this.sessions.signInByLink(factors.link, ip)
        : await this.sessions.signIn(factors, ip, this.access.deviceOf(asked));
    const known = device === null ? [] : [this.access.deviceCookieOf(device)];
    reply.header('set-cookie', [this.access.cookieOf(token), ...known]);
    return operatorViewOf(operator);
  }

  @Get()
  @ForRole('viewer')
  show(@CurrentOperator() operator: SignedIn): OperatorView {
    return operatorViewOf(operator);
  }

  @Delete()
  @ForRole('viewer')
  async signOut(
    @CurrentOperator() operator: SignedIn,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object> {
    await this.sessions.end(this.access.tokenOf(request)!, operator);
    reply.header('set-cookie', this.access.cookieOf('', 0));
    return {};
  }
}

function operatorViewOf({ name, role }: SignedIn): OperatorView {
  return { name, role };
}
