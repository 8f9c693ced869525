/** The released typed client, as a user installs it: the program of its README, in an empty folder. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { SERVER_VERSION } from '../../../pkg/server/version.js';
import { ROOT } from '../../fixtures/host/containerimage.js';
import { execute } from '../../fixtures/program.js';
import { makeRelease, RELEASE } from '../../fixtures/servers/released.js';
import { ADMIN_TOKEN, startServer, type ServerFixture } from '../../fixtures/servers/server.js';

const README = readFileSync(join(ROOT, 'api/client/README.md'), 'utf8');
/** The programs of its README: one with only the package, and one that also uses the Kubernetes client. */
const [PROGRAM = '', BESIDE_KUBERNETES = ''] = [...README.matchAll(/```ts\n(.*?)```/gs)].map(
  ([, text]) => text,
);
const KUBERNETES = '@kubernetes/client-node';
/** The compiler options, with which types that the program names are checked. */
const COMPILER = {
  target: 'ES2023',
  module: 'NodeNext',
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  types: ['node'],
  outDir: 'out',
  skipLibCheck: true,
};
const MISTAKES = `import { Client, SharedSecret } from '@management/client';
const secrets = new Client({ server: '' }).resource(SharedSecret, 'default');
// @ts-expect-error It is a text.
void secrets.create({ metadata: { name: 'a' }, spec: { displayName: 1 } });
// @ts-expect-error It is of another kind.
void secrets.create({ kind: 'Project', metadata: { name: 'a' } });
// @ts-expect-error It may be absent.
void secrets.get('a').then(({ spec }) => spec.displayName.length);
`;

await makeRelease();

describe('the typed client that is released', () => {
  let server: ServerFixture;
  let folder: string;
  beforeAll(async () => {
    server = await startServer();
    folder = mkdtempSync(join(tmpdir(), 'client-'));
    install(folder);
  });
  afterAll(async () => {
    await server?.remove();
    rmSync(folder, { recursive: true, force: true });
  });

  const compile = (texts: Readonly<Record<string, string>>): [number | null, string] => {
    const files = Object.entries(texts).map(([name, text]) => {
      writeFileSync(join(folder, `${name}.ts`), text);
      return `${name}.ts`;
    });
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: COMPILER, files }));
    const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
    const { status, stdout } = spawnSync(process.execPath, [tsc, '-p', folder], { encoding: 'utf8' });
    return [status, stdout];
  };

  test('compiles and runs the program of its README', () => {
    expect(compile({ program: PROGRAM })).toEqual([0, '']);
    const kubeconfig = readFileSync(server.kubeconfig, 'utf8');
    const ca = /certificate-authority-data"?: "?([A-Za-z0-9+/=]+)/.exec(kubeconfig)?.[1] ?? '';
    writeFileSync(join(folder, 'ca.crt'), Buffer.from(ca, 'base64'));
    const { code, out, err } = execute(process.execPath, [join(folder, 'out/program.js')], {
      env: { SERVER: server.url, TOKEN: ADMIN_TOKEN, CA: join(folder, 'ca.crt'), NODE_OPTIONS: '' },
    });
    expect({ code, err, lines: out.trim().split('\n') }).toEqual({
      code: 0,
      err: '',
      lines: [
        'made database',
        'it is The database',
        'it changed since it was read',
        'of team a: database',
        'ADDED cache',
        'ADDED database',
        'DELETED cache',
      ],
    });
  });

  test('compiles and runs beside the client of Kubernetes, and refuses at compile time what the kinds have not', () => {
    mkdirSync(join(folder, 'node_modules/@kubernetes'));
    symlinkSync(join(ROOT, 'node_modules', KUBERNETES), join(folder, 'node_modules', KUBERNETES));
    expect(compile({ beside: BESIDE_KUBERNETES, mistakes: MISTAKES })).toEqual([0, '']);
    const { code, out, err } = execute(process.execPath, [join(folder, 'out/beside.js')], {
      env: { KUBECONFIG: server.kubeconfig, NODE_OPTIONS: '' },
    });
    expect({ code, err, lines: out.trim().split('\n') }).toEqual({
      code: 0,
      err: '',
      lines: [
        'made mail, Mail',
        // `database` remains from the program before.
        'there are Another, Mail',
        `removed mail, made ${new Date().getUTCFullYear()}`,
      ],
    });
  });
});

/** Installs the package like `npm install`, with dependencies from this project. */
function install(folder: string): void {
  const packages = join(folder, 'node_modules');
  const itself = join(packages, '@management/client');
  mkdirSync(itself, { recursive: true });
  mkdirSync(join(packages, '@types'));
  const archive = join(RELEASE, `management-client-${SERVER_VERSION}.tgz`);
  const { status } = spawnSync('tar', ['xzf', archive, '--strip-components=1', `--directory=${itself}`]);
  expect(status).toBe(0);
  const { dependencies } = JSON.parse(readFileSync(join(itself, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>;
  };
  for (const name of [...Object.keys(dependencies), '@types/node', 'undici-types'])
    symlinkSync(join(ROOT, 'node_modules', name), join(packages, name));
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }');
}
