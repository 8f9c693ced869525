/** Secrets that are filled in connected clusters: the requests, and the responses that a cluster may give. */
import { describe, expect, test } from '@jest/globals';
import { SPACE, VIRTUAL_CLUSTER } from '../instances.js';
import { filledSecretsOf, mirrorSelector, MAX_SECRETS, sharedSelector } from './filledsecrets.js';
import { placeOf, scopeOf, secretsPath } from './places.js';

const P = 'management.svc.example/';
const list = (...items: unknown[]): object => ({ kind: 'PartialObjectMetadataList', items });
const object = { kind: 'VirtualClusterInstance' as const, apiVersion: 'management.svc.example/v1' };
const clusterRef = { cluster: 'east', namespace: 'inside' };
const space = { ...object, metadata: { name: 's', namespace: 'loft-p-web' }, spec: { clusterRef } };

describe('selectors', () => {
  test('a name that can be no label selects nothing', () => {
    expect(sharedSelector({ namespace: 'default', name: 'db' })).toBe(
      `${P}sharedsecret-name=db,${P}sharedsecret-namespace=default`,
    );
    expect(sharedSelector({ namespace: 'default', name: 'n'.repeat(64) })).toBeUndefined();
    expect(mirrorSelector([])).toBeUndefined();
    expect(mirrorSelector(['a', 'n'.repeat(64), 'b'])).toBe(`${P}projectsecret-name in (a,b)`);
  });
});

describe('answers of clusters', () => {
  test('a Secret has its state and its source', () => {
    const shared = { [`${P}sharedsecret-name`]: 'db', [`${P}projectsecret-name`]: 'copy' };
    const annotations = { [`${P}sync-status`]: 'Revoked' };
    const own = { [`${P}projectsecret-name`]: 'copy' };
    const answer = list(
      { metadata: { name: 'a', namespace: 'n', labels: shared, annotations } },
      { metadata: { name: 'b', namespace: 'n', labels: own } },
    );
    expect(filledSecretsOf(answer)).toEqual([
      { name: 'a', namespace: 'n', status: 'Revoked', mirror: '' },
      { name: 'b', namespace: 'n', status: '', mirror: 'copy' },
    ]);
  });

  test('leaves out other objects than Secrets, and refuses anything but a list of metadata', () => {
    const strange = [null, 7, [], {}, { metadata: null }, { metadata: { name: 1, namespace: 'n' } }];
    expect(filledSecretsOf(list(...strange))).toEqual([]);
    const many = Array.from({ length: 200 }, () => ({ metadata: { name: 'a', namespace: 'n', labels: 3 } }));
    expect(filledSecretsOf(list(...many))).toHaveLength(MAX_SECRETS);
    for (const answer of [undefined, null, 'text', {}, { kind: 'SecretList', items: [] }])
      expect(() => filledSecretsOf(answer)).toThrow();
  });
});

describe('places', () => {
  test('leave out instances without a cluster or project, and those being deleted', () => {
    const { metadata, spec } = space;
    expect(placeOf(SPACE, { ...space, spec: {} }, 'loft-p-')).toBeUndefined();
    expect(placeOf(SPACE, { ...object, metadata: { ...metadata, namespace: 'x' }, spec }, 'loft-p-')).toBe(
      undefined,
    );
    const deletionTimestamp = '2026-01-01T00:00:00Z';
    expect(placeOf(SPACE, { ...object, metadata: { ...metadata, deletionTimestamp }, spec }, 'loft-p-')).toBe(
      undefined,
    );
  });

  test('a space is asked for its namespace, a virtual cluster for all, with a scope of these alone', () => {
    const [one, other] = [placeOf(SPACE, space, 'loft-p-'), placeOf(VIRTUAL_CLUSTER, space, 'loft-p-')];
    if (one === undefined || other === undefined) throw new Error('no places');
    expect(secretsPath(one, 'a=b', 9)).toBe(
      '/kubernetes/project/web/space/s/api/v1/namespaces/inside/secrets?labelSelector=a%3Db&limit=9',
    );
    expect(secretsPath(other, 'a=b', 9)).toBe(
      '/kubernetes/project/web/virtualcluster/s/api/v1/secrets?labelSelector=a%3Db&limit=9',
    );
    expect(scopeOf([one, other])).toEqual({
      spaces: [{ project: 'web', space: 's' }],
      virtualClusters: [{ project: 'web', virtualCluster: 's' }],
    });
  });
});
