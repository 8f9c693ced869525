import base from '../../jest.config.js';

/**
 * The suites of `make clients`, which take the tool chains of other languages.
 * @type {import('jest').Config}
 */
export default {
  ...base,
  rootDir: '../..',
  roots: ['<rootDir>/test/clients'],
  testPathIgnorePatterns: ['/node_modules/'],
  // Each compiles with all cores first.
  maxWorkers: 1,
};
