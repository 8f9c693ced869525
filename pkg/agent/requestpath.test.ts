import { describe, expect, test } from '@jest/globals';
import { readAgentPath } from './requestpath.js';

describe('paths of the agent', () => {
  test.each<[string, object]>([
    ['/kubernetes/cluster', { destination: { kind: 'cluster' }, path: '/', prefix: '/kubernetes/cluster' }],
    ['/kubernetes/cluster/', { path: '/' }],
    ['/kubernetes/cluster/api/v1/pods?watch=1&x=%2F', { path: '/api/v1/pods', query: 'watch=1&x=%2F' }],
    [
      '/kubernetes/%63luster/api',
      { destination: { kind: 'cluster' }, path: '/api', prefix: '/kubernetes/cluster' },
    ],
    [
      '/kubernetes/project/p/space/s/api/v1/namespaces/n/pods/a%3Ab',
      { destination: { kind: 'space', project: 'p', name: 's' }, path: '/api/v1/namespaces/n/pods/a:b' },
    ],
    [
      '/kubernetes/project/p/virtualcluster/v/version',
      { destination: { kind: 'virtualcluster', project: 'p', name: 'v' }, path: '/version' },
    ],
    ['/kubernetes/cluster/%61pi/v1', { path: '/api/v1' }],
    ['/kubernetes/cluster/a%252Fb', { path: '/a%252Fb' }],
    ['/kubernetes/cluster/a%3Fb', { path: '/a%3Fb', query: '' }],
    ['/kubernetes/cluster/api/', { path: '/api/' }],
    ['/kubernetes/cluster/api?a=1?b', { path: '/api', query: 'a=1?b' }],
    ['/kubernetes/cluster/%C3%A9', { path: '/%C3%A9' }],
    ['/kubernetes/cluster?/../x', { path: '/', query: '/../x' }],
  ])('%s is read', (url, expected) => {
    expect(readAgentPath(url)).toMatchObject(expected);
  });

  test.each<[string, number]>([
    ['/kubernetes/project/p/space/s/../../../cluster/api', 400],
    ['/kubernetes/project/p/space/s/%2e%2e/%2E%2e/api', 400],
    ['/kubernetes/project/p/space/s/.%2e/api', 400],
    ['/kubernetes/cluster/./api', 400],
    ['/kubernetes/cluster//api', 400],
    ['//kubernetes/cluster/api', 400],
    ['/kubernetes/cluster/api//', 400],
    ['/kubernetes/project/p/space/s%2Fapi', 400],
    ['/kubernetes/project/p/space/s/api%2fv1', 400],
    ['/kubernetes/project/p/space/s/api/v1/namespaces/n%2f..%2fkube-system/secrets', 400],
    ['/kubernetes/cluster/api\\v1', 400],
    ['/kubernetes/cluster/api%5cv1', 400],
    ['/kubernetes/cluster/api%00', 400],
    ['/kubernetes/cluster/a%0d%0aHost:x', 400],
    ['/kubernetes/cluster/%', 400],
    ['/kubernetes/cluster/%zz', 400],
    ['/kubernetes/cluster/%c0%ae%c0%ae/api', 400],
    ['/kubernetes/cluster/api#x', 400],
    ['https://other/kubernetes/cluster/api', 400],
    ['*', 400],
    ['', 400],
    [`/kubernetes/cluster/${'a'.repeat(70_000)}`, 400],
    ['/kubernetes/project//space/s/api', 400],
    ['/kubernetes/project/p/space/', 400],
    ['/kubernetes/project/p/space', 400],
    ['/kubernetes/project/P/space/s/api', 400],
    ['/kubernetes/project/*/space/s/api', 400],
    ['/kubernetes/project/p/spaces/s/api', 404],
    ['/kubernetes/project/p', 404],
    ['/kubernetes/Cluster/api', 404],
    ['/kubernetes/management/api', 404],
    ['/kubernetes/cluster/kubernetes/management/api/v1/pods', 404],
    ['/kubernetes/cluster/kubernetes/cluster/api', 404],
    ['/kubernetes/cluster/api/v1/proxy/namespaces/n/pods/x', 404],
    ['/kubernetes/cluster/apis/g/v1/proxy/namespaces/n/pods/x', 404],
    ['/api/v1/pods', 404],
    ['/', 404],
  ])('%s is refused', (url, code) => {
    expect(() => readAgentPath(url)).toThrow(expect.objectContaining({ code }));
  });
});
