import { Body, Controller, Delete, Get, HttpCode, Ip, Post, Req, Res } from '@nestjs/common';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { ConsoleAccess, CurrentOperator, ForRole, ForSigningIn } from './console-access.js';
import { type PageView } from '../core/page.view.js';
import { ChangePasswordDto, EnrolDto } from './dto/credentials.dto.js';
import { Enrolments } from './enrolments.js';
import { Operators } from './operators.js';
import { type EnrolmentView, type OperatorView, type SessionRow } from './session.view.js';
import { SignInDto } from './dto/sign-in.dto.js';
import { OperatorSessions, type SignedIn } from './operator-sessions.js';

/** /ops/api/session: who is signed in to the console. */
@Controller('ops/api/session')
export class SessionController {
  constructor(
    private readonly sessions: OperatorSessions,
    private readonly access: ConsoleAccess,
    private readonly operators: Operators,
    private readonly enrolments: Enrolments,
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

  @Get('list')
  @ForRole('viewer')
  async list(
    @CurrentOperator() operator: SignedIn,
    @Req() request: FastifyRequest,
  ): Promise<PageView<SessionRow>> {
    const sessions = await this.sessions.list(operator, this.access.tokenOf(request)!);
    const data = sessions.map(({ id, sourceAddress, startedAt, seenAt, isThis }) => ({
      id,
      source_address: sourceAddress,
      started_at: startedAt.toISOString(),
      seen_at: seenAt.toISOString(),
      is_this: isThis,
    }));
    return { data, next_cursor: null };
  }

  @Post('others/end')
  @HttpCode(200)
  @ForRole('viewer')
  async endOthers(@CurrentOperator() operator: SignedIn, @Req() request: FastifyRequest): Promise<object> {
    await this.sessions.endOthers(operator, this.access.tokenOf(request)!);
    return {};
  }

  /** A new authenticator for an operator who has none, shown this once. */
  @Post('enrolment')
  @HttpCode(200)
  @ForRole('viewer')
  enrolment(@CurrentOperator() operator: SignedIn): EnrolmentView {
    return this.enrolments.begin(operator);
  }

  /** An operator without credentials chooses them. The session ends. */
  @Post('credentials')
  @HttpCode(200)
  @ForRole('viewer')
  async enrol(
    @Body() { password, sealed, code }: EnrolDto,
    @CurrentOperator() operator: SignedIn,
  ): Promise<object> {
    const secret = this.enrolments.secretOf(operator, sealed);
    await this.operators.enrol(operator.name, { password, secret, code });
    return {};
  }

  /** The operator's sessions end. */
  @Post('password')
  @HttpCode(200)
  @ForRole('viewer')
  async changePassword(
    @Body() { current, password, code }: ChangePasswordDto,
    @CurrentOperator() operator: SignedIn,
  ): Promise<object> {
    await this.sessions.confirm(operator, code ?? null);
    await this.operators.changePassword(operator.name, current, password);
    return {};
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

function operatorViewOf({ name, role, needsCredentials }: SignedIn): OperatorView {
  return { name, role, needs_credentials: needsCredentials };
}
