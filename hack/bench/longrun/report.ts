import { table } from '../report.js';
import { chart } from '../chart.js';
import type { Sample } from './sample.js';
import { grows, trendOf, type Trend } from './trend.js';

const BLOCK_SECONDS = 60;
const MB = 1e6;

type Quantity = Exclude<keyof Sample, 'seconds' | 'writes'>;

/** What must not grow, and in which unit it is told. */
const QUANTITIES: readonly {
  readonly key: Quantity;
  readonly name: string;
  readonly unit: string;
  readonly scale: number;
}[] = [
  { key: 'resident', name: 'resident memory', unit: 'MB', scale: MB },
  { key: 'anonymous', name: "resident memory of the server's own", unit: 'MB', scale: MB },
  { key: 'heap', name: "used of V8's heap", unit: 'MB', scale: MB },
  { key: 'file', name: 'files of the store', unit: 'MB', scale: MB },
  { key: 'handles', name: 'file descriptors', unit: '', scale: 1 },
  { key: 'nodeHandles', name: 'sockets and listeners', unit: '', scale: 1 },
  { key: 'longRunning', name: 'open watches', unit: '', scale: 1 },
  { key: 'seats', name: 'requests that have or await a seat', unit: '', scale: 1 },
];

export interface LongRunReport {
  /** A Markdown table. */
  readonly text: string;
  /** Names of what grows. */
  readonly growing: readonly string[];
}

/** Trends over the second half: in the first the history of the store and the heap fill. */
export function reportOf(samples: readonly Sample[], atRest: Sample | undefined): LongRunReport {
  const half = (samples.at(-1)?.seconds ?? 0) / 2;
  const late = samples.filter(({ seconds }) => seconds >= half);
  const block = Math.min(BLOCK_SECONDS, half / 10);
  const rows = QUANTITIES.map(({ key, name, unit, scale }) => {
    const trend = trendOf(
      late.map((sample) => ({ seconds: sample.seconds, value: sample[key] / scale })),
      block,
    );
    const shown = (value: number | undefined): string =>
      value === undefined ? '–' : `${rounded(value / scale)} ${unit}`.trim();
    const ends = [samples[0]?.[key], late[0]?.[key], samples.at(-1)?.[key], atRest?.[key]].map(shown);
    return { name, cells: [name, ...ends, ...trendCells(trend, unit)], isGrowing: grows(trend) };
  });
  const head = ['', 'begin', 'half', 'end', 'at rest', 'change in an hour', 'standard error', ''];
  return {
    text: table(
      head,
      rows.map(({ cells }) => cells),
    ),
    growing: rows.filter(({ isGrowing }) => isGrowing).map(({ name }) => name),
  };
}

/** Writes a second in each quarter: what is open, and memory with it, follows the rate. */
export function ratesOf(samples: readonly Sample[]): number[] {
  const last = samples.at(-1)?.seconds ?? 0;
  const at = (part: number): Sample | undefined => samples.findLast(({ seconds }) => seconds <= last * part);
  return [0, 0.25, 0.5, 0.75].map((part) => {
    const [from, to] = [at(part), at(part + 0.25)];
    if (from === undefined || to === undefined || from.seconds === to.seconds) return 0;
    return Math.round((to.writes - from.writes) / (to.seconds - from.seconds));
  });
}

const trendCells = (trend: Trend, unit: string): string[] => [
  `${trend.slope >= 0 ? '+' : ''}${rounded(trend.slope)} ${unit}`.trim(),
  `${rounded(trend.standardError)} ${unit}`.trim(),
  grows(trend) ? 'GROWS' : 'flat',
];

const rounded = (value: number): string => (Math.abs(value) >= 100 ? value.toFixed(0) : value.toFixed(1));

export function chartOf(samples: readonly Sample[]): string {
  const line = (key: Quantity, name: string, scale = 1) => ({
    name,
    values: samples.map((sample) => sample[key] / scale),
  });
  const last = samples.at(-1)?.seconds ?? 0;
  return chart(
    { values: samples.map(({ seconds }) => seconds), labels: ['0 min', `${Math.round(last / 60)} min`] },
    [
      {
        title: 'memory',
        unit: 'MB',
        lines: [
          line('resident', 'resident', MB),
          line('anonymous', "the server's own", MB),
          line('heap', "V8's heap", MB),
        ],
      },
      { title: 'files of the store', unit: 'MB', lines: [line('file', 'on disk', MB)] },
      {
        title: 'open',
        unit: 'count',
        lines: [line('handles', 'file descriptors'), line('longRunning', 'watches')],
      },
    ],
  );
}
