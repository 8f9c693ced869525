import { expect, test } from '@jest/globals';
import { missingRight } from './denied.js';

const GROUP = 'in API group "management.svc.example"';
const ask = (command: string): string =>
  `ask an administrator, or whoever "platform who-can ${command}" shows`;

test.each([
  [
    `projects.management.svc.example is forbidden: User "kim" cannot list resource "projects" ${GROUP} at the cluster scope`,
    '"kim" may not list projects',
    ask('list project'),
  ],
  [
    `sharedsecrets.management.svc.example is forbidden: User "kim" cannot list resource "sharedsecrets" ${GROUP} in the namespace "default"`,
    '"kim" may not list secrets in namespace "default"',
    ask('list secret --namespace default'),
  ],
  [
    `sharedsecrets.management.svc.example is forbidden: User "kim" cannot list resource "sharedsecrets" ${GROUP} at the cluster scope`,
    '"kim" may not list secrets in all namespaces',
    ask('list secret'),
  ],
  [
    `projectsecrets.management.svc.example "db" is forbidden: User "kim" cannot patch resource "projectsecrets" ${GROUP} in the namespace "loft-p-web"`,
    '"kim" may not patch secret "db" of project "web"',
    ask('patch secret db --project web'),
  ],
  [
    `projectsecrets.management.svc.example "db" is forbidden: User "kim" cannot get resource "projectsecrets" ${GROUP} in the namespace "other-web"`,
    '"kim" may not get secret "db" in namespace "other-web"',
    ask('get projectsecrets db --namespace other-web'),
  ],
  [
    `projects.management.svc.example "web" is forbidden: User "kim" cannot update resource "projects/members" ${GROUP} at the cluster scope`,
    '"kim" may not update project/members "web"',
    ask('update project/members web'),
  ],
  [
    'secrets "db" is forbidden: User "kim" cannot get resource "secrets" in API group "" in the namespace "n"',
    '"kim" may not get secrets "db" in namespace "n"',
    ask('get secrets. db --namespace n'),
  ],
])('%s', (message, said, advice) => {
  expect(missingRight(message)).toEqual({ said, advice });
});

test('a reason stays, and is the advice', () => {
  const message = `users.management.svc.example is forbidden: User "kim" cannot list resource "users" ${GROUP} at the cluster scope: denied by access key scope`;
  expect(missingRight(message)).toEqual({
    said: '"kim" may not list users: denied by access key scope',
    advice: undefined,
  });
});

test.each([
  'projects "web" is forbidden: exceeded quota',
  'forbidden: User "kim" cannot get path "/metrics"',
  '',
])('%j is another error', (message) => {
  expect(missingRight(message)).toBeUndefined();
});
