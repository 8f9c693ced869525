// No file imports itself by way of others, types included. Prints each group of files that import one another, and exits with
// 1 where there is one.
import { fileOf, importsIn, sources } from './imports.mjs';

const files = sources('api', 'cmd', 'pkg', 'test/fixtures');
const known = new Set(files);

const importsOf = (file) =>
  importsIn(file)
    .map((path) => fileOf(path, known))
    .filter((target) => target !== undefined);

/** What can be reached from a file; the file itself only where it is in a cycle. */
function reachableFrom(file, imports) {
  const reached = new Set();
  const open = [...imports.get(file)];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (reached.has(next)) continue;
    reached.add(next);
    open.push(...imports.get(next));
  }
  return reached;
}

/** Groups of files that import one another, each sorted. */
function cyclesIn(imports) {
  const reached = new Map([...imports.keys()].map((file) => [file, reachableFrom(file, imports)]));
  const groups = [...imports.keys()]
    .filter((file) => reached.get(file).has(file))
    .map((file) => [...reached.get(file)].filter((other) => reached.get(other).has(file)).sort());
  return groups.filter(([first], at) => groups.findIndex(([other]) => other === first) === at);
}

const fail = (text) => {
  console.error(text);
  process.exit(1);
};

// A graph with one cycle, which must be found.
const canary = new Map([
  ['a', ['b']],
  ['b', ['c', 'd']],
  ['c', ['b']],
  ['d', []],
]);
if (JSON.stringify(cyclesIn(canary)) !== '[["b","c"]]') fail('this script does not find a cycle');

const imports = new Map(files.map((file) => [file, importsOf(file)]));
if (![...imports.values()].some((targets) => targets.length > 0))
  fail('no import was found: this script reads them wrongly');

const cycles = cyclesIn(imports);
for (const group of cycles) {
  console.error('These files import one another; move what they share into a file of its own:');
  for (const file of group) {
    const others = imports.get(file).filter((other) => group.includes(other));
    console.error(`  ${file} imports ${others.join(', ')}`);
  }
}
process.exit(cycles.length > 0 ? 1 : 0);
