import { describe, expect, test } from '@jest/globals';
import { LatencyReports } from './latency.js';

const MINUTE = 60_000;

/** The reported latency after each measurement; measurements are half a minute apart. */
function reportedOf(measurements: readonly (number | undefined)[], begin?: number): (number | undefined)[] {
  const reports = new LatencyReports();
  let reported = begin;
  return measurements.map(
    (measured, at) => (reported = reports.report('east', reported, measured, (at * MINUTE) / 2)),
  );
}

describe('the latency in the status of a Cluster', () => {
  test.each<[string, (number | undefined)[], number | undefined, (number | undefined)[]]>([
    ['is reported at once', [12.4], undefined, [12]],
    ['is a whole number of at least one', [0.2], undefined, [1]],
    [
      'stays while it differs by less than a factor of two',
      [100, 60, 180, 60],
      undefined,
      [100, 100, 100, 100],
    ],
    ['stays while it differs by a few milliseconds', [1, 9, 9, 9], undefined, [1, 1, 1, 1]],
    ['stays after one slow answer', [20, 20, 2_000, 20, 20], undefined, [20, 20, 20, 20, 20]],
    ['follows when it is slow again', [20, 20, 2_000, 1_900], undefined, [20, 20, 20, 1_900]],
    ['follows at most once in a minute', [100, 20, 300, 300, 300], undefined, [100, 100, 20, 20, 300]],
    ['ends with the answers, and begins anew', [100, undefined, 300], undefined, [100, undefined, 300]],
    ['stays as another server reported it', [110], 100, [100]],
    ['replaces what another server reported', [500], 100, [500]],
  ])('%s', (_what, measurements, begin, expected) => {
    expect(reportedOf(measurements, begin)).toEqual(expected);
  });

  test('is recorded for each cluster, and removed with it', () => {
    const reports = new LatencyReports();
    reports.report('east', undefined, 100, 0);
    expect(reports.report('west', 10, 100, 1)).toBe(100);
    expect(reports.report('east', 100, 500, 2)).toBe(100);
    reports.forget('east');
    expect(reports.report('east', 100, 500, 3)).toBe(500);
  });
});
