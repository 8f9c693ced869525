// package.mjs OUT: the npm package as a folder, OUT/package, and packed, OUT/management-apiserver-VERSION.tgz. Asks no
// registry: what it depends on is pinned as package-lock.json pins it.
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { bundle, EXTERNAL, ROOT } from './bundle.mjs';
import { licenceTexts, packagesOf } from './licences.mjs';
import { billOfMaterials } from './sbom.mjs';

const out = resolve(process.argv[2] ?? 'release');
const folder = join(out, 'package');
const OF_THE_CHECKOUT = ['private', 'scripts', 'devDependencies'];
const DOCUMENTS = ['LICENSE', 'README.md', 'CHANGELOG.md'];

rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
const inputs = await bundle(join(folder, 'dist'));
const pages = await buildConsole();
for (const name of DOCUMENTS) copyFileSync(join(ROOT, name), join(folder, name));
const bundled = packagesOf(ROOT, [...inputs, ...pages]);
writeFileSync(join(folder, 'THIRD_PARTY_LICENSES.txt'), licenceTexts(bundled));
const { name: itself, version } = writeManifest();
const pinned = pin();
npm('pack', '--ignore-scripts', '--silent', '--pack-destination', out);
const parts = [...bundled, ...pinned].map((one) => `${one.name}@${one.version}`);
const materials = billOfMaterials(new Set([`${itself}@${version}`, ...parts]));
writeFileSync(join(out, `${itself}-${version}.spdx.json`), `${JSON.stringify(materials, undefined, 2)}\n`);

/** The pages of the console, where the server looks for them. Answers with the modules that they are made of. */
async function buildConsole() {
  const { build } = await import('vite');
  const { output } = await build({
    configFile: join(ROOT, 'cmd/console/vite.config.ts'),
    logLevel: 'warn',
    build: { outDir: join(folder, 'dist/console') },
  });
  const modules = output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []));
  return modules.filter((path) => path.startsWith(ROOT)).map((path) => relative(ROOT, path.split('?', 1)[0]));
}

/** The checkout is private; what is released depends on the packages that are not part of its programs. */
function writeManifest() {
  const { dependencies, ...rest } = readJson(join(ROOT, 'package.json'));
  const kept = Object.fromEntries(
    Object.entries(rest).filter(([member]) => !OF_THE_CHECKOUT.includes(member)),
  );
  const needed = Object.fromEntries(EXTERNAL.map((name) => [name, dependencies[name]]));
  const files = ['dist', 'THIRD_PARTY_LICENSES.txt', 'CHANGELOG.md', 'npm-shrinkwrap.json'];
  const manifest = { ...kept, files, dependencies: needed };
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, undefined, 2)}\n`);
  return manifest;
}

/** Answers with the packages that an installation has besides, on some platform. */
function pin() {
  const lock = join(folder, 'package-lock.json');
  copyFileSync(join(ROOT, 'package-lock.json'), lock);
  copyFileSync(join(ROOT, '.npmrc'), join(folder, '.npmrc'));
  npm('install', '--package-lock-only', '--offline', '--ignore-scripts', '--silent');
  rmSync(join(folder, '.npmrc'));
  renameSync(lock, join(folder, 'npm-shrinkwrap.json'));
  const { packages } = readJson(join(folder, 'npm-shrinkwrap.json'));
  const installed = Object.entries(packages).filter(([path]) => path !== '');
  const unpinned = installed.find(([, { integrity }]) => integrity === undefined);
  if (unpinned !== undefined) throw new Error(`${unpinned[0]} has no checksum in npm-shrinkwrap.json`);
  return installed.map(([path, { version: of }]) => ({
    name: path.replace(/^.*node_modules\//, ''),
    version: of,
  }));
}

function npm(...args) {
  const { status, stderr } = spawnSync('npm', args, { cwd: folder, encoding: 'utf8' });
  if (status !== 0) throw new Error(`npm ${args[0]} failed: ${stderr}`);
}

function readJson(path) {
  return JSON.parse(readFileSync(path, 'utf8'));
}
