/** What the page shows of the ways in which somebody has a right. */
import { describe, expect, test } from '@jest/globals';
import type { Step, Way } from '../../../../api/management.svc.example/v1/resourceaccessreview.js';
import { en } from '../../texts/en.js';
import { pathOfStep, shownAs, waysGraph, waysWith } from './ways.js';

const GROUP = 'management.svc.example';
const RBAC = '/apis/rbac.authorization.k8s.io/v1';

describe('a step', () => {
  test.each<[Step, string]>([
    [{ kind: 'User', name: 'ada/x' }, `/apis/${GROUP}/v1/users/ada%2Fx`],
    [{ kind: 'User', name: 'system:anonymous' }, ''],
    [{ kind: 'Team', name: 'web' }, `/apis/${GROUP}/v1/teams/web`],
    [{ kind: 'TeamKey', name: 'web' }, `/apis/${GROUP}/v1/teams/web`],
    [{ kind: 'Group', name: 'devs' }, ''],
    [{ kind: 'ServiceAccount', namespace: 'n', name: 'ci' }, '/api/v1/namespaces/n/serviceaccounts/ci'],
    [{ kind: 'Owner', name: 'spec.owner' }, ''],
    [{ kind: 'RoleBinding', namespace: 'n', name: 'b' }, `${RBAC}/namespaces/n/rolebindings/b`],
    [{ kind: 'ClusterRole', name: 'r:s' }, `${RBAC}/clusterroles/r:s`],
  ])('%j is at %s', (step, path) => {
    expect(pathOfStep(step)).toBe(path);
  });

  test.each(['system:authenticated', 'management:authenticated'])('%s is everyone', (name) => {
    expect(shownAs({ kind: 'Group', name })).toEqual(['Everyone', '']);
  });

  test('of a service account has its namespace', () => {
    expect(shownAs({ kind: 'ServiceAccount', namespace: 'n', name: 'ci' })).toEqual([
      'ServiceAccount',
      'n/ci',
    ]);
  });
});

describe('ways', () => {
  const way = (name: string): Way => ({
    steps: [
      { kind: 'Team', name },
      { kind: 'Owner', name: 'spec.owner', verbs: ['*'] },
    ],
  });

  test('are found by any name in them', () => {
    expect(waysWith([way('web'), way('ops')], ' WE ')).toEqual([way('web')]);
    expect(waysWith([way('web')], '')).toHaveLength(1);
  });

  test('lead to the object in the graph, where what they share is drawn once', () => {
    const object = { resource: 'sharedsecrets', name: 's', path: '/p' };
    const ways = [way('web'), { ...way('ops'), uncertain: true }];
    const { nodes, edges } = waysGraph(ways, object, en.whoCan.kinds);
    expect(nodes.map(({ kind, name }) => `${kind} ${name}`)).toEqual([
      'sharedsecrets s',
      'Team web',
      'Owner spec.owner',
      'Team ops',
    ]);
    expect(edges.map(({ loose }) => loose)).toEqual([false, false, true]);
  });
});
