/** The report of a run, and the folder of its history. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FaultRecord, Violation } from './history/history.js';
import { JUDGES } from './judges/judge.js';
import type { RunResult } from './run.js';

const RESULTS = fileURLToPath(new URL('../../.tools/results/robustness', import.meta.url));
const MAX_REPORTED_FINDINGS = 5;

/** Creates an empty folder for the run. */
export function folderOf(name: string, seed: number): string {
  const folder = join(RESULTS, `${name.replaceAll(/\W+/g, '-')}-${seed}`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  return folder;
}

/** Writes all records, one JSON document a line. */
export function keep({ history, violations }: RunResult, folder: string): void {
  const write = (name: string, lines: readonly unknown[]): void =>
    writeFileSync(join(folder, name), lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  write('requests.jsonl', history.requests);
  write('lists.jsonl', history.lists);
  write('streams.jsonl', history.streams);
  write('faults.jsonl', history.faults);
  write('violations.jsonl', violations);
}

const countBy = <T>(all: readonly T[], keyOf: (one: T) => string): string => {
  const counts = new Map<string, number>();
  for (const one of all) counts.set(keyOf(one), (counts.get(keyOf(one)) ?? 0) + 1);
  return [...counts]
    .sort(([a], [b]) => a.localeCompare(b))
    .map(([key, count]) => `${key} ${count}`)
    .join(', ');
};

/** The faults that were injected. */
export const doneOf = ({ history }: Pick<RunResult, 'history'>): readonly FaultRecord[] =>
  history.faults.filter(({ done }) => done);

/**
 * @param leftOut faults that the machine does not support
 * @param repeat the command that repeats the run
 */
export function tableOf(
  title: string,
  result: RunResult,
  leftOut: readonly string[],
  repeat: string,
): string {
  const { history, operations, keys, undecided, events, relists, violations } = result;
  const done = doneOf(result);
  const rows: readonly (readonly [string, string])[] = [
    ['requests', `${history.requests.length}: ${countBy(history.requests, ({ operation }) => operation)}`],
    ['answered', countBy(history.requests, ({ outcome }) => outcome)],
    ['lists', String(history.lists.length)],
    ['watches', `${history.streams.length} streams, ${events} events and bookmarks, ${relists} lists anew`],
    ['faults', `${done.length}: ${countBy(done, ({ kind }) => kind)}`],
    ...history.faults
      .filter((fault) => !fault.done)
      .map(({ kind, detail }): readonly [string, string] => ['not done', `${kind} (${detail})`]),
    ...leftOut.map((text): readonly [string, string] => ['NOT RUN', text]),
    ['judged', `${operations} operations on ${keys} objects, ${undecided} of them undecided`],
    ...Object.keys(JUDGES).map((name): readonly [string, string] => {
      const count = violations.filter(({ judge }) => judge === name).length;
      return [`  ${name}`, count === 0 ? 'holds' : `VIOLATED ${count} times`];
    }),
    ['again', repeat],
  ];
  return [`robustness: ${title}`, ...rows.map(([name, text]) => `  ${name.padEnd(16)}${text}`), ''].join(
    '\n',
  );
}

/** The first findings of one judge, as text. */
export function findingsOf(violations: readonly Violation[], name: string): string[] {
  const found = violations.filter(({ judge }) => judge === name).map(({ text }) => text);
  const more = found.length - MAX_REPORTED_FINDINGS;
  return [...found.slice(0, MAX_REPORTED_FINDINGS), ...(more > 0 ? [`and ${more} more`] : [])];
}
