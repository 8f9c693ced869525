// No file imports itself by way of others, types included: ESLint's rule looks at values alone. Prints each group of files
// that import one another, and exits with 1 where there is one.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path/posix';

const files = execFileSync('git', ['ls-files', '--', 'api', 'cmd', 'pkg'], { encoding: 'utf8' })
  .split('\n')
  .filter((file) => /\.tsx?$/.test(file) && !/\.test\.tsx?$/.test(file));
const known = new Set(files);

/** The file of this repository that `specifier` names in `file`; undefined for a package. */
function resolved(file, specifier) {
  const path = join(dirname(file), specifier);
  const candidates = [
    path.replace(/\.js$/, '.ts'),
    path.replace(/\.js$/, '.tsx'),
    `${path}.ts`,
    `${path}.tsx`,
  ];
  return candidates.find((candidate) => known.has(candidate));
}

function importsOf(file) {
  const found = readFileSync(file, 'utf8').matchAll(/^(?:import|export|\})[^'\n]*'(\.[^']+)';$/gm);
  return [...found]
    .map(([, specifier]) => resolved(file, specifier))
    .filter((target) => target !== undefined);
}

const imports = new Map(files.map((file) => [file, importsOf(file)]));

/** What can be reached from a file; the file itself only where it is in a cycle. */
function reach(file) {
  const reached = new Set();
  const open = [...imports.get(file)];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (reached.has(next)) continue;
    reached.add(next);
    open.push(...imports.get(next));
  }
  return reached;
}

const reached = new Map(files.map((file) => [file, reach(file)]));
const told = new Set();
for (const file of files) {
  if (told.has(file) || !reached.get(file).has(file)) continue;
  const group = [...reached.get(file)].filter((other) => reached.get(other).has(file)).sort();
  group.forEach((one) => told.add(one));
  console.error(`These files import one another; move what they share into a file of its own:`);
  for (const one of group)
    console.error(
      `  ${one} imports ${imports
        .get(one)
        .filter((other) => group.includes(other))
        .join(', ')}`,
    );
}
if (imports.size === 0 || ![...imports.values()].some((targets) => targets.length > 0)) {
  console.error('no import was found: this script reads them wrongly');
  process.exit(1);
}
process.exit(told.size > 0 ? 1 : 0);
