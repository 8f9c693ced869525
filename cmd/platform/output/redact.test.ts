import { expect, test } from '@jest/globals';
import { redacted, secretsOf } from './redact.js';

const PEM = '-----BEGIN EC PRIVATE KEY-----\nAAAA\n-----END EC PRIVATE KEY-----\n';

test.each([
  ['a URL', 'get https://user:password@host/x failed', 'get https://host/x failed'],
  ['a password with a sign that ends it', 'get https://u:p@ss@host/x', 'get https://host/x'],
  ['a short header', 'authorization: Basic dTpw', 'authorization: Basic [redacted]'],
  ['a header in JSON', '{"Authorization":"Basic dTpw"}', '{"Authorization":"Basic [redacted]"}'],
  ['a header', 'sent Authorization: Bearer abc.def-ghi.0123456', 'sent Authorization: Bearer [redacted]'],
  ['a token', 'id_token=eyJhbGci.eyJzdWIi.c2ln is old', 'id_token=[redacted] is old'],
  ['a private key', `x ${PEM}y`, 'x [redacted]\ny'],
  ['a private key that was cut off', 'x -----BEGIN PRIVATE KEY-----\nAA', 'x [redacted]'],
  [
    'one in JSON',
    '{"a":"{\\"b\\":\\"-----BEGIN PRIVATE KEY-----A\\"}"}',
    '{"a":"{\\"b\\":\\"[redacted]\\"}"}',
  ],
  ['nothing', 'Bearer authentication, basic checks', 'Bearer authentication, basic checks'],
])('redacts %s', (_what, text, expected) => {
  expect(redacted(text, [])).toBe(expected);
});

test('redacts the secrets of the connection and of the environment, also in JSON', () => {
  const connection = { token: 'opaque-token', auth: 'ann:pass"word', key: PEM };
  const secrets = secretsOf(connection, { PLATFORM_ACCESS_KEY: 'key-of-env', PLATFORM_URL: 'https://host' });
  const text = JSON.stringify({ found: ['opaque-token', 'pass"word', PEM, 'key-of-env', 'https://host'] });
  const expected = ['[redacted]', '[redacted]', '[redacted]', '[redacted]', 'https://host'];
  expect(JSON.parse(redacted(text, secrets))).toEqual({ found: expected });
});

test('redacts a name and a password as a header has them', () => {
  const secrets = secretsOf({ auth: 'ann:password' }, {});
  expect(redacted('sent YW5uOnBhc3N3b3Jk', secrets)).toBe('sent [redacted]');
});

test.each(['-eyJ', '-eyJ.', '//', '//@', 'Bearer ', '-----BEGIN ', '-----BEGIN PRIVATE KEY-----'])(
  'is done with much of %j, which a server chooses',
  (part) => {
    expect(redacted(part.repeat(200_000), []).length).toBeGreaterThan(0);
  },
);

test('does not take short texts for secrets', () => {
  expect(redacted('a test of abc', ['abc'])).toBe('a test of abc');
});
