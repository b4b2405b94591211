import { Controller, Get, HttpCode, Post, Query, Req, Res } from '@nestjs/common';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { PathId } from '../http/request.decorators.js';
import { rawBodyOf } from '../http/request-hooks.js';
import { CurrentOperator, ForRole } from '../operators/console-access.js';
import { type FileView } from './approval-views.js';
import { NewFileDto } from './dto/evidence.dto.js';
import { EvidenceFiles } from './evidence-files.js';
import { type SignedIn } from '../operators/operator-sessions.js';

/** /ops/api/evidence: files that say how an operator knows. */
@Controller('ops/api/evidence')
export class EvidenceController {
  constructor(private readonly files: EvidenceFiles) {}

  /** The body is the file itself. */
  @Post()
  @HttpCode(201)
  @ForRole('operator', { takesFile: true })
  add(
    @Query() query: NewFileDto,
    @Req() request: FastifyRequest,
    @CurrentOperator() operator: SignedIn,
  ): Promise<FileView> {
    return this.files.add({ ...query.named(), name: query.name, content: rawBodyOf(request) }, operator);
  }

  /** A download of any type: a browser shows or runs no file here. */
  @Get(':id')
  @ForRole('viewer')
  async take(
    @PathId('file', '019aa5c0-8a4b-7c7e-9c55-2f3b0a6d1e45') id: string,
    @CurrentOperator() operator: SignedIn,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { name, content } = await this.files.take(id, operator);
    void reply
      .headers({
        'content-type': 'application/octet-stream',
        'content-disposition': `attachment; filename*=UTF-8''${encodeURIComponent(name)}`,
        'content-security-policy': "default-src 'none'; sandbox",
        'cache-control': 'no-store',
      })
      .send(content);
  }
}
