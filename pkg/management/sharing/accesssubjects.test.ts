import { expect, test } from '@jest/globals';
import { Project } from '../../../api/management.svc.example/v1/project.js';
import type { KubeObject } from '../../../api/resource.js';
import { accessSubjects } from './accesssubjects.js';

const PROJECT_KEY = 'management:project:web:key:ci';
const plugin = accessSubjects();

interface Named {
  readonly users?: string[];
  readonly teams?: string[];
  readonly members?: string[];
  readonly extra?: string[];
}
const object = ({ users = [], teams = [], members = [], extra = [] }: Named): KubeObject => ({
  kind: 'Project',
  apiVersion: 'management.svc.example/v1',
  metadata: { name: 'web' },
  spec: {
    access: [{ verbs: ['get'], users, teams }],
    extraAccessRules: [{ clusterRole: 'view', users: extra }],
    members: members.map((name) => ({ kind: 'User', name, clusterRole: 'view' })),
  },
});

async function written(next: Named, previous?: Named): Promise<void> {
  const attributes = {
    definition: Project,
    operation: previous === undefined ? 'CREATE' : 'UPDATE',
    subresource: '',
    namespace: '',
    name: 'web',
    requester: { name: 'anna', uid: '', groups: [], extra: {} },
    dryRun: false,
  } as const;
  await plugin.validate?.(attributes, object(next), previous && object(previous));
}

test.each<[string, Named, string]>([
  ['a key of a project', { users: [PROJECT_KEY] }, 'give the key another role'],
  ['a key of a project as a member', { members: [PROJECT_KEY] }, 'spec.members[0].name'],
  [
    'a key of a project in a rule of an instance',
    { extra: [PROJECT_KEY] },
    'spec.extraAccessRules[0].users[0]',
  ],
  ['the group of a user', { users: ['management:user:anna'] }, 'name "anna"'],
  ['the group of a team as a user', { users: ['management:team:ops'] }, 'name the team "ops"'],
  ['another name of the server', { users: ['management:authenticated'] }, 'no user has such a name'],
  ['a group of Kubernetes', { users: ['system:authenticated'] }, 'spec.access[0].users[0]'],
  ['a group of service accounts', { users: ['ben', 'system:serviceaccounts:ci'] }, 'spec.access[0].users[1]'],
  ['the group of a team', { teams: ['management:team:ops'] }, 'name "ops"'],
  ['a group of the identity provider', { teams: ['oidc:devs'] }, 'no team has such a name'],
])('refuses %s', async (_what, next, text) => {
  await expect(written(next)).rejects.toMatchObject({ code: 422, message: expect.stringContaining(text) });
  // What is there already does not prevent other changes.
  await written({ ...next, users: [...(next.users ?? []), 'zoe'] }, next);
});

test.each<[string, Named]>([
  ['people, teams and everybody', { users: ['ben', '*', 'oidc:ben'], teams: ['ops', '*'], members: ['*'] }],
  ['service accounts', { users: ['system:serviceaccount:ci:builder'] }],
  ['users of a host', { users: ['system:admin'], members: ['system:kube-controller-manager'] }],
])('takes %s', async (_what, next) => {
  await expect(written(next)).resolves.toBeUndefined();
});
