const SLOWNESS = Number(process.env.TEST_SLOWNESS ?? '1');

/** How many suites run at a time, of those that do on an idle machine: on a slow one they have more to do than to wait for. */
export const workers = (usual) => (SLOWNESS > 1.5 ? 3 : usual);

/** @type {import('jest').Config} */
export default {
  testEnvironment: 'node',
  roots: ['<rootDir>/api', '<rootDir>/cmd', '<rootDir>/pkg', '<rootDir>/test', '<rootDir>/hack/bench'],
  testMatch: ['**/*.test.ts'],
  // Those have configurations of their own, for `make clients`, `make e2e`, `make kubernetes-tests`, `make recipes` and `make robustness`.
  testPathIgnorePatterns: [
    '/node_modules/',
    '<rootDir>/test/clients/',
    '<rootDir>/test/host/',
    '<rootDir>/test/kubernetes/',
    '<rootDir>/test/recipes/',
    '<rootDir>/test/robustness/',
  ],
  // What was compiled is kept for the next run, wherever that has its files.
  cacheDirectory: '<rootDir>/.tools/jest-cache',
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      {
        jsc: { target: 'es2023', parser: { syntax: 'typescript' } },
        module: { type: 'es6' },
      },
    ],
  },
  // One bound for all: it ends what hangs. Conditions have theirs (test/fixtures/wait.ts).
  testTimeout: 300_000 * SLOWNESS,
  // Suites share nothing. Four keep two cores busy; more only evict each other's caches.
  maxWorkers: workers(4),
};
