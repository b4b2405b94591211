import hljs from 'highlight.js/lib/core';
import bash from 'highlight.js/lib/languages/bash';
import json from 'highlight.js/lib/languages/json';
import protobuf from 'highlight.js/lib/languages/protobuf';
import python from 'highlight.js/lib/languages/python';
import sql from 'highlight.js/lib/languages/sql';
import typescript from 'highlight.js/lib/languages/typescript';
import { Marked } from 'marked';
import { diagramAsRows } from './diagram.js';
import { drawn } from './drawing.js';
import { escapeHtml } from './html.js';

/** The languages of our samples, by the word behind the fence. */
const languages = { sh: bash, json, js: typescript, ts: typescript, python, sql, proto: protobuf };
for (const [name, language] of Object.entries(languages)) hljs.registerLanguage(name, language);

/** The anchors that GitHub makes of headings, so that a link to one works in both places. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
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
        if (lang !== 'mermaid') return `<pre tabindex="0"><code>${coloured(text, lang)}</code></pre>\n`;
        const { header, rows } = diagramAsRows(text);
        const table = tableOf(
          header,
          rows.map((row) => row.map(escapeHtml)),
        );
        const isLifecycle = header[0] === 'from';
        return isLifecycle ? drawn(rows.map(([from = '', , to = '']) => [from, to])) + table : table;
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

/** A sample as HTML, its words in classes that the style sheet colours. */
function coloured(text: string, language: string | undefined): string {
  return language !== undefined && Object.hasOwn(languages, language)
    ? hljs.highlight(text, { language }).value
    : escapeHtml(text);
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
