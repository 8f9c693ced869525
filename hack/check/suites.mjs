// Which suites lie beside changed files, as far as a minute allows.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

const SUITE = /\.test\.ts$/;
const SOURCE = /\.tsx?$/;
/** Those have configurations of their own (jest.config.js), and take minutes. */
const ELSEWHERE = [
  [/^test\/host\//, 'make e2e'],
  [/^test\/recipes\//, 'make recipes'],
  [/^test\/robustness\//, 'make robustness'],
];
/** What a suite costs: below test/ most start a server, elsewhere few do. */
const costOf = (suite) => (suite.startsWith('test/') ? 4 : 1);
/** The costs that stay within a minute on two cores. */
const BUDGET = 32;
/** How many suites elsewhere speak for a file, such as a fixture, that none beside it imports. */
const MAX_IMPORTERS = 2;

const suitesIn = (folder) =>
  readdirSync(folder)
    .filter((name) => SUITE.test(name))
    .map((name) => join(folder, name));

/** Paths of the files that a suite imports by itself. */
function importsOf(suite) {
  const specifiers = readFileSync(suite, 'utf8').matchAll(/(?:from|import|import\()\s*'(\.{1,2}\/[^']+)'/g);
  return [...specifiers].map(([, path]) => normalize(join(dirname(suite), path)).replace(/\.js$/, ''));
}
const imports = (suite, file) => importsOf(suite).includes(file.replace(SOURCE, ''));

function allSuites() {
  const below = (root) =>
    readdirSync(root, { recursive: true, encoding: 'utf8' }).map((name) => join(root, name));
  const suites = ['api', 'pkg', 'cmd', 'test'].filter((root) => existsSync(root)).flatMap(below);
  return suites.filter((path) => SUITE.test(path) && !ELSEWHERE.some(([pattern]) => pattern.test(path)));
}

/** Those of its folder that import it; where none does, all of its folder, and some from elsewhere that do. */
function suitesOf(file, everywhere) {
  if (SUITE.test(file)) return [file];
  const beside = suitesIn(dirname(file));
  const direct = beside.filter((suite) => imports(suite, file));
  if (direct.length > 0) return direct;
  const importers = everywhere().filter((suite) => imports(suite, file));
  return [...beside, ...importers.slice(0, MAX_IMPORTERS)];
}

/**
 * What to run for the changed files, the cheapest first; `left`: suites that are not run; `without`: sources that have none;
 * `elsewhere`: suites that another target runs, by its command.
 */
export function suitesFor(files) {
  let found;
  const everywhere = () => (found ??= allSuites());
  const sources = files.filter((file) => SOURCE.test(file) && /^(api|cmd|pkg|test|hack\/bench)\//.test(file));
  const suites = new Map(sources.map((file) => [file, suitesOf(file, everywhere)]));
  const changed = new Set(files);
  const all = [...new Set([...suites.values()].flat())].sort(
    (one, other) => costOf(one) - costOf(other) || changed.has(other) - changed.has(one),
  );
  const commandOf = (suite) => ELSEWHERE.find(([pattern]) => pattern.test(suite))?.[1];
  let cost = 0;
  const here = all.filter((suite) => commandOf(suite) === undefined);
  const run = here.filter((suite) => (cost += costOf(suite)) <= BUDGET);
  return {
    run,
    left: here.filter((suite) => !run.includes(suite)),
    without: sources.filter((file) => suites.get(file).length === 0),
    elsewhere: all.flatMap((suite) => (commandOf(suite) ? [`${commandOf(suite)} TESTS=${suite}`] : [])),
  };
}
