/** What overload did to those who caused it, and to those who did not. */
import { median } from '../gate/compare.js';
import { percentile } from '../load.js';
import type { Calm } from './calm.js';
import type { Outcome } from './crowd.js';

export interface Aims {
  /** Goodput as a share of the best, at least. */
  readonly goodput: number;
  /** p99 of probes and of the administrator, in ms, at most. */
  readonly calmMs: number;
  /** p99 after a burst, as a multiple of that before, at most. */
  readonly afterBurst: number;
}
const AIMS: Aims = { goodput: 0.8, calmMs: 100, afterBurst: 1.1 };

/** The best that was found, and then three times that offered. */
export interface Round {
  readonly best: Outcome;
  readonly over: Outcome;
}

/** A steady load, three times as much, and the steady one again: once it had a few seconds to become as it was. */
export interface Burst {
  readonly steady: Outcome;
  readonly again: Outcome;
}

/** What a server was asked, in rounds; `before`: of those who ask calmly, while nobody else asked. */
export interface Overloaded {
  readonly name: string;
  readonly rounds: readonly Round[];
  readonly bursts: readonly Burst[];
  /** What was acknowledged and is not there. */
  readonly lost: readonly string[];
  readonly before: Calm;
  readonly during: Calm;
}

export const rateOf = ({ good, seconds }: Outcome): number => good / seconds;

/** Of the middle round. */
export const shareOf = (rounds: readonly Round[]): number =>
  median(rounds.map(({ best, over }) => rateOf(over) / rateOf(best)));

/** p99 after a burst, as a multiple of that before; of the middle one. */
const afterBurstOf = (bursts: readonly Burst[]): number =>
  median(bursts.map(({ steady, again }) => p99Of(again) / p99Of(steady)));

const p99Of = ({ latencies }: Outcome): number => percentile(latencies, 0.99);

/** Which aims a server missed, in words. A generator that could not keep up has shown nothing. */
export function missed(
  { rounds, bursts, lost, during }: Overloaded,
  factor: number,
  aims: Aims = AIMS,
): string[] {
  const all: string[] = [];
  const share = shareOf(rounds);
  if (!(share >= aims.goodput)) all.push(`goodput ${percent(share)} of the best`);
  for (const [who, times] of Object.entries(during) as [string, number[]][]) {
    const p99 = percentile(ascending(times), 0.99);
    if (times.length === 0 || p99 > aims.calmMs) all.push(`p99 of ${who} ${ms(p99)}`);
  }
  const after = afterBurstOf(bursts);
  if (!(after <= aims.afterBurst)) all.push(`p99 after a burst ${after.toFixed(2)} times that before`);
  if (lost.length > 0) all.push(`${lost.length} acknowledged objects are not there, the first ${lost[0]}`);
  const offered = median(rounds.map(({ best, over }) => over.offered / over.seconds / rateOf(best)));
  if (offered < factor * 0.9) all.push(`only ${offered.toFixed(1)} times the best was offered`);
  return all;
}

export const HEAD = [
  'server',
  'best, a second',
  'offered',
  'good',
  'of the best',
  '429',
  'no answer',
  'other',
  'p50 of the good',
  'probes p50 / p99',
  'before',
  'masters p50 / p99',
  'before',
  'p99 before, after a burst',
  'generator busy',
  '',
];

export function lineOf(server: Overloaded, factor: number): string[] {
  const { name, rounds, bursts, before, during } = server;
  const rate = (of: (round: Round) => number): string => Math.round(median(rounds.map(of))).toString();
  const over = (of: (outcome: Outcome) => number) => (round: Round) => of(round.over) / round.over.seconds;
  return [
    name,
    rate(({ best }) => rateOf(best)),
    rate(over(({ offered }) => offered)),
    rate(over(({ good }) => good)),
    percent(shareOf(rounds)),
    rate(over(({ refused }) => refused)),
    rate(over(({ late }) => late)),
    rate(over(({ other }) => other)),
    ms(median(rounds.map((round) => percentile(round.over.latencies, 0.5)))),
    both(during.probes),
    both(before.probes),
    both(during.masters),
    both(before.masters),
    `${ms(median(bursts.map(({ steady }) => p99Of(steady))))}, ${ms(median(bursts.map(({ again }) => p99Of(again))))}`,
    percent(Math.max(...rounds.map((round) => round.over.busy))),
    missed(server, factor).length > 0 ? 'MISSED' : '',
  ];
}

const ascending = (values: readonly number[]): number[] => [...values].sort((a, b) => a - b);
const both = (times: readonly number[]): string => {
  const sorted = ascending(times);
  return `${ms(percentile(sorted, 0.5))} / ${ms(percentile(sorted, 0.99))}`;
};
const percent = (share: number): string => `${(share * 100).toFixed(0)}%`;
const ms = (value: number): string => `${value < 10 ? value.toFixed(1) : value.toFixed(0)} ms`;
