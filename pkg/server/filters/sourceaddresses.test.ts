import { expect, test } from '@jest/globals';
import { sourceAddresses } from './sourceaddresses.js';

const from = (forwarded: string | undefined) =>
  ({ headers: { 'x-forwarded-for': forwarded }, socket: { remoteAddress: '10.0.0.1' } }) as never;
const PROXY = { byFrontProxy: true } as const;

test.each([
  ['192.0.2.7', ['192.0.2.7', '10.0.0.1']],
  // What a client says comes before what the front proxy adds.
  ['198.51.100.1, 192.0.2.7', ['192.0.2.7', '10.0.0.1']],
  ['2001:db8::1', ['2001:db8::1', '10.0.0.1']],
  ['10.0.0.1', ['10.0.0.1']],
  ['localhost', ['10.0.0.1']],
  ['', ['10.0.0.1']],
  [undefined, ['10.0.0.1']],
])('a front proxy forwards %j', (forwarded, addresses) => {
  expect(sourceAddresses(from(forwarded), PROXY)).toEqual(addresses);
});

test('the header of any other client is ignored', () => {
  expect(sourceAddresses(from('192.0.2.7'), {})).toEqual(['10.0.0.1']);
  expect(sourceAddresses(from('192.0.2.7'), undefined)).toEqual(['10.0.0.1']);
});
