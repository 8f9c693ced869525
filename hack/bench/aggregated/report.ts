import { percentile } from '../load.js';
import { bytes, shown, table } from '../report.js';
import type { Measured } from '../rows/row.js';
import { SUBJECTS } from './subject.js';

/** Of each row, of each server by its title, what each round measured. */
export type Rounds = ReadonlyMap<string, ReadonlyMap<string, readonly Measured[]>>;

/** The one with the value that half of them are above. */
function middle(rounds: readonly Measured[]): Measured | undefined {
  return [...rounds].sort((a, b) => a.value - b.value)[Math.floor(rounds.length / 2)];
}

/** A Markdown table: the servers' CPU of the middle round, and sample-apiserver's divided by ours. */
export function aggregatedReport(results: Rounds): string {
  const titles = SUBJECTS.map(({ title }) => title);
  const head = ['row', ...titles.flatMap((title) => [title, 'p50', 'p99', 'answer', 'VmRSS']), 'ratio'];
  const body = [...results].map(([name, bySubject]) => {
    const found = titles.map((title) => middle(bySubject.get(title) ?? []));
    const [sample, own] = found;
    const ratio = sample === undefined || own === undefined ? '–' : (sample.value / own.value).toFixed(1);
    return [name, ...found.flatMap(cells), ratio];
  });
  const legend =
    'CPU of the server behind the aggregator for each operation, the middle round. Ratio: more than 1 means that ours needs less.';
  return `${legend}\n\n${table(head, body)}`;
}

function cells(measured: Measured | undefined): string[] {
  if (measured?.load === undefined) return ['–', '–', '–', '–', '–'];
  const { latencies, operations } = measured.load;
  return [
    shown(measured.value, 'cpu'),
    `${percentile(latencies, 0.5).toFixed(1)} ms`,
    `${percentile(latencies, 0.99).toFixed(1)} ms`,
    bytes(measured.load.bytes / operations),
    shown(measured.residentBytes, 'memory'),
  ];
}
