import { expect, test } from '@jest/globals';
import { Secret } from '../../../../api/core/v1/secret.js';
import { compileSchema } from '../../../apimachinery/schema/compile.js';
import { secretStrategy } from './strategy.js';

const schema = compileSchema(Secret);
const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** Decodes a secret like that of a request body. */
function decoded(members: object, annotations: Record<string, string> = {}): Secret {
  const object: Secret = {
    kind: 'Secret',
    apiVersion: 'v1',
    metadata: { name: 's', annotations },
    ...members,
  };
  schema.prune(object);
  secretStrategy.applyDefaults?.(object);
  return object;
}

const findings = (object: Secret): string[] =>
  (secretStrategy.validate?.(object) ?? []).map(({ path, body }) => `${path}: ${body}`);

test('merges stringData over data, and defaults the type to Opaque', () => {
  const { metadata: _, ...rest } = decoded({
    stringData: { a: 'ü', b: '' },
    data: { a: base64('old'), c: '' },
  });
  expect(rest).toEqual({
    kind: 'Secret',
    apiVersion: 'v1',
    data: { a: base64('ü'), b: '', c: '' },
    type: 'Opaque',
  });
});

const TOKEN = 'kubernetes.io/service-account-token';
test.each<[string, object, Record<string, string>, string[]]>([
  ['of another type', { type: 'example.com/t', data: { x: '' } }, {}, []],
  ['with a bad key', { data: { '..': '' } }, {}, ['data[..]: Invalid value: "..": must not be \'..\'']],
  [
    'of a service account, without its name',
    { type: TOKEN },
    {},
    ['metadata.annotations[kubernetes.io/service-account.name]: Required value'],
  ],
  ['of a service account', { type: TOKEN }, { 'kubernetes.io/service-account.name': 'a' }, []],
  [
    'for docker without an entry',
    { type: 'kubernetes.io/dockerconfigjson' },
    {},
    ['data[.dockerconfigjson]: Required value'],
  ],
  [
    'for docker with invalid JSON',
    { type: 'kubernetes.io/dockercfg', stringData: { '.dockercfg': '' } },
    {},
    ['data[.dockercfg]: Invalid value: "<secret contents redacted>": unexpected end of JSON input'],
  ],
  [
    'for docker with a list',
    { type: 'kubernetes.io/dockercfg', stringData: { '.dockercfg': '[]' } },
    {},
    [
      'data[.dockercfg]: Invalid value: "<secret contents redacted>": json: cannot unmarshal array into Go value of type map[string]interface {}',
    ],
  ],
  ['for docker', { type: 'kubernetes.io/dockercfg', stringData: { '.dockercfg': '{}' } }, {}, []],
  [
    'with neither user nor password',
    { type: 'kubernetes.io/basic-auth' },
    {},
    ['data[username]: Required value', 'data[password]: Required value'],
  ],
  ['with a password alone', { type: 'kubernetes.io/basic-auth', stringData: { password: '' } }, {}, []],
  [
    'with an empty SSH key',
    { type: 'kubernetes.io/ssh-auth', data: { 'ssh-privatekey': '' } },
    {},
    ['data[ssh-privatekey]: Required value'],
  ],
  [
    'with a certificate without its key',
    { type: 'kubernetes.io/tls', data: { 'tls.crt': '' } },
    {},
    ['data[tls.key]: Required value'],
  ],
  ['of 1 MiB', { data: { x: Buffer.alloc(1 << 20).toString('base64') } }, {}, []],
  [
    'of more than 1 MiB',
    { data: { x: Buffer.alloc(1 << 20).toString('base64'), y: 'eA==' } },
    {},
    ['data: Too long: may not be more than 1048576 bytes'],
  ],
])('a secret %s', (_name, members, annotations, expected) => {
  expect(findings(decoded(members, annotations))).toEqual(expected);
});

test.each<[string, object, object, string[]]>([
  ['labels', { immutable: true }, { immutable: true }, []],
  ['its type', { type: 'a' }, { type: 'b' }, ['type: Invalid value: "b": field is immutable']],
  ['data', { data: { a: '' } }, { data: { b: '' } }, []],
  [
    'immutable data',
    { immutable: true, data: { a: '' } },
    { data: { b: '' } },
    [
      'immutable: Forbidden: field is immutable when `immutable` is set',
      'data: Forbidden: field is immutable when `immutable` is set',
    ],
  ],
])('a change of %s', (_name, before, after, expected) => {
  const errors = secretStrategy.validateUpdate?.(decoded(after), decoded(before)) ?? [];
  expect(errors.map(({ path, body }) => `${path}: ${body}`)).toEqual(expected);
});

test('prints the number of entries, and no value', () => {
  const object = decoded({ stringData: { a: 'hidden', b: 'hidden' } });
  const cells = (secretStrategy.columns ?? []).map((column) => column.cell(object, 0));
  expect(cells).toEqual(['Opaque', 2, '<unknown>']);
});
