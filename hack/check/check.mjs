// check.mjs [--list]: format, types, lint rules and the tests beside the files that have changed since main, in less than a minute:
// `make check`. What fails says how to repeat it alone. `--list` says what would run.
import { spawnSync } from 'node:child_process';
import { changedFiles } from './changed.mjs';
import { commandLine, runSteps } from './steps.mjs';
import { suitesFor } from './suites.mjs';

const { stdout } = spawnSync('git', ['rev-parse', '--show-toplevel'], { encoding: 'utf8' });
process.chdir(stdout.trim());

const TSC = ['node_modules/typescript7/bin/tsc', '--checkers', '1', '-p'];
/** What may change the types of every file. */
const FOR_ALL = /^(package(-lock)?|(.*\/)?tsconfig[^/]*)\.json$/;

const step = (name, commands, repeat = commandLine(commands.at(-1))) => ({ name, commands, repeat });

function stepsFor(files, suites) {
  const some = (pattern) => files.some((file) => pattern.test(file) || FOR_ALL.test(file));
  const linted = files.filter((file) => /\.(tsx?|m?js)$/.test(file));
  const steps = [
    some(/^(api|cmd(?!\/console\/)|pkg|test|hack\/bench)\/.*\.tsx?$/) &&
      step('types', [[...TSC, 'tsconfig.json']]),
    step('format', [['node_modules/.bin/oxfmt', '--check', '--no-error-on-unmatched-pattern', ...files]]),
    some(/^(api|cmd\/console)\/.*\.tsx?$/) &&
      step('types of the console', [[...TSC, 'cmd/console/tsconfig.json']]),
    some(/^(api|cmd|pkg)\/.*\.tsx?$/) && step('layers', [['node', 'hack/verify-layers.mjs']]),
    linted.length > 0 &&
      step('lint', [['node_modules/.bin/oxlint', '--type-aware', '--deny-warnings', ...linted]]),
    suites.length > 0 &&
      step(`${suites.length} test files`, [['make', '--silent', 'test', `TESTS=${suites.join(' ')}`]]),
  ];
  return steps.filter(Boolean);
}

const { files, since } = changedFiles();
const { run, left, without, elsewhere } = suitesFor(files);
const steps = files.length === 0 ? [] : stepsFor(files, run);

if (steps.length === 0) {
  console.log(`check: nothing has changed since ${since}`);
} else if (process.argv.includes('--list')) {
  for (const { name, repeat } of steps) console.log(`${name}: ${repeat}`);
} else {
  const began = Date.now();
  console.log(`check: ${files.length} files have changed since ${since}`);
  const failed = await runSteps(steps);
  for (const { name, repeat } of failed) console.error(`FAILED ${name}, alone: ${repeat}`);
  console.log(
    `check: ${failed.length} of ${steps.length} steps failed in ${((Date.now() - began) / 1000).toFixed(0)} s`,
  );
  if (failed.length > 0) process.exitCode = 1;
}
for (const file of without) console.log(`check: no suite is beside ${file}`);
for (const command of elsewhere) console.log(`check: not run, as it takes minutes: ${command}`);
if (left.length > 0)
  console.log(
    `check: ${left.length} more suites would take more than a minute: make test TESTS='${left.join(' ')}'`,
  );
