import base, { workers } from '../../jest.config.js';

/**
 * The suites that need clusters of Kubernetes, whose programs take minutes to build: `make e2e`.
 * @type {import('jest').Config}
 */
export default {
  ...base,
  rootDir: '../..',
  roots: ['<rootDir>/test/host'],
  testPathIgnorePatterns: ['/node_modules/'],
  globalSetup: '<rootDir>/test/fixtures/plainhosts/setup.mjs',
  globalTeardown: '<rootDir>/test/fixtures/plainhosts/teardown.mjs',
  // Suites that run at the same time share nothing: each has ports and directories of its own. The longest, which begin, take an eighth
  // to a third of a core, as they wait for controllers of Kubernetes; short ones a half. More at a time only evict each other's caches.
  maxWorkers: workers(5),
};
