import { expect, test } from '@jest/globals';
import type { Outcome } from './crowd.js';
import { HEAD, lineOf, missed, shareOf, type Burst, type Round } from './report.js';

const outcome = (good: number, offered = good): Outcome => ({
  seconds: 1,
  offered,
  good,
  refused: offered - good,
  late: 0,
  other: 0,
  made: [],
  latencies: [1, 2, 3],
  busy: 0.5,
  lag: 1,
});
const round = (best: number, good: number, offered = 3 * best): Round => ({
  best: outcome(best),
  over: outcome(good, offered),
});
const burst = (before: number, after: number): Burst => ({
  steady: { ...outcome(9), latencies: [1, before] },
  again: { ...outcome(9), latencies: [1, after] },
});
const calm = (probes: number, masters: number) => ({ probes: [1, probes], masters: [1, masters] });

test('goodput is judged by the middle round', () => {
  expect(shareOf([round(100, 10), round(100, 90), round(200, 190)])).toBe(0.9);
});

test.each<[string, Round, ReturnType<typeof calm>, string[]]>([
  ['all is well', round(100, 81), calm(99, 99), []],
  ['goodput falls', round(100, 79), calm(9, 9), ['goodput 79% of the best']],
  ['probes wait', round(100, 90), calm(101, 9), ['p99 of probes 101 ms']],
  ['administrators wait', round(100, 90), calm(9, 200), ['p99 of masters 200 ms']],
  ['nobody asked', round(100, 90), { probes: [], masters: [1] }, ['p99 of probes 0.0 ms']],
  ['the generator is too slow', round(100, 90, 200), calm(9, 9), ['only 2.0 times the best was offered']],
])('the report is right where %s', (_name, one, during, aims) => {
  const server = {
    name: 'embedded',
    rounds: [one],
    bursts: [burst(20, 22)],
    lost: [],
    before: calm(1, 1),
    during,
  };
  expect(missed(server, 3)).toEqual(aims);
  expect(lineOf(server, 3)).toHaveLength(HEAD.length);
});

test('a burst is judged by what it leaves behind', () => {
  const server = { name: 'etcd', rounds: [round(100, 90)], before: calm(1, 1), during: calm(9, 9) };
  expect(missed({ ...server, bursts: [burst(20, 23)], lost: ['builds-0/a', 'builds-0/b'] }, 3)).toEqual([
    'p99 after a burst 1.15 times that before',
    '2 acknowledged objects are not there, the first builds-0/a',
  ]);
});
