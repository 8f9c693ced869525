import { expect, test } from '@jest/globals';
import { networkOf } from './networkof.js';

test.each([
  ['10.1.2.3', '10.1.2.3'],
  ['::ffff:10.1.2.3', '::ffff:10.1.2.3'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
  ['2001:db8::3:4:5:6', '2001:db8:0:0'],
  ['2001:db8::6', '2001:db8:0:0'],
  ['fe80::1:2:3:4', 'fe80:0:0:0'],
  ['::1', '0:0:0:0'],
  ['', ''],
])('%p is of %p', (address, network) => expect(networkOf(address)).toBe(network));
