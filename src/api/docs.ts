import { type NestFastifyApplication } from '@nestjs/platform-fastify';
import { SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import { openApiDocument } from './openapi.js';

/** The page at /docs and the document at /docs/openapi.json. */
export function serveDocs(app: NestFastifyApplication, version: string): void {
  SwaggerModule.setup('docs', app, openApiDocument(version) as unknown as OpenAPIObject, {
    raw: ['json'],
    jsonDocumentUrl: 'docs/openapi.json',
    customSiteTitle: 'Payonce API',
    customfavIcon: 'data:,',
    customCss: css,
    swaggerOptions: { displayRequestDuration: true, docExpansion: 'list', defaultModelsExpandDepth: 0 },
  });
}

const css = `
.swagger-ui .topbar { display: none }
`;
