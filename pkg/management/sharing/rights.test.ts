import { expect, test } from '@jest/globals';
import { SharedSecret } from '../../../api/management.svc.example/v1/sharedsecret.js';
import { rightsOf } from './rights.js';

test('keys of projects get nothing by their names, which other keys may have later', () => {
  const user = 'management:project:web:key:ci';
  const subjects = (spec: object): string[] =>
    rightsOf(SharedSecret, { kind: '', apiVersion: '', metadata: {}, spec }).flatMap(({ users }) => users);
  expect(subjects({ owner: { user }, access: [{ verbs: ['get'], users: [user, 'ben'] }] })).toEqual(['ben']);
  expect(subjects({ owner: { user: 'anna' } })).toEqual(['anna']);
});
