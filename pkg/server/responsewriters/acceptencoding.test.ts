import { expect, test } from '@jest/globals';
import { codingFor, takesGzip } from './acceptencoding.js';

test.each([
  ['gzip', true],
  ['br, gzip;q=0.5', true],
  ['GZIP ; q=1', true],
  ['*', true],
  ['*;q=0, gzip', true],
  ['', false],
  ['identity', false],
  ['gzip;q=0', false],
  ['gzip; q=0.000', false],
  ['gzip;q=0.', false],
  ['*, gzip;q=0', false],
  ['xgzip', false],
])('Accept-Encoding %j takes gzip: %s', (accepted, takes) => {
  for (let times = 0; times < 2; times += 1) expect(takesGzip(accepted)).toBe(takes);
});

test('takes the best of several codings', () => {
  expect(codingFor('gzip, br', ['br', 'gzip'])).toBe('br');
  expect(codingFor('gzip, br;q=0', ['br', 'gzip'])).toBe('gzip');
});
