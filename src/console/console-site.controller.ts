import { Controller, Get, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { randomBytes } from 'node:crypto';
import { Problem } from '../core/problem.js';
import { securityHeaders } from '../operators/console-access.js';
import { ConsoleSite } from './console-site.js';

/** In index.html where the nonce of its styles belongs. */
const NONCE = '__NONCE__';

/** The pages of the console. They show nothing without the API, which lets operators in. */
@ApiExcludeController()
@Controller('ops')
export class ConsoleSiteController {
  constructor(private readonly site: ConsoleSite) {}

  @Get()
  start(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.send('', request, reply);
  }

  @Get('*')
  page(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { '*': path = '' } = request.params as { '*'?: string };
    return this.send(path, request, reply);
  }

  private async send(path: string, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const file = path === 'api' || path.startsWith('api/') ? undefined : await this.site.at(path);
    if (file === undefined) throw new Problem('not_found', 'There is nothing at this path.');
    const isPage = file.contentType.startsWith('text/html');
    const nonce = randomBytes(16).toString('base64url');
    reply.headers({
      ...securityHeaders,
      'content-security-policy': policyWith(nonce),
      'cache-control': file.isImmutable ? 'public, max-age=31536000, immutable' : 'no-store',
    });
    reply.type(file.contentType);
    if (isPage) reply.send(file.body.toString().replaceAll(NONCE, nonce));
    else if (/\bbr\b/.test(request.headers['accept-encoding'] ?? '')) {
      reply.headers({ 'content-encoding': 'br', vary: 'accept-encoding' }).send(await this.site.brotli(file));
    } else reply.header('vary', 'accept-encoding').send(file.body);
  }
}

/** No script but the console's own files, and no network but the service; the component library writes styles. */
function policyWith(nonce: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data: blob:",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}
