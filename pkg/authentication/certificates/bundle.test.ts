import { expect, test } from '@jest/globals';
import { makeAuthority, type Identity } from '../../../test/fixtures/clients/clientcertificates.js';
import { overlap, parseBundle } from './bundle.js';

const bundle = (...identities: readonly Identity[]): ReturnType<typeof parseBundle> =>
  parseBundle(identities.map(({ certificate }) => certificate).join(''));

test('bundles overlap in an authority, by any of its certificates', async () => {
  const [one, other, third] = [
    await makeAuthority('one'),
    await makeAuthority('other'),
    await makeAuthority('x'),
  ];
  const { keys } = one;
  const renewed = await makeAuthority('one', { keys, to: 48 });
  const crossSigned = await makeAuthority('one', { keys, issuer: third });
  expect(overlap(bundle(other, one), bundle(one, third))).toBe(true);
  expect(overlap(bundle(other, one), bundle(renewed))).toBe(true);
  expect(overlap(bundle(crossSigned), bundle(third, one))).toBe(true);
  expect(overlap(bundle(one), bundle(other, third))).toBe(false);
  expect(overlap(bundle(one), bundle(await makeAuthority('one')))).toBe(false);
});
