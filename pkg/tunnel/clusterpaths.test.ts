import { describe, expect, test } from '@jest/globals';
import { readClusterPath } from './clusterpaths.js';

describe('paths into clusters', () => {
  test.each([
    ['/kubernetes/cluster/east', '/kubernetes/cluster'],
    ['/kubernetes/cluster/east/', '/kubernetes/cluster/'],
    ['/kubernetes/cluster/east/api/v1?watch=1', '/kubernetes/cluster/api/v1?watch=1'],
    ['/kubernetes/cluster/east?a=/kubernetes/cluster/west', '/kubernetes/cluster?a=/kubernetes/cluster/west'],
    ['/kubernetes/cluster/east/../west', '/kubernetes/cluster/../west'],
  ])('%s is forwarded to the agent of east as %s', (path, url) => {
    expect(readClusterPath(path)).toEqual({
      place: { kind: 'cluster', name: 'east' },
      url,
      prefix: { agent: '/kubernetes/cluster', client: '/kubernetes/cluster/east' },
    });
  });

  test.each(['space', 'virtualcluster'] as const)('a path of a %s is forwarded unchanged', (kind) => {
    const url = `/kubernetes/project/p/${kind}/s/api`;
    const prefix = `/kubernetes/project/p/${kind}/s`;
    expect(readClusterPath(url)).toEqual({
      place: { kind, project: 'p', name: 's' },
      url,
      prefix: { agent: prefix, client: prefix },
    });
  });

  test.each([
    '/kubernetes/cluster//x',
    '/kubernetes/cluster/East/x',
    '/kubernetes/cluster/e%61st/x',
    '/kubernetes/cluster/..',
    '/kubernetes/cluster/a\nb/x',
    '/kubernetes/project/p/pod/s/x',
    '/kubernetes/project/p/space/s%2f/x',
    '/kubernetes/project/../space/s',
    '/kubernetes/project/p/spaces/s',
  ])('%s is in no cluster', (path) => {
    expect(readClusterPath(path)?.place).toEqual({ kind: 'none' });
  });

  test.each([
    '/kubernetes/cluster',
    '/kubernetes/management/api',
    '/api',
    '/Kubernetes/cluster/east',
    '//kubernetes/cluster/x',
  ])('%s is not a path into a cluster', (path) => {
    expect(readClusterPath(path)).toBeUndefined();
  });
});
