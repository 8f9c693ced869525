import { expect, test } from '@jest/globals';
import type { RecordedEvent } from '../../audit/search/filter.js';
import { aboutOf } from './about.js';

const event = (verb: string, of: string, code: number): RecordedEvent => {
  const [resource = '', apiGroup] = of.split('/');
  return {
    kind: 'Event',
    verb,
    objectRef: { resource, ...(apiGroup !== undefined && { apiGroup }) },
    responseStatus: { code },
  };
};

test.each([
  ['Changes', event('create', 'sharedsecrets', 201), true],
  ['Changes', event('deletecollection', 'projects', 200), true],
  ['Changes', event('create', 'selfsubjectaccessreviews', 201), false],
  ['Changes', event('update', 'leases', 200), false],
  ['Changes', event('create', 'grouprulereviews', 201), false],
  [
    'Changes',
    { ...event('create', 'projects', 201), requestURI: '/apis/x?fieldManager=y&dryRun=All' },
    false,
  ],
  ['Changes', { ...event('create', 'projects', 201), requestURI: '/apis/x?fieldManager=y' }, true],
  ['Changes', event('create', 'sharedsecrets', 403), false],
  ['Changes', event('get', 'sharedsecrets/management.svc.example', 200), false],
  ['Changes', { kind: 'Event', verb: 'create', objectRef: { resource: 'projects' } }, false],
  ['SecretReads', event('watch', 'projectsecrets/management.svc.example', 200), true],
  [
    'SecretReads',
    {
      ...event('list', 'secrets', 200),
      annotations: { 'management.svc.example/without-values': 'true' },
    },
    false,
  ],
  ['SecretReads', { ...event('list', 'secrets', 200), annotations: { other: 'true' } }, true],
  ['SecretReads', { ...event('list', 'secrets', 200), annotations: null }, true],
  ['SecretReads', event('get', 'sharedsecrets/management.svc.example', 404), false],
  ['SecretReads', event('get', 'secrets', 200), true],
  ['SecretReads', event('get', 'secrets/other.example', 200), false],
  ['SecretReads', event('get', 'configmaps', 200), false],
  ['SecretReads', event('patch', 'secrets', 200), false],
  ['Refused', event('get', 'sharedsecrets/management.svc.example', 403), true],
  ['Refused', event('create', 'tokenreviews', 401), true],
  [
    'Refused',
    { ...event('list', 'clusters', 403), annotations: { 'management.svc.example/sees-none': 'true' } },
    false,
  ],
  ['Refused', event('get', 'sharedsecrets/management.svc.example', 409), false],
] as const)('%s: %j is %s', (about, one, is) => {
  expect(aboutOf(about)?.(one)).toBe(is);
});

test('without a question every event counts, and an event of others is no fault', () => {
  expect(aboutOf(undefined)).toBeUndefined();
  expect(aboutOf('Changes')?.({ kind: 'Event', objectRef: null })).toBe(false);
});
