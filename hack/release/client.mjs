// client.mjs OUT: the npm package of the typed client, OUT/management-client-VERSION.tgz, of api/client and the kinds that it names.
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { ROOT } from './bundle.mjs';
import { npm, readJson } from './manifest.mjs';

const KUBERNETES_CLIENT = '@kubernetes/client-node';
const out = resolve(process.argv[2]);
const folder = join(out, 'client');
const { version, license, repository, engines, dependencies } = readJson(join(ROOT, 'package.json'));

rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
const tsc = join(ROOT, 'node_modules/typescript7/bin/tsc');
const args = [tsc, '-p', join(ROOT, 'api/client'), '--outDir', join(folder, 'dist')];
const { status, stdout } = spawnSync(process.execPath, args, { encoding: 'utf8' });
if (status !== 0) throw new Error(`tsc failed: ${stdout}`);
copyFileSync(join(ROOT, 'LICENSE'), join(folder, 'LICENSE'));
copyFileSync(join(ROOT, 'api/client/README.md'), join(folder, 'README.md'));
const entry = (name) => ({ types: `./dist/client/${name}.d.ts`, default: `./dist/client/${name}.js` });
const manifest = {
  name: '@management/client',
  version,
  description: 'Typed client of the management API',
  license,
  repository,
  type: 'module',
  // Wider than those of the programs: it runs in programs of others, on the Node that these have.
  engines,
  sideEffects: false,
  files: ['dist'],
  exports: {
    '.': entry('index'),
    './browser': entry('browser'),
    './node': entry('node'),
    './kubernetes': entry('kubernetes'),
  },
  // Its types alone are used.
  dependencies: { typebox: dependencies.typebox },
  // For ./kubernetes alone.
  peerDependencies: { [KUBERNETES_CLIENT]: `^${dependencies[KUBERNETES_CLIENT]}` },
  peerDependenciesMeta: { [KUBERNETES_CLIENT]: { optional: true } },
};
writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, undefined, 2)}\n`);
npm(folder, 'pack', '--ignore-scripts', '--silent', '--pack-destination', out);
