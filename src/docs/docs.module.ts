import { Module } from '@nestjs/common';
import { DocsController } from './docs.controller.js';
import { DocsSite } from './docs-site.js';

/** Guides and API reference at /docs. */
@Module({ controllers: [DocsController], providers: [DocsSite] })
export class DocsModule {}
