import { describe, expect, test } from '@jest/globals';
import { requestHeaders, responseHeaders } from './forwardedheaders.js';
import { framingHeaders, framingOf } from './framing.js';
import { identityHeaders } from './impersonation.js';

/** A message with these headers, as Node represents it. */
function message(...rawHeaders: string[]): { rawHeaders: string[]; headers: Record<string, string> } {
  const headers: Record<string, string> = {};
  for (let at = 0; at < rawHeaders.length; at += 2)
    headers[(rawHeaders[at] as string).toLowerCase()] = rawHeaders[at + 1] as string;
  return { rawHeaders, headers };
}

describe('headers of requests', () => {
  test('does not forward hop-by-hop headers and identity headers', () => {
    const dropped = [
      'Connection',
      'keep-alive, X-Own',
      'X-Own',
      '1',
      'Keep-Alive',
      '1',
      'Proxy-Connection',
      '1',
      'Proxy-Authorization',
      '1',
      'TE',
      'trailers',
      'Trailer',
      'x',
      'Transfer-Encoding',
      'chunked',
      'Upgrade',
      'x',
      'HTTP2-Settings',
      'x',
      'Authorization',
      'Bearer x',
      'AUTHORIZATION',
      'y',
      'Host',
      'x',
      ':authority',
      'x',
      ':path',
      '/',
      'Content-Length',
      '1',
      'Expect',
      '100-continue',
      'X-Remote-User',
      'admin',
      'x-remote-group',
      'system:masters',
      'X-Remote-Extra-Scopes',
      'x',
      'X-Forwarded-For',
      '1.2.3.4',
      'X-Forwarded-Uri',
      '/',
      'Forwarded',
      'for=1',
      'X-Real-Ip',
      '1',
    ];
    const kept = [
      'Accept',
      'application/json',
      'Content-Type',
      'a/b',
      'User-Agent',
      'kubectl',
      'Cookie',
      'a=1',
    ];
    expect(requestHeaders(message(...dropped, ...kept))).toEqual(kept);
  });

  test.each([
    'Impersonate-User',
    'impersonate-group',
    'IMPERSONATE-EXTRA-scopes',
    'Impersonate-Uid',
    'Impersonate-',
  ])('refuses %s from clients', (name) => {
    expect(() => requestHeaders(message('Accept', '*/*', name, 'admin'))).toThrow(
      expect.objectContaining({ code: 403 }),
    );
  });

  test.each(['content-type', 'keep-alive, Accept', 'Sec-WebSocket-Protocol'])(
    'refuses a Connection header that names %s',
    (value) => {
      expect(() => requestHeaders(message('Connection', value))).toThrow(
        expect.objectContaining({ code: 400 }),
      );
    },
  );

  test('refuses as many headers as Node truncates at', () => {
    const many = Array.from({ length: 1_500 }, (_, at) => [`X-${at}`, '1']).flat();
    expect(() => requestHeaders(message(...many))).toThrow(expect.objectContaining({ code: 400 }));
  });

  test('drops the token from the protocols of a WebSocket', () => {
    const offered = 'v5.channel.k8s.io, base64url.bearer.authorization.k8s.io.Zm9v';
    expect(requestHeaders(message('Sec-WebSocket-Protocol', offered))).toEqual([
      'Sec-WebSocket-Protocol',
      'v5.channel.k8s.io',
    ]);
  });
});

test('response headers keep redirects below the path, and repeated headers', () => {
  const answer = message(
    'Location',
    '/api/x/',
    'Connection',
    'close',
    'Transfer-Encoding',
    'chunked',
    'Audit-Id',
    'a',
    'Warning',
    'one',
    'Warning',
    'two',
  );
  expect(responseHeaders(answer, { prefix: '/kubernetes/cluster' })).toEqual({
    location: '/kubernetes/cluster/api/x/',
    'audit-id': 'a',
    warning: ['one', 'two'],
  });
  expect(responseHeaders(message('Location', '//other/x'), { prefix: '/p' })).toEqual({
    location: '//other/x',
  });
});

describe('message framing', () => {
  const one = (headers: Record<string, string>, httpVersionMajor = 1) =>
    framingOf({ headers, httpVersionMajor });
  test.each<[Record<string, string>, object]>([
    [{}, { body: 'none' }],
    [{ 'content-length': '0' }, { body: 'none' }],
    [{ 'content-length': '12' }, { body: 'sized', length: '12' }],
    [{ 'transfer-encoding': 'chunked' }, { body: 'chunked' }],
  ])('%j', (headers, expected) => {
    expect(one(headers)).toEqual(expected);
  });
  test.each<Record<string, string>>([
    { 'content-length': '1', 'transfer-encoding': 'chunked' },
    { 'transfer-encoding': 'gzip, chunked' },
    { 'transfer-encoding': 'chunked, identity' },
    { 'transfer-encoding': 'xchunked' },
    { 'content-length': '+1' },
    { 'content-length': '1, 1' },
    { 'content-length': '0x1' },
    { 'content-length': '-1' },
  ])('refuses %j', (headers) => {
    expect(() => one(headers)).toThrow(expect.objectContaining({ code: 400 }));
  });
  test('is chunked over HTTP/2', () => {
    const stream = { endAfterHeaders: false };
    expect(framingOf({ headers: {}, httpVersionMajor: 2, stream })).toEqual({ body: 'chunked' });
    expect(() => one({ 'transfer-encoding': 'chunked' }, 2)).toThrow(expect.objectContaining({ code: 400 }));
  });
  test('sends Content-Length 0 for a POST without a body', () => {
    expect(framingHeaders({ body: 'none' }, 'POST')).toEqual(['Content-Length', '0']);
    expect(framingHeaders({ body: 'none' }, 'GET')).toEqual([]);
  });
});

describe('impersonation headers for the API server', () => {
  const user = {
    name: 'anna',
    uid: 'u1',
    groups: ['management:user:anna', 'system:authenticated'],
    extra: {},
  };
  test('have prefixed names, and no system groups of the cluster', () => {
    const extra = {
      'authentication.kubernetes.io/credential-id': ['JTI=1'],
      'management.svc.example/scope': ['{"a":"é"}'],
    };
    expect(
      identityHeaders({ ...user, groups: [...user.groups, 'system:masters'], extra }, 'management:'),
    ).toEqual([
      'Impersonate-User',
      'management:anna',
      'Impersonate-Uid',
      'u1',
      'Impersonate-Group',
      'management:management:user:anna',
      'Impersonate-Extra-authentication.kubernetes.io%2Fcredential-id',
      'JTI=1',
      'Impersonate-Extra-management.svc.example%2Fscope',
      '{"a":"\u00c3\u00a9"}',
    ]);
  });
  test.each([
    { name: 'a\r\nImpersonate-User: b' },
    { name: 'anna ' },
    { name: '' },
    { groups: ['x\u0000'] },
    { groups: ['ops '] },
  ])('refuse %j', (wrong) => {
    expect(() => identityHeaders({ ...user, ...wrong }, 'management:')).toThrow(
      expect.objectContaining({ code: 403 }),
    );
  });
});
