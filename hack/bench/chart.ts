/** Small charts below each other, as the text of one SVG file. The same samples make the same bytes. */
export interface Panel {
  readonly title: string;
  readonly unit: string;
  readonly lines: readonly Line[];
}

interface Line {
  readonly name: string;
  readonly values: readonly number[];
}

const WIDTH = 720;
const LEFT = 64;
const RIGHT = 150;
const TOP = 22;
const HEIGHT = 70;
const GAP = 38;
const COLOURS = ['#2f6fb5', '#c2571a', '#4b8b3b'];
const STYLE = 'font:11px sans-serif;background:#fff';

/** What the values lie over, from left to right. */
export interface Axis {
  readonly values: readonly number[];
  /** Below its ends. */
  readonly labels: readonly [string, string];
}

export function chart(axis: Axis, panels: readonly Panel[]): string {
  const height = panels.length * (TOP + HEIGHT + GAP);
  const drawn = panels.map((panel, at) => drawPanel(panel, axis, at * (TOP + HEIGHT + GAP) + TOP));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" style="${STYLE}">`,
    `<rect width="${WIDTH}" height="${height}" fill="#fff"/>`,
    ...drawn,
    '</svg>\n',
  ].join('\n');
}

function drawPanel({ title, unit, lines }: Panel, { values: along, labels }: Axis, top: number): string {
  const highest = roundUp(Math.max(...lines.flatMap(({ values }) => [...values]), 1e-9));
  const [first = 0, last = 0] = [along[0], along.at(-1)];
  const bottom = top + HEIGHT;
  const right = WIDTH - RIGHT;
  const x = (value: number): number =>
    LEFT + ((value - first) / Math.max(last - first, 1e-9)) * (right - LEFT);
  const y = (value: number): number => bottom - (value / highest) * HEIGHT;
  const text = (at: number, down: number, anchor: string, words: string, colour = '#333'): string =>
    `<text x="${at}" y="${down}" text-anchor="${anchor}" fill="${colour}">${words}</text>`;
  return [
    text(LEFT, top - 7, 'start', `${title}, ${unit}`),
    `<path d="M${LEFT} ${top}V${bottom}H${right}" fill="none" stroke="#999"/>`,
    text(LEFT - 6, top + 9, 'end', String(highest)),
    text(LEFT - 6, bottom, 'end', '0'),
    text(LEFT, bottom + 14, 'start', labels[0]),
    text(right, bottom + 14, 'end', labels[1]),
    ...lines.map(({ name, values }, at) => {
      const points = values.map(
        (value, index) => `${x(along[index] ?? 0).toFixed(1)},${y(value).toFixed(1)}`,
      );
      const colour = COLOURS[at % COLOURS.length] ?? '#333';
      return [
        `<polyline points="${points.join(' ')}" fill="none" stroke="${colour}" stroke-width="1.2"/>`,
        text(right + 8, top + 10 + at * 14, 'start', name, colour),
      ].join('\n');
    }),
  ].join('\n');
}

/** The next of 1, 2, 3, 4, 5, 6 or 8 times a power of ten, so that the axis ends at a round number. */
function roundUp(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  const step = [1, 2, 3, 4, 5, 6, 8, 10].find((each) => each * power >= value) ?? 10;
  return Number((step * power).toPrecision(1));
}
