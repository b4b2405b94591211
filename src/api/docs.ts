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
    customJsStr: head,
    swaggerOptions: {
      displayRequestDuration: true,
      docExpansion: 'list',
      defaultModelsExpandDepth: 0,
      // Swagger UI would show the document to a validator on the internet.
      validatorUrl: 'none',
    },
  });
}

const css = `
.swagger-ui .topbar, .swagger-ui .servers, .swagger-ui .response-col_links { display: none }
.swagger-ui .info { margin: 32px 0 }
.swagger-ui .info .description, .swagger-ui .info__summary { max-width: 80ch; line-height: 1.5 }
.swagger-ui .markdown code, .swagger-ui .renderedMarkdown code { color: #3b4151; padding: 1px 4px; overflow-wrap: anywhere }
.swagger-ui .scheme-container { padding: 12px 0 }
@media (max-width: 600px) {
  .swagger-ui .opblock .opblock-summary-path { max-width: none }
  .swagger-ui table.parameters, .swagger-ui .responses-wrapper { overflow-x: auto }
}
`;

/** What the page of Swagger UI leaves out of its head. */
const head = `
for (const [name, content] of [
  ['viewport', 'width=device-width, initial-scale=1'],
  ['description', 'The REST API of Payonce: payments through several PSPs, charged once.'],
]) {
  const meta = document.createElement('meta');
  meta.name = name;
  meta.content = content;
  document.head.append(meta);
}
`;
