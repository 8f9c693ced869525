import { expect, test } from '@jest/globals';
import { servedUrl, type Exchange } from '../../server/httpexchange.js';
import { markingSessions } from './sessionrequests.js';

/** The path that is served, and whether it is authenticated by the session. */
function asked(url: string): [string, boolean] {
  const request = { url, method: 'GET', headers: { cookie: '__Host-console=c' } };
  const exchange = { request, response: { setHeader: () => undefined } } as unknown as Exchange;
  expect(markingSessions(exchange)).toBe(false);
  return [servedUrl(exchange), exchange.session !== undefined];
}

test.each([
  ['/console/api/apis/g/v1/things?watch=1', '/apis/g/v1/things?watch=1', true],
  ['/console/api/api/v1/namespaces', '/api/v1/namespaces', true],
  ['/console/api/version', '/version', true],
  ['/console/api/openapi/v3', '/openapi/v3', true],
  // Not a path of the API: the prefix stays, and nothing is served there.
  ['/console/api/metrics', '/console/api/metrics', true],
  ['/console/api/auth/login', '/console/api/auth/login', true],
  ['/console/api/console/session', '/console/api/console/session', true],
  ['/console/api/apisx', '/console/api/apisx', true],
  ['/console/api//apis', '/console/api//apis', true],
  // A cookie is ignored at other paths.
  ['/apis/g/v1/things', '/apis/g/v1/things', false],
  ['/console/session', '/console/session', false],
  ['/console/api', '/console/api', false],
  ['/console/apis/g', '/console/apis/g', false],
  ['/Console/api/apis/g', '/Console/api/apis/g', false],
  ['/kubernetes/management/console/api/apis/g', '/kubernetes/management/console/api/apis/g', false],
])('%s is answered as %s', (url, path, isSession) => {
  expect(asked(url)).toEqual([path, isSession]);
});
