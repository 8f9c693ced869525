import { expect, test } from '@jest/globals';
import type { ObjectMeta } from '../../../api/resource.js';
import { encodeObject } from '../../apimachinery/encoding/canonical.js';
import type { CachedObject } from '../interface.js';
import { hasUid } from './metadata.js';

function cached(metadata: ObjectMeta): CachedObject {
  const object = { kind: 'ConfigMap', apiVersion: 'v1', metadata, data: { uid: 'of-data' } };
  const bytes = encodeObject(object);
  return { namespace: '', name: '', revision: 1, bytes, object: () => object };
}

const OWNER = { apiVersion: 'v1', kind: 'ConfigMap', name: 'o', uid: 'of-owner' };
const LABELS = { uid: 'of-label' };

test.each([
  ['its own', { name: 'a', uid: 'own', labels: LABELS, ownerReferences: [OWNER] }, 'own', true],
  ['a beginning of its own', { name: 'a', uid: 'own' }, 'ow', false],
  ['a longer one', { name: 'a', uid: 'own' }, 'own-more', false],
  ['that of its owner', { name: 'a', uid: 'own', ownerReferences: [OWNER] }, 'of-owner', false],
  ['that of a label', { name: 'a', uid: 'own', labels: LABELS }, 'of-label', false],
  ['what a name quotes', { name: '"uid":"quoted"', uid: 'own' }, 'quoted', false],
  ['an empty one', { name: 'a', uid: 'own' }, '', false],
])('%s', (_whose, metadata, uid, expected) => expect(hasUid(cached(metadata), uid)).toBe(expected));
