import base from '../../jest.config.js';

/**
 * The suite of `make kubernetes-tests`, which builds tests of Kubernetes.
 * @type {import('jest').Config}
 */
export default {
  ...base,
  rootDir: '../..',
  roots: ['<rootDir>/test/kubernetes'],
  testPathIgnorePatterns: ['/node_modules/'],
};
