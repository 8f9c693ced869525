// For `make mutation`. MUTATE and TESTS are folders or files with commas between: what is mutated, and beside what the tests lie that
// run for each mutant.
import { dirname } from 'node:path';
import base from '../../../jest.config.js';

const pathsIn = (list) => list.split(',').map((path) => path.replace(/\/$/, ''));
const isFile = (path) => path.endsWith('.ts');
const { MUTATE = '', TESTS = MUTATE } = process.env;

/** @type {import('@stryker-mutator/api/core').PartialStrykerOptions} */
export default {
  testRunner: 'jest',
  testRunnerNodeArgs: ['--experimental-vm-modules'],
  coverageAnalysis: 'perTest',
  mutate: [
    ...pathsIn(MUTATE).map((path) => (isFile(path) ? path : `${path}/**/*.ts`)),
    '!**/*.test.ts',
    '!**/testing/**',
  ],
  jest: {
    config: {
      ...base,
      testMatch: pathsIn(TESTS).map(
        (path) => `<rootDir>/${isFile(path) ? dirname(path) : path}/**/*.test.ts`,
      ),
      maxWorkers: 1,
    },
    enableFindRelatedTests: false,
  },
  ignorePatterns: ['.tools', 'dist', 'data', 'release', 'hack/tools'],
  tempDirName: '.tools/stryker',
  timeoutMS: 20_000,
  warnings: { slow: false },
  reporters: ['progress-append-only', 'clear-text', 'json'],
  jsonReporter: { fileName: '.tools/results/mutation.json' },
  clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
};
