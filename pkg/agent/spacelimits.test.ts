import { expect, test } from '@jest/globals';
import { infoOf, isLasting } from './scopedrequest.js';
import { isWithinSpace } from './spacelimits.js';

const NS = '/api/v1/namespaces/own';

test.each<[string, string, boolean]>([
  ['GET', `${NS}/pods`, true],
  ['GET', `${NS}/pods?watch=true`, true],
  ['POST', `${NS}/pods/a/exec`, true],
  ['DELETE', `${NS}/secrets`, true],
  ['GET', '/apis/apps/v1/namespaces/own/deployments/a/scale', true],
  ['GET', NS, true],
  ['HEAD', NS, true],
  ['GET', '/', true],
  ['GET', '/version', true],
  ['GET', '/api', true],
  ['GET', '/api/v1', true],
  ['GET', '/apis/apps/v1', true],
  ['GET', '/openapi/v3/apis/apps/v1', true],
  ['POST', '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', true],
  ['POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', true],
  ['DELETE', NS, false],
  ['PATCH', NS, false],
  ['PUT', `${NS}/finalize`, false],
  ['GET', '/api/v1/namespaces', false],
  ['GET', '/api/v1/namespaces?fieldSelector=metadata.name=own', false],
  ['GET', '/api/v1/watch/namespaces/own', false],
  ['GET', '/api/v1/namespaces/other/pods', false],
  ['GET', '/api/v1/namespaces/own%20/pods', false],
  ['GET', '/api/v1/pods', false],
  ['GET', '/api/v1/watch/pods', false],
  ['GET', '/api/v1/watch/namespaces/other/pods', false],
  ['GET', '/api/v1/nodes/own/proxy/pods', false],
  ['POST', '/apis/authorization.k8s.io/v1/subjectaccessreviews', false],
  ['POST', '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews/x', false],
  ['POST', '/apis/authentication.k8s.io/v1/tokenreviews', false],
  ['POST', '/apis/other/v1/selfsubjectaccessreviews', false],
  ['GET', '/metrics', false],
  ['GET', '/logs/', false],
  ['GET', '/debug/pprof', false],
  ['POST', '/version', false],
])('%s %s within a space: %s', (method, url, within) => {
  const [path = '', query = ''] = url.split('?');
  expect(isWithinSpace(infoOf(method, path, query), 'own')).toBe(within);
});

test.each<[string, string, string, boolean]>([
  ['GET', '/api/v1/pods', 'watch=1', true],
  ['GET', '/api/v1/watch/pods', '', true],
  ['GET', `${NS}/pods/a/log`, 'follow=true', true],
  ['POST', `${NS}/pods/a/exec`, '', true],
  ['POST', `${NS}/pods/a/portforward`, '', true],
  ['GET', `${NS}/services/a/proxy/x/y`, '', true],
  ['GET', '/api/v1/pods', '', false],
  ['GET', `${NS}/configmaps/exec`, '', false],
  ['GET', '/openapi/v2', '', false],
])('%s %s?%s lasts: %s', (method, path, query, lasts) => {
  expect(isLasting(infoOf(method, path, query))).toBe(lasts);
});
