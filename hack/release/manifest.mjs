// manifest.mjs FOLDER: the package.json of the npm package and its npm-shrinkwrap.json, in FOLDER. Asks no registry: what it
// depends on is pinned as package-lock.json pins it.
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { EXTERNAL, ROOT } from './bundle.mjs';

const OF_THE_CHECKOUT = ['private', 'scripts', 'devDependencies'];

/** What is released runs on the newest long-term Node; package.json names the oldest for those who clone. */
const ENGINES = { node: '>=24' };

/** The chart that `platform` installs agents with, as it lies in dist/. */
export const AGENT_CHART = 'management-agent-chart.tgz';

/** The checkout is private; what is released depends on the packages that are not part of its programs. */
export function writeManifest(folder) {
  const { dependencies, ...rest } = readJson(join(ROOT, 'package.json'));
  const kept = Object.fromEntries(
    Object.entries(rest).filter(([member]) => !OF_THE_CHECKOUT.includes(member)),
  );
  const needed = Object.fromEntries(EXTERNAL.map((name) => [name, dependencies[name]]));
  const manifest = { ...kept, engines: ENGINES, dependencies: needed };
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, undefined, 2)}\n`);
  return manifest;
}

/** Writes npm-shrinkwrap.json. Answers with the packages that an installation has besides, on some platform. */
export function pin(folder) {
  const lock = join(folder, 'package-lock.json');
  copyFileSync(join(ROOT, 'package-lock.json'), lock);
  copyFileSync(join(ROOT, '.npmrc'), join(folder, '.npmrc'));
  npm(folder, 'install', '--package-lock-only', '--offline', '--ignore-scripts', '--silent');
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

/** Runs npm in `folder`; throws what it says where it fails. */
export function npm(folder, ...args) {
  const { status, stderr } = spawnSync('npm', args, { cwd: folder, encoding: 'utf8' });
  if (status !== 0) throw new Error(`npm ${args[0]} failed: ${stderr}`);
}

export function readJson(path) {
  return JSON.parse(readFileSync(path, 'utf8'));
}

if (import.meta.filename === process.argv[1]) {
  const folder = resolve(process.argv[2]);
  mkdirSync(folder, { recursive: true });
  writeManifest(folder);
  pin(folder);
}
