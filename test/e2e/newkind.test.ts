/** Adding a kind takes two files: one below api/, and kind.ts in a folder of its own below pkg/registry/. */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { findProgram } from '../fixtures/etcd.js';
import { fetchFrom, startServer } from '../fixtures/server.js';
import type { Answer, ServerFixture } from '../fixtures/server.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

interface NewKind {
  readonly group: string;
  /** The folder below pkg/registry. */
  readonly folder: string;
  readonly kind: string;
}
const KINDS: readonly NewKind[] = [
  { group: 'management.svc.example', folder: 'management', kind: 'Widget' },
  { group: 'shapes.example', folder: 'shapes', kind: 'Circle' },
];

function sourcesOf({ group, folder, kind }: NewKind): Record<string, string> {
  const name = kind.toLowerCase();
  return {
    [`api/${group}/v1/${name}.ts`]: `
      import { Type } from 'typebox';
      import { defineResource } from '../../resource.js';

      export const ${kind} = defineResource({
        group: '${group}',
        version: 'v1',
        kind: '${kind}',
        plural: '${name}s',
        shortNames: ['${name.slice(0, 2)}'],
        namespaced: true,
        description: '${kind} came with two files.',
        schema: Type.Object({
          spec: Type.Optional(
            Type.Object(
              { size: Type.Optional(Type.Integer({ minimum: 1, default: 3, description: 'How large it is.' })) },
              { default: {}, description: 'What is wanted.' },
            ),
          ),
        }),
      });`,
    [`pkg/registry/${folder}/${name}/kind.ts`]: `
      import { ${kind} } from '../../../../api/${group}/v1/${name}.js';
      import type { Registration } from '../../registry.js';

      export const kind: Registration = { definition: ${kind} };`,
  };
}

let directory: string;
let server: ServerFixture;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'new-kind-'));
  for (const name of ['api', 'cmd', 'pkg', 'package.json', 'tsconfig.json', 'tsconfig.build.json']) {
    cpSync(join(ROOT, name), join(directory, name), { recursive: true });
  }
  symlinkSync(join(ROOT, 'node_modules'), join(directory, 'node_modules'));
  for (const [path, text] of KINDS.flatMap((kind) => Object.entries(sourcesOf(kind)))) {
    mkdirSync(join(directory, dirname(path)), { recursive: true });
    writeFileSync(join(directory, path), text);
  }
  const compiler = join(ROOT, 'node_modules', '.bin', 'tsc');
  const done = spawnSync(compiler, ['-p', 'tsconfig.build.json'], { cwd: directory, encoding: 'utf8' });
  if (done.status !== 0) throw new Error(`it does not compile: ${done.stdout}${done.stderr}`);
  server = await startServer({ dist: join(directory, 'dist') });
}, 120_000);
afterAll(async () => {
  await server?.remove();
  rmSync(directory, { recursive: true, force: true });
});

describe.each(KINDS)('$kind of $group', ({ group, kind }) => {
  const plural = `${kind.toLowerCase()}s`;
  const collection = `/apis/${group}/v1/namespaces/default/${plural}`;
  const send = (method: string, path: string, body?: object): Promise<Answer> =>
    fetchFrom(server.url + path, {
      method,
      ...(body !== undefined && {
        body: JSON.stringify(body),
        headers: { 'content-type': 'application/json' },
      }),
    });

  test('is in discovery and in the OpenAPI documents', async () => {
    expect((await send('GET', '/apis')).text).toContain(`"groupVersion":"${group}/v1"`);
    expect((await send('GET', `/apis/${group}/v1`)).text).toContain(`"kind":"${kind}"`);
    expect((await send('GET', `/openapi/v3/apis/${group}/v1`)).text).toContain(
      `${kind} came with two files.`,
    );
    expect((await send('GET', '/openapi/v2')).text).toContain(`${kind} came with two files.`);
  });

  test('is created with its defaults, validated, read and listed', async () => {
    const head = { apiVersion: `${group}/v1`, kind };
    const created = await send('POST', collection, { ...head, metadata: { name: 'one' } });
    expect(created.status).toBe(201);
    const bad = { ...head, metadata: { name: 'bad' }, spec: { size: 0 } };
    expect(await send('POST', collection, bad)).toMatchObject({ status: 422 });
    const read = await send('GET', `${collection}/one`);
    expect(JSON.parse(read.text)).toMatchObject({ ...head, spec: { size: 3 }, metadata: { generation: 1 } });
    expect(JSON.parse((await send('GET', collection)).text)).toMatchObject({
      kind: `${kind}List`,
      items: [{ metadata: { name: 'one' } }],
    });
  });

  const kubectlTest = findProgram('kubectl') === undefined ? test.skip : test;
  kubectlTest('is known to kubectl', () => {
    const kubectl = (...args: string[]): string => {
      const flags = [`--kubeconfig=${server.kubeconfig}`, `--cache-dir=${join(server.directory, 'cache')}`];
      const done = spawnSync(findProgram('kubectl') as string, [...flags, ...args], { encoding: 'utf8' });
      return done.stdout + done.stderr;
    };
    expect(kubectl('explain', `${plural}.spec`)).toMatch(/size\s+<integer>\s+How large it is\./);
    expect(kubectl('get', kind.toLowerCase().slice(0, 2), '-n', 'default')).toMatch(
      /^NAME +AGE\none +\S+\n$/,
    );
    expect(kubectl('api-resources', '-o', 'name')).toContain(`${plural}.${group}\n`);
  });
});
