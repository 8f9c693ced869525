import { describe, expect, test } from '@jest/globals';
import { requestInfo } from './requestinfo.js';

const CM = '/api/v1/namespaces/ns/configmaps';
const GROUP = '/apis/management.svc.example/v1';

type Expected = readonly [
  verb: string,
  group: string,
  namespace: string,
  resource: string,
  name: string,
  subresource: string,
  pinnedName: string,
];

const RESOURCES: readonly (readonly [string, string, Expected])[] = [
  ['GET', CM, ['list', '', 'ns', 'configmaps', '', '', '']],
  ['GET', `${CM}/`, ['list', '', 'ns', 'configmaps', '', '', '']],
  ['GET', `${CM}/a`, ['get', '', 'ns', 'configmaps', 'a', '', 'a']],
  ['GET', `${CM}/a?watch=1`, ['get', '', 'ns', 'configmaps', 'a', '', 'a']],
  ['GET', `${CM}?watch`, ['watch', '', 'ns', 'configmaps', '', '', '']],
  ['GET', `${CM}?watch=False`, ['list', '', 'ns', 'configmaps', '', '', '']],
  ['GET', `${CM}??watch=1`, ['list', '', 'ns', 'configmaps', '', '', '']],
  ['GET', `${CM}?watch=1;x=2`, ['list', '', 'ns', 'configmaps', '', '', '']],
  ['DELETE', CM, ['deletecollection', '', 'ns', 'configmaps', '', '', '']],
  [
    'DELETE',
    `${CM}?fieldSelector=metadata.name%3Da`,
    ['deletecollection', '', 'ns', 'configmaps', '', '', ''],
  ],
  ['GET', `${GROUP}/sharedsecrets`, ['list', 'management.svc.example', '', 'sharedsecrets', '', '', '']],
  ['GET', '/apis/no.such.group/v1/things/x', ['get', 'no.such.group', '', 'things', 'x', '', 'x']],
  ['GET', '/api/v1/namespaces/ns', ['get', '', 'ns', 'namespaces', 'ns', '', 'ns']],
  ['PUT', '/api/v1/namespaces/ns/finalize', ['update', '', 'ns', 'namespaces', 'ns', 'finalize', 'ns']],
  ['GET', `/kubernetes/management${CM}`, ['list', '', 'ns', 'configmaps', '', '', '']],
  ['GET', `${CM}?fieldSelector=metadata.name%3Da`, ['list', '', 'ns', 'configmaps', '', '', 'a']],
  ['GET', `${CM}?watch=1&fieldSelector=metadata.name%3D%3Da`, ['watch', '', 'ns', 'configmaps', '', '', 'a']],
  ['GET', `${CM}?fieldSelector=metadata.name!%3Da`, ['list', '', 'ns', 'configmaps', '', '', '']],
  ['GET', `${CM}?fieldSelector=metadata.name%3Da%2Fb`, ['list', '', 'ns', 'configmaps', '', '', '']],
  ['GET', `${CM}?fieldSelector=%3D%3D%3D`, ['list', '', 'ns', 'configmaps', '', '', '']],
  ['GET', '/api/v1/watch/configmaps', ['watch', '', '', 'configmaps', '', '', '']],
  ['GET', '/api/v1/watch/namespaces/ns/configmaps', ['watch', '', 'ns', 'configmaps', '', '', '']],
  ['GET', '/api/v1/watch/namespaces/ns/configmaps/a', ['watch', '', 'ns', 'configmaps', 'a', '', 'a']],
  ['GET', '/api/v1/watch/namespaces/ns', ['watch', '', 'ns', 'namespaces', 'ns', '', 'ns']],
  ['POST', '/api/v1/watch/configmaps', ['unknown', '', '', 'configmaps', '', '', '']],
  ['GET', '/api/v1/namespaces//configmaps', ['list', '', '', 'configmaps', '', '', '']],
];

describe('request info', () => {
  test.each(RESOURCES)('%s %s', (method, url, expected) => {
    const info = requestInfo(method, url);
    if (info.kind !== 'resource') throw new Error('it is no request for a resource');
    const { verb, group, namespace, resource, name, subresource, pinnedName } = info;
    expect([verb, group, namespace, resource, name, subresource, pinnedName]).toEqual(expected);
  });

  test.each(['/', '/api', '/api/v1', '/apis/g/v1', '/healthz', '/apix/v1/a/b', '//api/v1/configmaps'])(
    '%s is a non-resource path',
    (url) => {
      expect(requestInfo('GET', url)).toMatchObject({ kind: 'path', verb: 'get' });
    },
  );
});

describe('paths with many segments', () => {
  const many = (count: number, step = 'a'): string => `/${step}`.repeat(count);
  const of = (url: string): Record<string, unknown> => ({ ...requestInfo('GET', url) });

  test.each([50, 61, 62, 63, 64, 65, 66, 200, 100_000])('%d segments belong to a subresource', (count) => {
    const found = of(`/api/v1/namespaces/n/pods/p/proxy${many(count)}`);
    expect(found).toMatchObject({ kind: 'resource', resource: 'pods', name: 'p', namespace: 'n' });
    expect(found.subresource).toBe(`proxy${many(count)}`);
  });

  test.each([1, 60, 61, 62, 63, 64, 65, 1_000])('%d slashes at the end are ignored', (count) => {
    expect(of(`/api/v1/pods${'/'.repeat(count)}`)).toMatchObject({ resource: 'pods', name: '' });
    expect(of(`/api/v1/pods/p/log${'/'.repeat(count)}`)).toMatchObject({ subresource: 'log' });
    expect(of(`/api/v1/pods/p/log${'/'.repeat(count)}x`).subresource).toBe(`log${'/'.repeat(count)}x`);
  });
});
