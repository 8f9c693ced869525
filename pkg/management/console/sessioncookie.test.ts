import type { IncomingMessage } from 'node:http';
import { describe, expect, test } from '@jest/globals';
import { isCrossSite, keepSession, sessionCookie, sessionCredentials } from './sessioncookie.js';

const host = 'console.example:6443';
const origin = `https://${host}`;

describe('a request of the console', () => {
  test.each([
    [
      'of a script of this origin',
      { host, origin, 'sec-fetch-site': 'same-origin', 'sec-fetch-dest': 'empty' },
    ],
    [
      'a GET of a script, which has no Origin',
      { host, 'sec-fetch-site': 'same-origin', 'sec-fetch-dest': 'empty' },
    ],
    ['over HTTP/2', { ':authority': host, origin, 'sec-fetch-site': 'same-origin' }],
    ['behind a proxy that names another host', { host: 'service', origin, 'sec-fetch-site': 'same-origin' }],
    ['of something that is no browser', { host }],
  ])('is accepted: %s', (_what, headers) => {
    expect(isCrossSite(headers)).toBe(false);
  });

  test.each([
    ['of another site', { host, 'sec-fetch-site': 'cross-site' }],
    ['of a sibling host', { host, 'sec-fetch-site': 'same-site' }],
    ['typed into the address bar', { host, 'sec-fetch-site': 'none' }],
    ['a navigation', { host, 'sec-fetch-site': 'same-origin', 'sec-fetch-dest': 'document' }],
    ['a frame', { host, 'sec-fetch-site': 'same-origin', 'sec-fetch-dest': 'iframe' }],
    ['a script element', { host, 'sec-fetch-site': 'same-origin', 'sec-fetch-dest': 'script' }],
    ['of an old browser on another site', { host, origin: 'https://evil.example' }],
    ['of a sandboxed frame or a file', { host, origin: 'null' }],
    ['of another port', { host, origin: 'https://console.example' }],
    ['without TLS', { host, origin: `http://${host}` }],
    ['of a host that begins alike', { host, origin: `${origin}.evil.example` }],
    ['with no host to compare with', { origin }],
  ])('is refused: %s', (_what, headers) => {
    expect(isCrossSite(headers)).toBe(true);
  });
});

test.each([
  ['__Host-console=a', 'a'],
  ['x=1; __Host-console=a.b-c_d; y=2', 'a.b-c_d'],
  ['__Host-console=a; __Host-console=b', undefined],
  ['__host-console=a', undefined],
  ['console=a', undefined],
  ['x__Host-console=a', undefined],
  ['__Host-consolex=a', undefined],
  ['', undefined],
  [undefined, undefined],
])('the session of the cookies %j is %j', (cookie, expected) => {
  expect(sessionCookie({ cookie })).toBe(expected);
});

test.each([
  ['GET', false],
  ['HEAD', false],
  ['POST', true],
  ['PUT', true],
  ['PATCH', true],
  ['DELETE', true],
  ['OPTIONS', true],
  ['get', true],
])('%s writes: %j', (method, writes) => {
  const request = { method, headers: { host } } as unknown as IncomingMessage;
  expect(sessionCredentials(request, false).writes).toBe(writes);
});

test('the cookie is hidden from scripts, other hosts, plain HTTP and other sites', () => {
  const text = keepSession('c', 3600.7);
  expect(text).toBe('__Host-console=c; Max-Age=3600; Path=/; Secure; HttpOnly; SameSite=Strict');
});
