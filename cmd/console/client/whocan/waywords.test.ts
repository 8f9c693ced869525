import { expect, test } from '@jest/globals';
import type { Step } from '../../../../api/management.svc.example/v1/resourceaccessreview.js';
import { en } from '../../texts/en.js';
import { wayWords } from './waywords.js';

const step = (kind: Step['kind'], name: string, namespace?: string): Step => ({
  kind,
  name,
  ...(namespace !== undefined && { namespace }),
});
const ada = step('User', 'ada');
const binding = step('RoleBinding', 'management:project-member:x', 'loft-p-demo');

test.each<[string, readonly Step[]]>([
  ['owner', [ada, step('Owner', 'spec.owner')]],
  ['owner, through team web', [ada, step('Team', 'web'), step('Owner', 'spec.owner')]],
  ['shared, through team web', [ada, step('Team', 'web'), step('AccessRule', 'spec.access[0]')]],
  [
    'shared, through everyone who is logged in',
    [ada, step('Group', 'system:authenticated'), step('AccessRule', 'spec.access[0]')],
  ],
  ['member of the project', [ada, step('Member', 'spec.members')]],
  ['their own', [ada, step('Self', 'self')]],
  ['admin of the project demo', [ada, binding, step('ClusterRole', 'management-project-admin')]],
  [
    'readers of the project demo, through group rule devs, team web',
    [ada, step('GroupRule', 'devs'), step('Team', 'web'), binding, step('Role', 'readers', 'loft-p-demo')],
  ],
  [
    'role readers in the namespace default',
    [ada, step('RoleBinding', 'b', 'default'), step('ClusterRole', 'readers')],
  ],
  ['role all everywhere', [ada, step('ClusterRoleBinding', 'all'), step('ClusterRole', 'all')]],
])('%s', (words, steps) => {
  expect(wayWords(steps, 'loft-p-', en)).toBe(words);
});
