import { audiences } from './audiences.js';
import { type Guide, hrefOf, type Reader } from './guides.js';
import { escapeHtml } from './html.js';

/** No script or style is inline, so none has to be allowed by a digest; nothing comes from another host. */
export const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const apiPages = Object.entries(audiences).map(([path, { name }]) => ({
  href: `/docs/api/${path}`,
  title: `API for ${name}`,
}));

export function guidePage(guide: Guide, readers: readonly Reader[]): string {
  const { html, sections } = guide.render();
  const contents =
    sections.length < 2
      ? ''
      : `<aside><h2>On this page</h2><ul>${sections
          .map(({ anchor, title }) => `<li><a href="#${anchor}">${escapeHtml(title)}</a></li>`)
          .join('')}</ul></aside>`;
  return page({
    title: guide.path === '' ? 'Payonce documentation' : `${guide.title} · Payonce`,
    href: hrefOf(guide.path),
    readers,
    main: `<main><article>${html}</article>${contents}</main>`,
  });
}

/** The reference: Swagger UI draws the document of this audience. */
export function referencePage(audience: string, readers: readonly Reader[]): string {
  const tabs = apiPages
    .map(({ href, title }) => link(href, title.replace('API for ', ''), `/docs/api/${audience}`))
    .join('');
  return page({
    title: `API for ${audiences[audience]!.name} · Payonce`,
    href: `/docs/api/${audience}`,
    readers,
    head: `<link rel="stylesheet" href="/docs/assets/swagger-ui.css">
<script src="/docs/assets/swagger-ui-bundle.js" defer></script>
<script src="/docs/assets/reference.js" defer></script>`,
    main: `<main class="reference"><nav class="tabs" aria-label="Who calls the API">${tabs}</nav>
<div id="reference" data-document="/docs/openapi/${audience}.json"></div>
<noscript><p>The reference needs JavaScript. Its document: <a href="/docs/openapi.json">openapi.json</a>.</p></noscript></main>`,
  });
}

function page({
  title,
  href,
  readers,
  head = '',
  main,
}: {
  title: string;
  href: string;
  readers: readonly Reader[];
  head?: string;
  main: string;
}): string {
  const groups = [{ name: 'API reference', guides: apiPages }, ...readers].map(({ name, guides }) => {
    const isHere = href === '/docs' || guides.some((guide) => guide.href === href);
    const items = guides.map((guide) => `<li>${link(guide.href, guide.title, href)}</li>`).join('');
    return `<details${isHere ? ' open' : ''}><summary>${name}</summary><ul>${items}</ul></details>`;
  });
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="description" content="Guides and API reference of Payonce: payments through several PSPs, charged once.">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="data:,">
${head}
<script src="/docs/assets/minisearch.js" defer></script>
<script src="/docs/assets/site.js" defer></script>
<link rel="stylesheet" href="/docs/assets/site.css">
</head>
<body>
<header><a class="brand" href="/docs">Payonce</a>
<form id="search-form" role="search" hidden><input id="search" type="search" placeholder="Search" aria-label="Search the documentation" autocomplete="off"><ul id="found" hidden></ul></form>
<a class="jump" href="#all-pages">All pages</a></header>
<div class="columns">
${main}
<nav id="all-pages" aria-label="All pages">
<p>${link('/docs', 'Documentation by task', href)}</p>
${groups.join('\n')}
</nav>
</div>
</body>
</html>
`;
}

function link(href: string, title: string, current: string): string {
  return `<a href="${href}"${href === current ? ' aria-current="page"' : ''}>${escapeHtml(title)}</a>`;
}
