import { Marked } from 'marked';
import { diagramAsRows } from './diagram.js';

/** The anchors that GitHub makes of headings, so that a link to one works in both places. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
}

export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);
}

export interface Rendered {
  readonly html: string;
  /** Headings of the second level, for the table of contents. */
  readonly sections: readonly { readonly anchor: string; readonly title: string }[];
}

/**
 * Renders a document of ours. `hrefOf` says where a link leads on this site; null: to a file that the site does not
 * serve, whose name then stands without a link.
 */
export function renderMarkdown(markdown: string, hrefOf: (target: string) => string | null): Rendered {
  const sections: { anchor: string; title: string }[] = [];
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth, text }) {
        if (depth === 2) sections.push({ anchor: anchorOf(text), title: text.replaceAll('`', '') });
        return `<h${depth} id="${anchorOf(text)}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      link({ href, tokens }) {
        const text = this.parser.parseInline(tokens);
        const target = hrefOf(href);
        return target === null ? text : `<a href="${escapeHtml(target)}">${text}</a>`;
      },
      image({ href, text }) {
        return `<img src="${escapeHtml(hrefOf(href)!)}" alt="${escapeHtml(text)}" loading="lazy">`;
      },
      code({ text, lang }) {
        if (lang !== 'mermaid') return `<pre tabindex="0"><code>${escapeHtml(text)}</code></pre>\n`;
        const { header, rows } = diagramAsRows(text);
        return tableOf(
          header,
          rows.map((row) => row.map(escapeHtml)),
        );
      },
      table({ header, rows }) {
        return tableOf(
          header.map(({ tokens }) => this.parser.parseInline(tokens)),
          rows.map((row) => row.map(({ tokens }) => this.parser.parseInline(tokens))),
        );
      },
    },
  });
  const html = marked.parse(markdown, { async: false });
  return { html, sections };
}

/** On a narrow screen each row is a block, in which the name of its column stands above each cell. */
function tableOf(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const labels = header.map((cell) => cell.replaceAll(/<[^<>]*>/g, ''));
  const lines = rows.map((row) => {
    const cells = row.map((cell, column) => `<td data-label="${labels[column]}">${cell}</td>`);
    return `<tr>${cells.join('')}</tr>\n`;
  });
  const head = header.map((cell) => `<th scope="col">${cell}</th>`).join('');
  const hasHead = labels.some((label) => label !== '');
  return `<table>${hasHead ? `<thead><tr>${head}</tr></thead>` : ''}<tbody>\n${lines.join('')}</tbody></table>\n`;
}
