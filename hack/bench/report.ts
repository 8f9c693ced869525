import { percentile } from './load.js';
import type { Measured, Row, Unit } from './rows/row.js';
import type { Measurements } from './run.js';
import { isOwn, TARGET_NAMES, type OwnName, type TargetName } from './targets/target.js';

type Results = ReadonlyMap<TargetName, Measurements>;

/** Two Markdown tables: the rows side by side with ratios and aims, and the details of each. */
export function report(rows: readonly Row[], results: Results): string {
  const targets = TARGET_NAMES.filter((name) => results.has(name));
  const ours = targets.filter(isOwn);
  const compared = table(
    ['row', ...targets.flatMap((name) => (isOwn(name) ? [name, 'ratio', 'aim'] : [name]))],
    rows.map((row) => [
      row.name,
      ...targets.flatMap((name) => {
        const own = results.get(name)?.get(row.name);
        if (!isOwn(name)) return [shown(own?.value, row.unit)];
        const peer = results.get('kube-apiserver')?.get(row.name);
        return [shown(own?.value, row.unit), ratio(peer, own), aim(row, name, own, peer)];
      }),
    ]),
  );
  const details = table(
    [
      'row',
      'server',
      'ops/s',
      'p50',
      'p99',
      'answer',
      'server CPU',
      'allocated',
      'etcd CPU',
      'longest block',
      'VmRSS',
    ],
    rows.flatMap((row) =>
      targets.map((name) => [row.name, name, ...detail(results.get(name)?.get(row.name), row.unit)]),
    ),
  );
  const legend = `Server CPU for each operation, or what the row's name says. Ratio: kube-apiserver / ${ours.join(' or ')}.`;
  return `${legend}\n\n${compared}\n${details}`;
}

/** In Markdown. */
export function table(head: readonly string[], body: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |\n`;
  return line(head) + line(head.map(() => '---')) + body.map(line).join('');
}

function ratio(peer: Measured | undefined, own: Measured | undefined): string {
  return peer === undefined || own === undefined ? '–' : `${(peer.value / own.value).toFixed(1)}`;
}

function aim(row: Row, name: OwnName, own?: Measured, peer?: Measured): string {
  if (row.aimRatio !== undefined) {
    const times = row.aimRatio[name];
    const missed = own !== undefined && peer !== undefined && peer.value < times * own.value;
    return missed ? `${times} times, missed` : `${times} times`;
  }
  if (row.aim === undefined) return '–';
  const text = shown(row.aim[name], row.unit);
  return own !== undefined && own.value > row.aim[name] ? `${text}, missed` : text;
}

function detail(measured: Measured | undefined, unit: Unit): string[] {
  if (measured === undefined) return Array<string>(9).fill('–');
  const { load, allocated, storeCpu, blocked, residentBytes } = measured;
  const memory = shown(residentBytes, 'memory');
  if (load === undefined)
    return [...Array<string>(4).fill('–'), shown(measured.value, unit), '–', '–', '–', memory];
  return [
    (load.operations / load.seconds).toFixed(load.operations < 10 * load.seconds ? 1 : 0),
    milliseconds(percentile(load.latencies, 0.5)),
    milliseconds(percentile(load.latencies, 0.99)),
    bytes(load.bytes / load.operations),
    shown(measured.value, unit),
    allocated === undefined ? '–' : bytes(allocated),
    shown(storeCpu, 'cpu'),
    blocked === undefined ? '–' : milliseconds(blocked * 1000),
    memory,
  ];
}

/** A value of a row: µs or ms, s, or GB (10^9 bytes). */
export function shown(value: number | undefined, unit: Unit): string {
  if (value === undefined) return '–';
  switch (unit) {
    case 'memory':
      return `${(value / 1e9).toFixed(2)} GB`;
    case 'time':
      return `${value.toFixed(2)} s`;
    case 'cpu':
      return value < 1e-3 ? `${Math.round(value * 1e6)} µs` : milliseconds(value * 1000);
  }
}

const milliseconds = (ms: number): string => `${ms >= 10 ? Math.round(ms) : ms.toFixed(1)} ms`;

export function bytes(count: number): string {
  if (count < 1e4) return `${Math.round(count)} B`;
  return count < 1e6 ? `${Math.round(count / 1e3)} kB` : `${(count / 1e6).toFixed(2)} MB`;
}
