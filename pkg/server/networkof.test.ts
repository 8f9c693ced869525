import { expect, test } from '@jest/globals';
import { networkOf } from './networkof.js';

test.each([
  ['10.1.2.3', '10.1.2.3'],
  ['::ffff:10.1.2.3', '::ffff:10.1.2.3'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
  ['', ''],
])('%p is of %p', (address, network) => expect(networkOf(address)).toBe(network));
