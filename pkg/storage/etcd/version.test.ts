import { expect, test } from '@jest/globals';
import { connect } from './client.js';
import { isNewEnough } from './version.js';

test.each([
  ['3.5.13', true],
  ['3.5.12', false],
  ['3.5.9', false],
  ['3.4.99', false],
  ['3.6.0-rc.1', true],
  ['4.0.0', true],
  ['v3.10.0', true],
  ['', false],
  ['unknown', false],
])('etcd %j is new enough: %s', (version, enough) => {
  expect(isNewEnough(version)).toBe(enough);
});

test.each([
  ['no endpoint', { endpoints: [] }],
  ['no scheme', { endpoints: ['localhost:2379'] }],
  ['a path', { endpoints: ['http://localhost:2379/v3'] }],
  ['a password', { endpoints: ['http://root:secret@localhost:2379'] }],
  ['mixed schemes', { endpoints: ['http://a:1', 'https://b:1'] }],
  ['a certificate without its key', { endpoints: ['https://a:1'], certFile: 'c.pem' }],
  ['certificates without TLS', { endpoints: ['http://a:1'], caFile: 'c.pem' }],
])('refuses options with %s', (_name, options) => {
  expect(() => connect({ prefix: '/', ...options })).toThrow(/etcd: /);
});
