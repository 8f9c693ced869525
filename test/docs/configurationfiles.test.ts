/** docs/reference/configuration-files.md: the server reads its examples, and what the tables say holds for them. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { Ajv } from 'ajv';
import { readOptions } from '../../cmd/apiserver/options/options.js';
import { parseYamlFile } from '../../pkg/apimachinery/encoding/yaml/yamlfile.js';
import { mapSchema, type JsonSchema } from '../../pkg/apimachinery/schema/jsonschema.js';
import { parsePolicy } from '../../pkg/audit/parsepolicy.js';
import { POLICY_SCHEMA } from '../../pkg/audit/policyschema.js';
import { parseTokenFile } from '../../pkg/authentication/tokenfile.js';
import { digest } from '../../pkg/authentication/bearer.js';
import { LOGIN_CONFIG } from '../../pkg/management/login/configschema.js';
import { parseLoginConfig } from '../../pkg/management/login/parseconfig.js';
import { WORKLOAD_CONFIG } from '../../pkg/management/login/workload/configschema.js';
import { parseWorkloadConfig } from '../../pkg/management/login/workload/parseconfig.js';
import { kmsProvidersOf } from '../../pkg/storage/encryption/configuration.js';
import { ENCRYPTION_CONFIGURATION } from '../../pkg/storage/encryption/configurationschema.js';
import { issueAuthority } from '../../pkg/pki/issue.js';
import { parseKeyFile } from '../../pkg/storage/encryption/keyfile.js';
import { parseTracingConfig, TRACING_CONFIG } from '../../pkg/tracing/config.js';
import { readPage } from './page.js';

const PAGE = readPage('docs/reference/configuration-files.md');
/** What a file that the example of a login names holds. */
const fileOf = (path: string): string => (path.endsWith('.pem') ? authority : 'secret');
let authority = '';
beforeAll(async () => void (authority = (await issueAuthority('provider')).certificate));
const KEYS = JSON.stringify({ keys: [{ kty: 'EC' }] });

/** The example of a flag. Throws where the page has none. */
function exampleOf(flag: string): string {
  const section = PAGE.split(/^## /m).find((text) => text.startsWith(`--${flag}\n`)) ?? '';
  const [, example] = /^```\w+\n([^]*?)^```$/m.exec(section) ?? [];
  if (example === undefined) throw new Error(`the page has no example of --${flag}`);
  return example;
}

/** How the server reads each file whose fields the page lists. */
const PARSERS: readonly (readonly [string, JsonSchema, (document: unknown) => unknown])[] = [
  ['login-config', LOGIN_CONFIG, (document) => parseLoginConfig(document, fileOf)],
  ['workload-identity-config', WORKLOAD_CONFIG, (document) => parseWorkloadConfig(document, () => KEYS)],
  ['tracing-config-file', TRACING_CONFIG, parseTracingConfig],
  ['audit-policy-file', POLICY_SCHEMA, parsePolicy],
  ['encryption-provider-config', ENCRYPTION_CONFIGURATION, kmsProvidersOf],
];

type Members = Record<string, unknown>;

/** An object of a file, with the schema that it has there. */
interface Part {
  readonly value: Members;
  readonly schema: JsonSchema;
}

/** All objects of a file that have a schema with fields, the whole first. */
function partsOf(value: unknown, schema: JsonSchema): Part[] {
  if (Array.isArray(value))
    return value.flatMap((one: unknown) => (schema.items === undefined ? [] : partsOf(one, schema.items)));
  if (schema.properties === undefined || typeof value !== 'object' || value === null) return [];
  const members = value as Members;
  const inner = Object.entries(schema.properties).flatMap(([name, field]) => partsOf(members[name], field));
  return [{ value: members, schema }, ...inner];
}

describe.each(PARSERS)('--%s', (flag, schema, parse) => {
  const read = (): unknown => parseYamlFile(exampleOf(flag));
  /** Each object of the example in turn, with the whole that it is a part of. */
  const each = (): { whole: unknown; part: Part }[] =>
    partsOf(read(), schema).map((_part, at) => {
      const whole = read();
      return { whole, part: partsOf(whole, schema)[at] as Part };
    });

  test('the example is read, and is as the table says', () => {
    expect(() => parse(read())).not.toThrow();
    const closed = mapSchema(schema, (one) =>
      one.properties === undefined ? one : { ...one, additionalProperties: false },
    );
    const judge = new Ajv({ strict: false, formats: { byte: true } }).compile(closed);
    expect([judge(read()), judge.errors]).toEqual([true, null]);
  });

  test('a field that is not in the table is refused, wherever it stands', () => {
    expect(each().length).toBeGreaterThan(0);
    for (const { whole, part } of each()) {
      part.value['misspelt'] = 'x';
      expect(() => parse(whole)).toThrow(/misspelt|it must have one provider/);
    }
  });

  test('a required field may not be left out', () => {
    for (const { whole, part } of each())
      for (const name of part.schema.required ?? []) {
        const { [name]: value } = part.value;
        delete part.value[name];
        expect([name, attempt(() => parse(whole))]).toEqual([name, 'refused']);
        part.value[name] = value;
      }
  });

  test('a field that is left out has its default', () => {
    for (const { whole, part } of each())
      for (const [name, field] of Object.entries(part.schema.properties ?? {})) {
        if (field.default === undefined) continue;
        part.value[name] = field.default;
        const given = parse(whole);
        delete part.value[name];
        expect([name, withoutAbsent(parse(whole))]).toEqual([name, withoutAbsent(given)]);
      }
  });
});

function attempt(parse: () => unknown): 'read' | 'refused' {
  try {
    parse();
    return 'read';
  } catch {
    return 'refused';
  }
}

/** A member that is absent, and one that is `false`, mean the same to who asks whether something is to be left out. */
const withoutAbsent = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (_name, one: unknown) => (one === false ? undefined : one)));

test('the example of a login on the page about it is read', () => {
  const page = readPage('docs/tokens-and-login.md');
  const [, yaml = ''] = /```yaml\n([^`]*kind: LoginConfiguration\n[^]*?)```/.exec(page) ?? [];
  expect(parseLoginConfig(parseYamlFile(yaml), fileOf)).toMatchObject({ groupsPrefix: 'oidc:' });
});

describe('--config', () => {
  function optionsOf(text: string): ReturnType<typeof readOptions> {
    const folder = mkdtempSync(join(tmpdir(), 'config-'));
    try {
      const path = join(folder, 'config.yaml');
      writeFileSync(path, text);
      return readOptions({ argv: ['--config', path], env: {}, write: () => undefined });
    } finally {
      rmSync(folder, { recursive: true });
    }
  }

  test('the example is read', () => {
    expect(optionsOf(exampleOf('config'))).toMatchObject({
      bindAddress: '0.0.0.0',
      securePort: 6443,
      loginConfig: '/etc/management-apiserver/login.yaml',
      etcdServers: ['https://etcd-0.example.com:2379', 'https://etcd-1.example.com:2379'],
      backupInterval: 6 * 3600 * 1000,
    });
  });

  test('an unknown key is refused, with the one that was meant', () => {
    const misspelt = exampleOf('config').replace('secure-port', 'secure-prot');
    expect(() => optionsOf(misspelt)).toThrow('secure-port');
  });
});

test('--encryption-key-file: the example has two keys', () => {
  expect(parseKeyFile(exampleOf('encryption-key-file'))).toHaveLength(2);
});

test('--token-auth-file: the example has two users', () => {
  const lookup = parseTokenFile(exampleOf('token-auth-file'));
  const userOf = (token: string): unknown => lookup(token, digest(token));
  expect(userOf('5b1f0c9d7e2a4860')).toMatchObject({ name: 'monitoring', groups: ['system:authenticated'] });
  expect(userOf('a94e6c1d03f7b258')).toMatchObject({
    name: 'ci',
    uid: '1002',
    groups: ['builders', 'readers', 'system:authenticated'],
  });
});
