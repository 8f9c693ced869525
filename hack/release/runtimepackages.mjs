// runtimepackages.mjs FOLDER: puts into FOLDER/node_modules what its npm-shrinkwrap.json names, as links to what `npm ci`
// installed here: the same versions, so it is what an installation has, without a registry.
import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { ROOT } from './bundle.mjs';

const folder = resolve(process.argv[2]);
const { packages } = JSON.parse(readFileSync(join(folder, 'npm-shrinkwrap.json'), 'utf8'));
const paths = Object.keys(packages).filter((path) => path !== '');
for (const path of paths) {
  // A package inside another comes with it; one for another platform is not installed.
  if (path.lastIndexOf('node_modules/') > 0 || !existsSync(join(ROOT, path))) continue;
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  symlinkSync(join(ROOT, path), join(folder, path));
}
