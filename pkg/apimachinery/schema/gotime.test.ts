import { expect, test } from '@jest/globals';
import { millisecondsOf, parseTime, type TimeForm } from './gotime.js';

test.each<[string, TimeForm, string]>([
  ['2020-01-01T00:00:00Z', 'seconds', '2020-01-01T00:00:00Z'],
  ['2020-01-01T00:00:00+02:00', 'seconds', '2019-12-31T22:00:00Z'],
  ['2020-01-01T00:00:00.999Z', 'seconds', '2020-01-01T00:00:00Z'],
  ['2020-02-29T1:00:00,5-00:30', 'seconds', '2020-02-29T01:30:00Z'],
  ['2019-12-28T23:59:59Z', 'seconds', '2019-12-28T23:59:59Z'],
  ['2019-12-31T23:59:59Z', 'seconds', '2019-12-31T23:59:59Z'],
  ['2019-12-28T23:59:59.000001Z', 'micro', '2019-12-28T23:59:59.000001Z'],
  ['0050-01-01T00:00:00Z', 'seconds', '0050-01-01T00:00:00Z'],
  ['0050-01-01T00:00:00+01:00', 'seconds', '0049-12-31T23:00:00Z'],
  ['2020-01-01T00:00:00.123456+01:00', 'micro', '2019-12-31T23:00:00.123456Z'],
  ['2020-01-01T00:00:00,123456Z', 'micro', '2020-01-01T00:00:00.123456Z'],
])('%s (%s)', (given, form, text) => {
  expect(parseTime(given, form)).toEqual({ text });
});

const RFC3339 = '"2006-01-02T15:04:05Z07:00"';
test.each<[string, TimeForm, string]>([
  ['', 'seconds', ` as ${RFC3339}: cannot parse "" as "2006"`],
  ['x', 'seconds', ` as ${RFC3339}: cannot parse "x" as "2006"`],
  ['2020-1-01T00:00:00Z', 'seconds', ` as ${RFC3339}: cannot parse "1-01T00:00:00Z" as "01"`],
  ['2020-01-01 00:00:00Z', 'seconds', ` as ${RFC3339}: cannot parse " 00:00:00Z" as "T"`],
  ['2020-01-01T00:00:00', 'seconds', ` as ${RFC3339}: cannot parse "" as "Z07:00"`],
  ['2020-01-01T00:00:00z', 'seconds', ` as ${RFC3339}: cannot parse "z" as "Z07:00"`],
  ['2020-13-01T00:00:00Z', 'seconds', ': month out of range'],
  ['2020-02-30T00:00:00Z', 'seconds', ': day out of range'],
  ['2020-01-00T00:00:00Z', 'seconds', ': day out of range'],
  ['2020-01-01T24:00:00Z', 'seconds', ': hour out of range'],
  ['2020-01-01T00:60:00Z', 'seconds', ': minute out of range'],
  ['2020-01-01T00:00:60Z', 'seconds', ': second out of range'],
  ['2019-02-29T00:00:00Z', 'seconds', ': day out of range'],
  ['2020-01-01T00:00:00+25:00', 'seconds', ': time zone offset hour out of range'],
  ['2020-01-01T00:00:00Zx', 'seconds', ': extra text: "x"'],
  [
    '2020-01-01T00:00:00.123Z',
    'micro',
    ' as "2006-01-02T15:04:05.000000Z07:00": cannot parse ".123Z" as ".000000"',
  ],
])('refuses %s (%s)', (given, form, rest) => {
  expect(parseTime(given, form)).toEqual({ fault: `parsing time ${JSON.stringify(given)}${rest}` });
});

test.each<[string, string | undefined]>([
  ['2020-01-01T00:00:00Z', '2020-01-01T00:00:00.000Z'],
  ['2020-01-01T9:00:00Z', '2020-01-01T09:00:00.000Z'],
  ['2020-01-01T09:00:00,25Z', '2020-01-01T09:00:00.250Z'],
  ['2020-01-01T09:00:00.125+01:00', '2020-01-01T08:00:00.125Z'],
  ['2020-01-02T09:00:00+24:00', '2020-01-01T09:00:00.000Z'],
  ['0000-01-01T00:00:00+24:00', '-000001-12-31T00:00:00.000Z'],
  ['2020-01-01', undefined],
])('the milliseconds of %s', (given, time) => {
  expect(millisecondsOf(given)).toBe(time && Date.parse(time));
});

test('keeps the fraction of a time in milliseconds', () => {
  expect(millisecondsOf('1970-01-01T00:00:01.000250Z')).toBeCloseTo(1000.25, 6);
});

test.each([2023, 2024])('each month of %d has its days', (year) => {
  for (let month = 1; month <= 12; month += 1) {
    const last = new Date(Date.UTC(year, month, 0)).getUTCDate();
    const valid = [28, 29, 30, 31].filter((day) => {
      const text = `${year}-${String(month).padStart(2, '0')}-${day}T00:00:00Z`;
      return 'text' in parseTime(text, 'seconds');
    });
    expect([month, valid.at(-1), valid.length]).toEqual([month, last, last - 27]);
  }
});
