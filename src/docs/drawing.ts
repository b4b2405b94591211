import { Graph, layout } from '@dagrejs/dagre';
import { escapeHtml } from './html.js';

interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}
interface Arrow {
  readonly points: readonly { readonly x: number; readonly y: number }[];
}

/** The width of a letter, and what stands around a name, in px. */
const LETTER = 8.2;
const PADDING = 28;
const HEIGHT = 34;
const MARGIN = 8;

/**
 * The states of a lifecycle and which leads to which, as SVG without styles of its own. The events stand in the rows below
 * it: forty labels on one picture nobody can read. '' is the beginning or the end.
 */
export function drawn(transitions: readonly (readonly [from: string, to: string])[]): string {
  const graph = new Graph({ multigraph: false });
  graph.setGraph({ rankdir: 'TB', nodesep: 36, ranksep: 42, marginx: MARGIN, marginy: MARGIN });
  graph.setDefaultEdgeLabel(() => ({}));
  const moves = transitions.filter(([from, to]) => from !== to && from !== '' && to !== '');
  for (const name of new Set(moves.flat()))
    graph.setNode(name, { width: name.length * LETTER + PADDING, height: HEIGHT });
  for (const [from, to] of moves) graph.setEdge(from, to);
  layout(graph);
  const boxes = graph.nodes().map((name: string) => boxOf(name, graph.node(name)));
  const edges = graph.edges().map((edge: { v: string; w: string }): Arrow => graph.edge(edge));
  const arrows = edges.map(arrowOf);
  // The layout counts boxes alone; arrows bend beside them.
  const { width = 0, height = 0 } = graph.graph();
  const xs = edges.flatMap(({ points }: Arrow) => points.map(({ x }) => x));
  const left = Math.floor(Math.min(0, ...xs) - MARGIN);
  const w = Math.ceil(Math.max(width, ...xs) + MARGIN) - left;
  const h = Math.ceil(height);
  return `<svg class="drawing" viewBox="${left} 0 ${w} ${h}" width="${w}" height="${h}" role="img" aria-label="Which state leads to which; the table below says by what"><defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto-start-reverse"><path d="M0 0L8 4L0 8z"/></marker></defs>${arrows.join('')}${boxes.join('')}</svg>\n`;
}

function boxOf(name: string, { x, y, width, height }: Box): string {
  const [left, top] = [x - width / 2, y - height / 2].map(rounded);
  return `<g><rect x="${left}" y="${top}" width="${rounded(width)}" height="${height}" rx="8"/><text x="${rounded(x)}" y="${rounded(y + 5)}" text-anchor="middle">${escapeHtml(name)}</text></g>`;
}

function arrowOf({ points }: Arrow): string {
  const path = points.map(({ x, y }, index) => `${index === 0 ? 'M' : 'L'}${rounded(x)} ${rounded(y)}`);
  return `<path d="${path.join('')}" marker-end="url(#tip)"/>`;
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10;
}
