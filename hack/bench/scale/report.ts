import { chart } from '../chart.js';
import { shown, table } from '../report.js';
import type { Measured } from '../rows/row.js';
import type { Size } from './fill.js';
import { SCALE_ROWS } from './rows.js';

export interface SizeResult {
  readonly size: Size;
  readonly readySeconds: number;
  /** After the start, and after all rows. */
  readonly startBytes: number;
  readonly endBytes: number;
  readonly rows: ReadonlyMap<string, Measured>;
}

/** A line of the table: its value at each size. */
interface Line {
  readonly name: string;
  readonly unit: 'cpu' | 'memory' | 'time' | 'block';
  readonly values: readonly number[];
}

function linesOf(results: readonly SizeResult[]): Line[] {
  const each = (name: string, unit: Line['unit'], value: (result: SizeResult) => number): Line => ({
    name,
    unit,
    values: results.map(value),
  });
  return [
    each('start to ready', 'time', ({ readySeconds }) => readySeconds),
    each('memory after the start', 'memory', ({ startBytes }) => startBytes),
    each('memory at the end', 'memory', ({ endBytes }) => endBytes),
    ...SCALE_ROWS.map(({ name, unit }) =>
      each(name, unit, ({ rows }) => (unit === 'cpu' ? rows.get(name)?.value : rows.get(name)?.blocked) ?? 0),
    ),
  ];
}

/** In Markdown: each line at each size, and how many times the first the last is. */
export function scaleTable(results: readonly SizeResult[]): string {
  const sizes = results.map(({ size }) => `${size.objects.toLocaleString('en')} objects`);
  const text = ({ unit }: Line, value: number): string => shown(value, unit === 'block' ? 'cpu' : unit);
  return table(
    ['', ...sizes, 'last / first'],
    linesOf(results).map((line) => [
      line.unit === 'block' ? `${line.name}: longest block` : line.name,
      ...line.values.map((value) => text(line, value)),
      ((line.values.at(-1) ?? 0) / Math.max(line.values[0] ?? 0, 1e-9)).toFixed(2),
    ]),
  );
}

/** Over the logarithm of the number of objects. */
export function scaleChart(results: readonly SizeResult[]): string {
  const objects = results.map(({ size }) => size.objects);
  const label = (at: number): string => `${objects.at(at)?.toLocaleString('en') ?? ''} objects`;
  const lines = linesOf(results);
  const panel = (title: string, unit: string, of: Line['unit'], scale: number) => ({
    title,
    unit,
    lines: lines
      .filter((line) => line.unit === of)
      .map(({ name, values }) => ({ name, values: values.map((value) => value * scale) })),
  });
  return chart({ values: objects.map(Math.log10), labels: [label(0), label(-1)] }, [
    panel('CPU of the server for each request', 'ms', 'cpu', 1e3),
    panel('start', 's', 'time', 1),
    panel('memory', 'GB', 'memory', 1e-9),
  ]);
}
