import { type PaymentPageView } from '../../../src/console/console-views.js';

/** Where each state stands, in columns and rows; a state that is new here is drawn below. */
const places: Readonly<Record<string, readonly [column: number, row: number]>> = {
  processing: [0, 0],
  requires_action: [0, 1],
  authorized: [1, 0],
  captured: [1, 1],
  partially_refunded: [1, 2],
  refunded: [1, 3],
  canceled: [2, 0],
  failed: [0, 2],
};
const [WIDTH, HEIGHT, COLUMN, ROW] = [118, 30, 142, 58];

/** The states of a payment, the present one lit and those that it was in outlined. */
export function Lifecycle({ states, arrows, visited }: PaymentPageView['lifecycle']) {
  const present = visited.at(-1);
  const placeOf = (state: string) => {
    const [column, row] = places[state] ?? [2, 1 + states.indexOf(state)];
    return { x: 4 + column * COLUMN, y: 4 + row * ROW };
  };
  return (
    <svg
      className="lifecycle"
      viewBox="0 0 412 216"
      role="img"
      aria-label={`The payment is ${present?.replaceAll('_', ' ')}. Before: ${visited.slice(0, -1).join(', ') || 'nothing'}.`}
    >
      <defs>
        <marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="6" markerHeight="6" orient="auto">
          <path className="tip" d="M0 0 L8 4 L0 8 z" />
        </marker>
      </defs>
      {arrows.map(([from, to]) => (
        <path key={`${from} ${to}`} d={lineBetween(placeOf(from), placeOf(to))} markerEnd="url(#tip)" />
      ))}
      {states.map((state) => {
        const { x, y } = placeOf(state);
        const className = state === present ? 'present' : visited.includes(state) ? 'visited' : '';
        return (
          <g key={state} className={className}>
            <rect x={x} y={y} width={WIDTH} height={HEIGHT} rx="4" />
            <text x={x + WIDTH / 2} y={y + HEIGHT / 2 + 4} textAnchor="middle">
              {state.replaceAll('_', ' ')}
            </text>
          </g>
        );
      })}
    </svg>
  );
}

interface Place {
  readonly x: number;
  readonly y: number;
}

/** From the edge of one box to that of the other; what lies behind another box in its column is led around it. */
function lineBetween(from: Place, to: Place): string {
  const [fromX, fromY, toX, toY] = [
    from.x + WIDTH / 2,
    from.y + HEIGHT / 2,
    to.x + WIDTH / 2,
    to.y + HEIGHT / 2,
  ];
  if (from.x === to.x) {
    const isNext = Math.abs(from.y - to.y) <= ROW;
    if (isNext) {
      const shift = to.y > from.y ? 8 : -8;
      return to.y > from.y
        ? `M${fromX + shift} ${from.y + HEIGHT} L${toX + shift} ${to.y}`
        : `M${fromX + shift} ${from.y} L${toX + shift} ${to.y + HEIGHT}`;
    }
    const side = from.x + WIDTH;
    return `M${side} ${fromY} C${side + 22} ${fromY} ${side + 22} ${toY} ${side} ${toY}`;
  }
  const isRight = to.x > from.x;
  return `M${isRight ? from.x + WIDTH : from.x} ${fromY} L${isRight ? to.x : to.x + WIDTH} ${toY}`;
}
