import { median } from './measure.js';
import { isSame } from './options.js';
import { type Series } from './report.js';

const WIDTH = 720;
const HEIGHT = 300;
const LEFT = 56;
const BOTTOM = 44;
const TOP = 30;
/** Told apart by people who see few colours, on white and on black. */
const COLOURS = ['#4e79a7', '#f28e2b', '#59a14f', '#b07aa1', '#9c755f'];

/** Payments a second at each load, a bar for each contender, as an SVG document. */
export function plotOf(series: readonly Series[]): string {
  const names = [...new Set(series.map(({ contender }) => contender))];
  const loads = series
    .map(({ load }) => load)
    .filter((one, n, all) => all.findIndex((other) => isSame(one, other)) === n);
  const rates = series.map(({ samples }) => median(samples.map((sample) => sample.paymentsPerSecond)));
  const top = Math.max(...rates, 1);
  const slot = (WIDTH - LEFT) / loads.length;
  const bar = (slot * 0.8) / names.length;
  const y = (rate: number) => HEIGHT - BOTTOM - (rate / top) * (HEIGHT - BOTTOM - TOP);

  const bars = series.map(({ contender, load }, n) => {
    const rate = rates[n]!;
    const x =
      LEFT + slot * (loads.findIndex((one) => isSame(one, load)) + 0.1) + bar * names.indexOf(contender);
    const size = `width="${(bar - 2).toFixed(1)}" height="${(HEIGHT - BOTTOM - y(rate)).toFixed(1)}"`;
    const colour = COLOURS[names.indexOf(contender) % COLOURS.length];
    return `<rect x="${x.toFixed(1)}" y="${y(rate).toFixed(1)}" ${size} fill="${colour}"><title>${contender}: ${rate.toFixed(0)}/s</title></rect>`;
  });
  const labels = loads.map(({ inFlight, pspMs }, n) => {
    const x = (LEFT + slot * (n + 0.5)).toFixed(1);
    const lines = [`${inFlight} in flight`, pspMs === 0 ? '' : `PSP ${pspMs} ms`];
    return lines.map((text, line) => textAt(x, HEIGHT - BOTTOM + 16 + line * 14, 'middle', text)).join('');
  });
  const grid = [0, 0.5, 1].map((share) => {
    const at = y(top * share).toFixed(1);
    return `<line x1="${LEFT}" x2="${WIDTH}" y1="${at}" y2="${at}" stroke="#8884"/>${textAt(LEFT - 6, Number(at) + 4, 'end', (top * share).toFixed(0))}`;
  });
  const legend = names.map((name, n) => {
    const x = LEFT + n * 110;
    return `<rect x="${x}" y="8" width="10" height="10" fill="${COLOURS[n % COLOURS.length]}"/>${textAt(x + 15, 17, 'start', name)}`;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="11" fill="#777">`,
    '<title>Payments a second</title>',
    ...grid,
    ...bars,
    ...labels,
    ...legend,
    '</svg>\n',
  ].join('\n');
}

function textAt(x: number | string, y: number, anchor: string, text: string): string {
  return text === '' ? '' : `<text x="${x}" y="${y}" text-anchor="${anchor}">${text}</text>`;
}
