import { type NestFastifyApplication } from '@nestjs/platform-fastify';
import { SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import { createHash } from 'node:crypto';

/** The page at /docs and the document at /docs/openapi.json. */
export function serveDocs(app: NestFastifyApplication, makeDocument: () => Promise<OpenAPIObject>): void {
  protect(app);
  let document: Promise<OpenAPIObject> | undefined;
  SwaggerModule.setup('docs', app, {} as OpenAPIObject, {
    // Made when it is first asked for, not at every start.
    patchDocumentOnRequest: () => (document ??= makeDocument()),
    raw: ['json'],
    jsonDocumentUrl: 'docs/openapi.json',
    customSiteTitle: 'Payonce API',
    customfavIcon: 'data:,',
    customCss: css,
    customJsStr: head,
    swaggerOptions: {
      // Without the bar of Swagger UI, whose logo brings an inline style that the policy refuses.
      layout: 'BaseLayout',
      displayRequestDuration: true,
      docExpansion: 'list',
      defaultModelsExpandDepth: 0,
      // Swagger UI would show the document to a validator on the internet.
      validatorUrl: 'none',
    },
  });
}

/**
 * Headers for browsers on all that is below /docs. The page is the same for everyone, so its inline scripts and
 * styles are allowed by their digests, which are taken from the page once.
 */
function protect(app: NestFastifyApplication): void {
  let policy: string | null = null;
  const fastify = app.getHttpAdapter().getInstance();
  fastify.addHook('onSend', (request, reply, payload, done) => {
    // A path below it that is not there has no route.
    if (/^\/docs([/?]|$)/.test(request.routeOptions.url ?? request.url)) {
      const isPage =
        typeof payload === 'string' && String(reply.getHeader('content-type')).startsWith('text/html');
      if (isPage) policy ??= policyOf(payload);
      reply.headers({
        'content-security-policy':
          isPage && policy !== null ? policy : "default-src 'none'; frame-ancestors 'none'",
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
      });
    }
    done(null, payload);
  });
}

function policyOf(page: string): string {
  const digests = (pattern: RegExp) =>
    [...page.matchAll(pattern)].map(
      ([, text = '']) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`,
    );
  const scripts = digests(/<script>([^<]*)<\/script>/g);
  const styles = [...digests(/<style>([^<]*)<\/style>/g), ...digests(/ style="([^"]*)"/g)];
  return [
    "default-src 'none'",
    `script-src 'self' ${scripts.join(' ')}`,
    // unsafe-hashes: the digest of a style attribute counts too.
    `style-src 'self' 'unsafe-hashes' ${styles.join(' ')}`,
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

const css = `
.swagger-ui .servers, .swagger-ui .servers-title, .swagger-ui .response-col_links { display: none }
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
