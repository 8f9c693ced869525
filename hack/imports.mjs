// The files of this repository that each of its files imports, types included.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path/posix';

/** The sources below these folders that `git` knows, without tests. */
export const sources = (...folders) =>
  execFileSync('git', ['ls-files', '--', ...folders], { encoding: 'utf8' })
    .split('\n')
    .filter((file) => /\.tsx?$/.test(file) && !/\.test\.tsx?$/.test(file));

/** The path that `specifier` names in `file`, as a module is written there: `pkg/a/b.js`. */
const named = (file, specifier) => join(dirname(file), specifier);

const IMPORTS = /^(?:import|export|\})[^'\n]*'(\.[^']+)';$/gm;
const LATER = /\bimport\('(\.[^']+)'\)/g;

/** Relative imports of a file: at its start, or also those that are made later. */
export function importsIn(file, { later = false } = {}) {
  const text = readFileSync(file, 'utf8');
  const found = [...text.matchAll(IMPORTS), ...(later ? text.matchAll(LATER) : [])];
  return found.map(([, specifier]) => named(file, specifier));
}

/** The one of `known` files that a module path is; undefined for none. */
export const fileOf = (path, known) =>
  [path.replace(/\.js$/, '.ts'), path.replace(/\.js$/, '.tsx'), `${path}.ts`, `${path}.tsx`].find((one) =>
    known.has(one),
  );
