import { expect, test } from '@jest/globals';
import type { Way } from '../../../../api/management.svc.example/v1/resourceaccessreview.js';
import { leadsFrom } from './reach.js';

const owner = { kind: 'Owner', name: 'spec.owner' } as const;
const way = (...steps: Way['steps']): Way => ({ steps: [...steps, owner] });
const none = { groups: [], teams: [], rules: [] } as const;
const ada = { kind: 'User', name: 'ada', groups: ['devs'], teams: ['crew'], rules: ['shop'] } as const;
const crew = { kind: 'Team', name: 'crew', ...none } as const;

test.each([
  [ada, way({ kind: 'User', name: 'ada' }), true],
  [ada, way({ kind: 'User', name: 'bob' }), false],
  [ada, way({ kind: 'User', name: 'ada' }, { kind: 'Team', name: 'crew' }), true],
  [ada, way({ kind: 'Group', name: 'devs' }), true],
  [ada, way({ kind: 'Group', name: 'ops' }), false],
  [ada, way({ kind: 'Group', name: 'system:authenticated' }), true],
  [ada, way({ kind: 'GroupRule', name: 'shop' }), true],
  [ada, way({ kind: 'GroupRule', name: 'ops' }), false],
  [ada, way({ kind: 'GroupRule', name: 'shop' }, { kind: 'Team', name: 'web' }), true],
  [ada, way({ kind: 'Team', name: 'crew' }), true],
  [ada, way({ kind: 'Team', name: 'ops' }), false],
  [ada, way({ kind: 'ServiceAccount', namespace: 'a', name: 'ada' }), false],
  [crew, way({ kind: 'User', name: 'ada' }, { kind: 'Team', name: 'crew' }), true],
  [crew, way({ kind: 'GroupRule', name: 'shop' }, { kind: 'Team', name: 'crew' }), true],
  [crew, way({ kind: 'GroupRule', name: 'shop' }), false],
  [crew, way({ kind: 'TeamKey', name: 'crew' }), true],
  [crew, way({ kind: 'User', name: 'crew' }), false],
  [crew, way({ kind: 'Group', name: 'management:authenticated' }), true],
  [crew, { steps: [] }, false],
])('%j: %j leads there: %s', (subject, given, expected) => {
  expect(leadsFrom(subject, given)).toBe(expected);
});
