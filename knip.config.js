/**
 * What starts a program, or is found by its name, is an entry. Where tests are left out (`--production`), what they alone use is found, too;
 * an export that its own file uses as well may be there for them, and so may one that is marked `@internal`. `@public` marks what
 * hack/reference reads of what was compiled, which may not be there.
 */
export default {
  entry: [
    'cmd/{apiserver,agent,platform,executable,chart}/main.ts!',
    // The released client.
    'api/client/{index,browser,node,kubernetes}.ts!',
    'pkg/**/kind.ts!',
    'hack/**/*.mjs',
    '!hack/tools/**',
    'hack/bench/{,*/}main.ts',
    'hack/bench/aggregated/{agent,hostcost,hostobjects,idle}.ts',
    'test/**/*.test.ts',
    'test/{clients,host,kubernetes,recipes,robustness}/jest.config.js',
    'test/vectors/run.ts',
    'test/docs/agekeygen.mjs',
    'test/fixtures/plainhosts/{setup,teardown}.mjs',
  ],
  project: [
    '{api,cmd,pkg}/**/*.{ts,tsx}!',
    '!pkg/**/testing/**!',
    '{hack,test}/**/*.{ts,mjs,js}',
    '!hack/tools/**',
    '!test/conformance/**',
  ],
  ignoreExportsUsedInFile: process.argv.includes('--production'),
  // Read by their paths, or brought along by jest.
  ignoreDependencies: ['axe-core', 'typescript7', '@jest/test-sequencer'],
  exclude: ['binaries'],
};
