import { describe, expect, test } from '@jest/globals';
import { ManagementClock, clockReports } from './clock.js';

const HOUR = 3_600_000;
/** A time without fractions of a second. */
const NOON = Date.UTC(2026, 0, 1, 12);

/** The clocks of a machine whose wall clock is ahead by this time, and the clock of the management API. */
function machine(ahead: number): {
  readonly clock: ManagementClock;
  readonly clocks: { wall: number; running: number };
  pass(ms: number): void;
  hear(tookMs?: number): void;
  error(): number;
} {
  const clocks = { wall: NOON + 400 + ahead, running: 5_000 };
  let there = NOON + 400;
  const clock = new ManagementClock({ wall: () => clocks.wall, running: () => clocks.running });
  return {
    clock,
    clocks,
    pass(ms) {
      there += ms;
      clocks.wall += ms;
      clocks.running += ms;
    },
    hear: (tookMs = 10) => clock.observe(Math.floor(there / 1000) * 1000, tookMs),
    error: () => clock.now() - there,
  };
}

describe('the time of the management API', () => {
  test.each([0, 300, -300, 900])('is the local time if the clock is %d ms off', (ahead) => {
    const { clock, pass, hear, error } = machine(ahead);
    for (let at = 0; at < 60; at += 1) {
      hear();
      pass(1_700);
    }
    expect(error()).toBe(ahead);
    expect([clock.ahead, clock.jumped]).toEqual([0, false]);
  });

  test.each([3 * HOUR, -3 * HOUR, -NOON, 10_000, -10_000])(
    'is derived from response dates if the clock is %d ms off, and is never early',
    (ahead) => {
      const { clock, pass, hear, error } = machine(ahead);
      expect(clock.ahead).toBeUndefined();
      for (let at = 0; at < 60; at += 1) {
        hear();
        expect(error()).toBeGreaterThanOrEqual(0);
        expect(error()).toBeLessThan(2_020);
        pass(1_700);
      }
      expect(Math.abs((clock.ahead ?? 0) - ahead)).toBeLessThan(2_020);
    },
  );

  test('advances while the management API is unreachable', () => {
    const { pass, hear, error } = machine(-3 * HOUR);
    hear();
    const before = error();
    pass(HOUR);
    expect(error()).toBe(before);
  });

  test('is the later one after the clock was set, until the next response', () => {
    const { clock, clocks, pass, hear, error } = machine(0);
    hear();
    clocks.wall -= HOUR;
    expect([error(), clock.jumped, clock.ahead]).toEqual([0, true, -HOUR]);
    clocks.wall += 3 * HOUR;
    expect([error(), clock.jumped]).toEqual([2 * HOUR, true]);
    hear();
    expect(error()).toBeLessThan(2_020);
    expect(clock.jumped).toBe(false);
    pass(HOUR);
    expect(error()).toBeLessThan(2_020);
  });

  test('includes time in which the machine slept', () => {
    const { clocks, hear, clock } = machine(0);
    hear();
    clocks.wall += HOUR;
    expect(clock.now()).toBe(clocks.wall);
  });

  test('ignores late responses and invalid dates', () => {
    const { clock, hear } = machine(0);
    hear(6_000);
    clock.observe(Number.NaN, 1);
    expect(clock.ahead).toBeUndefined();
  });
});

test('reports a wrong clock once, and its correction', () => {
  const reports: string[] = [];
  const clock = { ahead: undefined as number | undefined };
  const check = clockReports(clock, {
    wrong: (why) => reports.push(why),
    right: () => reports.push('right'),
  });
  for (const ahead of [undefined, 0, 4_000, -7_200_400, -7_200_000, 0, 0, 6_000]) {
    clock.ahead = ahead;
    check();
  }
  const rest = 'that of the management API: tokens are judged by the latter';
  expect(reports).toEqual([
    `the clock of this machine is 7200 s behind ${rest}`,
    'right',
    `the clock of this machine is 6 s ahead of ${rest}`,
  ]);
});
