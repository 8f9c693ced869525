// installation.mjs PACKAGE MODULES TO: the programs as they are installed, in TO: those of PACKAGE, which package.mjs wrote, and
// what they need of MODULES, a folder node_modules. Nothing for other C libraries and for Node before 24, and nothing to
// compile or to read.
import { cpSync, existsSync, readdirSync, readFileSync, rmdirSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';

/** Source maps, types, sources, tests and documents of packages. */
const NOT_RUN = /\.(map|[cm]?ts|h|gyp|musl\.node)$|[/\\](test\.js|(readme|changelog|history)[^/\\]*\.md)$/i;
/** Native code for one version of Node's older interface: newer ones take `node.napi.glibc.node`. */
const FOR_ONE_NODE = /[/\\]node\.abi\d+\.glibc\.node$/;
const FOR_COMPILERS = [
  'node_modules/lmdb/dependencies',
  'node_modules/lmdb/src',
  'node_modules/undici-types',
];

/** `to` may exist. */
export function install(packageFolder, modules, to) {
  for (const name of ['dist', 'package.json', 'LICENSE', 'THIRD_PARTY_LICENSES.txt'])
    cpSync(join(packageFolder, name), join(to, name), { recursive: true });
  installPackages(packageFolder, modules, to);
}

/** The packages alone: those that are pinned in `packageFolder`, or, of these, the ones that `only` need. */
export function installPackages(packageFolder, modules, to, { only } = {}) {
  const pinned = JSON.parse(readFileSync(join(packageFolder, 'npm-shrinkwrap.json'), 'utf8')).packages;
  const paths = only === undefined ? Object.keys(pinned) : neededBy(only, pinned);
  for (const path of paths) {
    const from = join(dirname(modules), path);
    if (!path.startsWith('node_modules/') || path.startsWith('node_modules/@types/')) continue;
    // A package inside another comes with it; one for another platform is not there.
    if (path.lastIndexOf('node_modules/') > 0 || !existsSync(from)) continue;
    const filter = (source) => {
      const name = source.slice(dirname(modules).length + 1);
      if (FOR_COMPILERS.includes(name) || basename(name) === 'node-addon-api') return false;
      return !NOT_RUN.test(name) && !FOR_ONE_NODE.test(name);
    };
    cpSync(from, join(to, path), { recursive: true, dereference: true, filter });
  }
  removeEmpty(join(to, 'node_modules'));
}

/** Where packages are, and all that they depend on. */
function neededBy(names, pinned, found = new Set()) {
  for (const path of names.map((name) => `node_modules/${name}`)) {
    if (found.has(path) || pinned[path] === undefined) continue;
    found.add(path);
    const { dependencies = {}, optionalDependencies = {} } = pinned[path];
    neededBy([...Object.keys(dependencies), ...Object.keys(optionalDependencies)], pinned, found);
  }
  return [...found];
}

function removeEmpty(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true }))
    if (entry.isDirectory()) removeEmpty(join(folder, entry.name));
  if (readdirSync(folder).length === 0) rmdirSync(folder);
}

if (import.meta.filename === process.argv[1]) {
  const [packageFolder, modules, to] = process.argv.slice(2, 5).map((path) => resolve(path));
  if (basename(modules) !== 'node_modules') throw new Error(`${modules} is no folder node_modules`);
  install(packageFolder, modules, to);
}
