import { beforeAll, expect, test } from '@jest/globals';
import { makeAuthority, type Identity } from '../../../test/fixtures/clients/clientcertificates.js';
import { readConfigMap } from './configmap.js';

let proxies: Identity;
let people: Identity;
beforeAll(async () => {
  [proxies, people] = await Promise.all([makeAuthority('proxies'), makeAuthority('people')]);
});

/** The ConfigMap as kube-apiserver writes it. */
const whole = (): Record<string, unknown> => ({
  'client-ca-file': people.certificate,
  'requestheader-client-ca-file': proxies.certificate,
  'requestheader-allowed-names': '["front-proxy-client"]',
  'requestheader-username-headers': '["X-Remote-User"]',
  'requestheader-uid-headers': '["X-Remote-Uid"]',
  'requestheader-group-headers': '["X-Remote-Group"]',
  'requestheader-extra-headers-prefix': '["X-Remote-Extra-"]',
});
const configMap = (data: unknown): object => ({ kind: 'ConfigMap', data });

test('has the trusted authorities', () => {
  const { clients, proxy } = readConfigMap(configMap(whole()));
  expect(clients?.pem).toBe(people.certificate);
  expect(proxy).toMatchObject({
    authorities: { pem: proxies.certificate },
    allowedNames: ['front-proxy-client'],
    usernameHeaders: ['x-remote-user'],
    uidHeaders: ['x-remote-uid'],
    groupHeaders: ['x-remote-group'],
    extraHeaderPrefixes: ['x-remote-extra-'],
  });
});

test('may have one half alone, and no uid headers in older releases', () => {
  const { 'client-ca-file': ca, 'requestheader-uid-headers': _uid, ...rest } = whole();
  expect(readConfigMap(configMap({ 'client-ca-file': ca }))).toMatchObject({ proxy: undefined });
  expect(readConfigMap(configMap(rest))).toMatchObject({ clients: undefined, proxy: { uidHeaders: [] } });
  expect(readConfigMap(configMap(undefined))).toEqual({ clients: undefined, proxy: undefined });
});

test.each<[string, Record<string, unknown>, string]>([
  ['no certificate', { 'client-ca-file': 'x' }, 'client-ca-file: it holds no PEM certificate'],
  ['half a certificate', { 'requestheader-client-ca-file': '-----BEGIN CERTIFICATE-----' }, 'cut short'],
  ['no JSON', { 'requestheader-allowed-names': 'front-proxy-client' }, 'requestheader-allowed-names is not'],
  ['another JSON', { 'requestheader-group-headers': '{"a":1}' }, 'requestheader-group-headers is not'],
  ['a list of others', { 'requestheader-group-headers': '[1]' }, 'requestheader-group-headers is not'],
  ['an empty name', { 'requestheader-allowed-names': '[""]' }, 'has an empty name'],
  ['no header', { 'requestheader-username-headers': '[]' }, 'names no header'],
  [
    'an invalid header name',
    { 'requestheader-username-headers': '["a b"]' },
    '"a b" is not the name of a header',
  ],
  ['an empty prefix', { 'requestheader-extra-headers-prefix': '[""]' }, '"" is not the name of a header'],
  ['no text', { 'client-ca-file': 1 }, 'its data are not texts'],
])('%s is refused', (_name, change, message) => {
  expect(() => readConfigMap(configMap({ ...whole(), ...change }))).toThrow(message);
});

test.each([[undefined], [null], ['x'], [{ kind: 'Status' }], [{ kind: 'ConfigMap', data: [] }]])(
  '%j is not a ConfigMap',
  (object) => expect(() => readConfigMap(object)).toThrow(),
);
