/** The served OpenAPI documents, checked by other tools: a validator for both versions, and a client generator. */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Validator } from '@seriousme/openapi-schema-validator';
import { execute } from '../../fixtures/program.js';
import { fetchFrom, startServer, type ServerFixture } from '../../fixtures/servers/server.js';

const GENERATOR = fileURLToPath(
  new URL('../../../hack/tools/openapi-typescript/node_modules', import.meta.url),
);

interface Operation {
  readonly operationId?: string;
  readonly 'x-kubernetes-action'?: string;
  readonly 'x-kubernetes-group-version-kind'?: { readonly kind: string };
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

let server: ServerFixture;
const texts = new Map<string, string>();

beforeAll(async () => {
  server = await startServer();
  const index = JSON.parse(await read('/openapi/v3')) as {
    paths: Record<string, { serverRelativeURL: string }>;
  };
  for (const [name, { serverRelativeURL }] of Object.entries(index.paths)) {
    texts.set(name, await read(serverRelativeURL));
  }
});
afterAll(() => server.remove());

async function read(path: string): Promise<string> {
  const answer = await fetchFrom(server.url + path);
  expect(answer.status).toBe(200);
  return answer.text;
}

test('v2 and every v3 document are valid', async () => {
  expect([...texts.keys()]).toEqual(expect.arrayContaining(['api/v1', 'apis/management.svc.example/v1']));
  for (const text of [await read('/openapi/v2'), ...texts.values()]) {
    expect(await new Validator().validate(JSON.parse(text) as Record<string, unknown>)).toEqual({
      valid: true,
    });
  }
});

test('the document of the version describes what is answered there', async () => {
  const { paths, components } = JSON.parse(texts.get('version') ?? '{}') as Document & {
    components: { schemas: Record<string, { properties: object; required: string[] }> };
  };
  expect(Object.keys(paths)).toEqual(['/version/']);
  const { properties = {}, required = [] } = components.schemas['io.k8s.apimachinery.pkg.version.Info'] ?? {};
  const answered = Object.keys(JSON.parse(await read('/version')) as object);
  expect(answered.toSorted()).toEqual(Object.keys(properties));
  expect(answered).toEqual(expect.arrayContaining(required));
});

test('operations have ids of their own and tell generators their action and kind', async () => {
  const { paths } = JSON.parse(await read('/openapi/v2')) as Document;
  const operations = Object.values(paths).flatMap((path) =>
    Object.entries(path).flatMap(([method, operation]) => (method === 'parameters' ? [] : [operation])),
  );
  const ids = operations.map(({ operationId }) => operationId);
  expect(ids).not.toContain(undefined);
  expect(new Set(ids).size).toBe(ids.length);
  const actions = new Set(operations.flatMap((operation) => operation['x-kubernetes-action'] ?? []));
  expect([...actions].sort()).toEqual(
    expect.arrayContaining([
      'delete',
      'deletecollection',
      'get',
      'list',
      'patch',
      'post',
      'put',
      'watch',
      'watchlist',
    ]),
  );
});

describe.each(['/openapi/v2', '/openapi/v3/api/v1'])('ranges of %s', (path) => {
  const ask = (range: string, headers: Record<string, string> = {}) =>
    fetchFrom(server.url + path, { headers: { range, ...headers } });

  test.each([
    ['bytes=0-9', 0, 10],
    ['bytes=-5', -5, undefined],
    ['bytes=100-', 100, undefined],
  ])('%s', async (range, start, end) => {
    const whole = Buffer.from(await read(path));
    const { status, headers, text } = await ask(range, { 'accept-encoding': 'gzip' });
    expect(status).toBe(206);
    expect(text).toBe(whole.subarray(start, end).toString());
    expect(headers['content-range']).toMatch(new RegExp(`^bytes \\d+-\\d+/${whole.length}$`));
    const last = await ask(range, { 'if-range': String(headers.etag) });
    expect([last.status, (await ask(range, { 'if-range': '"x"' })).status]).toEqual([206, 200]);
  });

  test('several come as parts', async () => {
    const whole = await read(path);
    const { status, headers, text } = await ask('bytes=0-4,10-12');
    expect(status).toBe(206);
    const boundary =
      /^multipart\/byteranges; boundary=(.+)$/.exec(String(headers['content-type']))?.[1] ?? '';
    const bodies = text.split(`--${boundary}`).slice(1, -1);
    expect(bodies.map((part) => part.split('\r\n\r\n')[1]?.trimEnd())).toEqual([
      whole.slice(0, 5),
      whole.slice(10, 13),
    ]);
  });

  test.each([
    ['x', 'invalid range\n'],
    ['items=0-1', 'invalid range\n'],
    ['bytes=99999999-', 'invalid range: failed to overlap\n'],
  ])('%s is refused', async (range, why) => {
    const { status, text } = await ask(range);
    expect([status, text]).toEqual([416, why]);
  });

  test('that repeat the document are ignored', async () => {
    expect((await ask('bytes=0-,0-')).status).toBe(200);
  });
});

test.each(['v3.v1.0+protobuf', 'v3@v1.0+protobuf'])('a v3 document as %s', async (type) => {
  const accept = `application/com.github.proto-openapi.spec.${type}`;
  const { status, headers, text } = await fetchFrom(`${server.url}/openapi/v3/api/v1`, {
    headers: { accept },
  });
  expect(status).toBe(200);
  expect(headers['content-type']).toBe('application/com.github.proto-openapi.spec.v3.v1.0+protobuf');
  expect(text.startsWith('\n\x053.0.0')).toBe(true);
});

test('openapi-typescript makes a client that compiles', () => {
  if (!existsSync(GENERATOR)) throw new Error('openapi-typescript is not installed: run make test-tools');
  const files: string[] = [];
  for (const name of ['api/v1', 'apis/management.svc.example/v1']) {
    const text = texts.get(name) as string;
    const source = join(server.directory, `${name.replaceAll('/', '_')}.json`);
    writeFileSync(source, text);
    const target = source.replace(/json$/, 'ts');
    const command = join(GENERATOR, 'openapi-typescript', 'bin', 'cli.js');
    const { code, err } = execute(process.execPath, [command, source, '-o', target], {
      env: { NODE_OPTIONS: '' },
    });
    expect({ code, err: code === 0 ? '' : err }).toEqual({ code: 0, err: '' });
    files.push(target);
  }
  const user = join(server.directory, 'user.ts');
  writeFileSync(
    user,
    `import type { components, operations } from './apis_management.svc.example_v1.js';
type SharedSecret = NonNullable<
  operations['readManagementSvcExampleV1NamespacedSharedSecret']['responses'][200]['content']['application/json']
>;
export const name = (secret: SharedSecret): string | undefined => secret.metadata?.name;
export const data = (secret: SharedSecret): Record<string, string> | undefined => secret.spec?.data;
// @ts-expect-error a member that the schema does not have
export const wrong = (secret: SharedSecret): unknown => secret.spec?.nosuch;
export type Schemas = keyof components['schemas'];
`,
  );
  const compiler = join(GENERATOR, 'typescript', 'bin', 'tsc');
  const flags = ['--noEmit', '--strict', '--target', 'es2022', '--module', 'nodenext'];
  const { out } = execute(process.execPath, [compiler, ...flags, ...files, user], {
    env: { NODE_OPTIONS: '' },
  });
  expect(out).toBe('');
});
