import base from '../../jest.config.js';

/**
 * The suites of `make recipes`, whose programs take minutes to build.
 * @type {import('jest').Config}
 */
export default {
  ...base,
  rootDir: '../..',
  roots: ['<rootDir>/test/recipes'],
  testPathIgnorePatterns: ['/node_modules/'],
};
