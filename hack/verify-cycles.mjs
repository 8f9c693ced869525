// No file imports itself by way of others, types included, and no two folders of ZONES import each other. Files that lie right in
// such a part are its contracts and its composition: they may import its folders, and be imported by them. Prints what does,
// and exits with 1.
import { fileOf, importsIn, sources } from './imports.mjs';

/** The parts whose folders have an order. */
const ZONES = ['cmd/apiserver', 'pkg/management', 'pkg/server', 'pkg/registry', 'pkg/storage'];
/** A login may end in the console, which begins logins. */
const MUTUAL = ['pkg/management console login'];

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

/** The folder of a part that a file lies in; undefined for files right in it, and of other parts. */
const folderOf = (file, part) => {
  const [folder, ...rest] = file.startsWith(`${part}/`) ? file.slice(part.length + 1).split('/') : [];
  return rest.length === 0 ? undefined : folder;
};

/** Pairs of folders of a part that import each other, with the files of the direction that has fewer. */
function mutualFolders(part, imports) {
  const arrows = new Map();
  for (const [file, targets] of imports)
    for (const target of targets) {
      const [from, to] = [folderOf(file, part), folderOf(target, part)];
      if (from === undefined || to === undefined || from === to) continue;
      const key = `${from} ${to}`;
      arrows.set(key, [...(arrows.get(key) ?? []), `${file} imports ${target}`]);
    }
  return [...arrows].flatMap(([key, found]) => {
    const [from, to] = key.split(' ');
    const back = arrows.get(`${to} ${from}`) ?? [];
    const isKnown = MUTUAL.includes(`${part} ${[from, to].sort().join(' ')}`);
    return isKnown ||
      back.length === 0 ||
      back.length < found.length ||
      (back.length === found.length && from > to)
      ? []
      : [{ part, from, to, found }];
  });
}

// A graph with one cycle, which must be found.
const canary = new Map([
  ['a', ['b']],
  ['b', ['c', 'd']],
  ['c', ['b']],
  ['d', []],
]);
if (JSON.stringify(cyclesIn(canary)) !== '[["b","c"]]') fail('this script does not find a cycle');

const folders = new Map([
  ['p/a/one', ['p/b/one', 'p/top']],
  ['p/b/two', ['p/a/two', 'p/c/one']],
  ['p/top', ['p/a/one']],
]);
if (JSON.stringify(mutualFolders('p', folders).map(({ from, to }) => from + to)) !== '["ab"]')
  fail('this script does not find folders that import each other');

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
const mutual = ZONES.flatMap((part) => mutualFolders(part, imports));
for (const { part, from, to, found } of mutual)
  console.error(`${part}: ${from} and ${to} import each other: ${found.join('; ')}`);
process.exit(cycles.length + mutual.length > 0 ? 1 : 0);
