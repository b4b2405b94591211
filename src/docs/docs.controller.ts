import { Controller, Get, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { Problem, problemCatalogue } from '../core/problem.js';
import { DocsSite } from './docs-site.js';
import { contentSecurityPolicy } from './layout.js';

/** Guides and API reference, open to all. */
@ApiExcludeController()
@Controller()
export class DocsController {
  constructor(private readonly site: DocsSite) {}

  /** A person who types the address of the service; programs have nothing there. */
  @Get()
  start(@Req() { headers }: FastifyRequest, @Res() reply: FastifyReply): void {
    if (!headers.accept?.includes('text/html')) throw nothingHere('/docs tells what there is.');
    reply.redirect('/docs', 302);
  }

  @Get('docs')
  overview(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.send('', request, reply);
  }

  @Get('docs/*')
  page(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { '*': path = '' } = request.params as { '*'?: string };
    return this.send(path, request, reply);
  }

  /** The path of the `type` of a problem. */
  @Get('problems/:code')
  problem(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    const { code } = request.params as { code: string };
    if (!Object.hasOwn(problemCatalogue, code)) throw nothingHere();
    reply.redirect(`/docs/problems/${code}`, 302);
  }

  private async send(path: string, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    reply.headers({
      'content-security-policy': contentSecurityPolicy,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
    });
    const resource = await this.site.at(path);
    if (resource === undefined) throw nothingHere();
    reply.headers({ 'cache-control': 'no-cache', etag: resource.etag });
    if (request.headers['if-none-match'] === resource.etag) reply.code(304).send();
    else reply.type(resource.contentType).send(resource.body);
  }
}

function nothingHere(butThere = ''): Problem {
  return new Problem('not_found', `There is nothing at this path. ${butThere}`.trim());
}
