import { expect, test } from '@jest/globals';
import { Project } from '../../../api/management.svc.example/v1/project.js';
import type { OwnedAccessKey } from '../../../api/management.svc.example/v1/ownedaccesskey.js';
import type { KubeObject } from '../../../api/resource.js';
import { MADE_BY_ANNOTATION } from './names.js';
import { accessSubjects } from './accesssubjects.js';

const PROJECT_KEY = 'management:project:web:key:ci';
const keyOf = (name: string, spec: object, madeBy = ''): OwnedAccessKey => ({
  kind: 'OwnedAccessKey',
  apiVersion: 'management.svc.example/v1',
  metadata: { name, annotations: { [MADE_BY_ANNOTATION]: madeBy } },
  spec,
});
const KEYS = new Map(
  [
    keyOf('annas', { user: 'anna' }),
    keyOf('anna', { user: 'anna' }),
    keyOf('bens', { user: 'ben' }),
    keyOf('ci', { project: 'web' }, 'anna'),
  ].map((key) => [key.metadata.name ?? '', key]),
);
const plugin = accessSubjects((name) => KEYS.get(name));

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

/** The warnings of a write by anna. */
async function written(next: Named, previous?: Named): Promise<string[]> {
  const warnings: string[] = [];
  const attributes = {
    definition: Project,
    operation: previous === undefined ? 'CREATE' : 'UPDATE',
    subresource: '',
    namespace: '',
    name: 'web',
    requester: { name: 'anna', uid: '', groups: [], extra: {} },
    dryRun: false,
    warn: (text: string) => void warnings.push(text),
  } as const;
  await plugin.validate?.(attributes, object(next), previous && object(previous));
  return warnings;
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
  ['everybody who is not authenticated', { users: ['ben', 'system:anonymous'] }, 'spec.access[0].users[1]'],
  ['the group of a team', { teams: ['management:team:ops'] }, 'name "ops"'],
  ['a group of the identity provider', { teams: ['oidc:devs'] }, 'no team has such a name'],
])('refuses %s', async (_what, next, text) => {
  await expect(written(next)).rejects.toMatchObject({ code: 422, message: expect.stringContaining(text) });
  // What is there already does not prevent other changes.
  expect(await written({ ...next, users: [...(next.users ?? []), 'zoe'] }, next)).toEqual([]);
});

test.each<[string, Named]>([
  ['people, teams and everybody', { users: ['ben', '*', 'oidc:ben'], teams: ['ops', '*'], members: ['*'] }],
  ['service accounts', { users: ['system:serviceaccount:ci:builder'] }],
  ['names of keys of others, of which nothing is told', { users: ['bens'] }],
  ['a user of the name of their key', { users: ['anna'] }],
])('takes %s', async (_what, next) => {
  expect(await written(next)).toEqual([]);
});

test('warns of the names of keys of the writer', async () => {
  expect(await written({ users: ['annas', 'ci'], teams: ['ci'] })).toEqual([
    'spec.access[0].users[0]: "annas" is also the name of an access key of "anna": name that user to give the right to the key',
    'spec.access[0].users[1]: "ci" is also the name of a key of project "web", which has its role there and nothing else',
  ]);
  expect(await written({ users: ['annas'] }, { users: ['annas'] })).toEqual([]);
});
