import base from '../../jest.config.js';

/**
 * The suites of `make robustness`, which take as long as they are told to.
 * @type {import('jest').Config}
 */
export default {
  ...base,
  rootDir: '../..',
  roots: ['<rootDir>/test/robustness'],
  testPathIgnorePatterns: ['/node_modules/'],
  maxWorkers: 1,
};
