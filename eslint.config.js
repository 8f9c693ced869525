// The style of this project as far as a machine can check it without types: what editors read, one file in two seconds.
// .oxlintrc.json has the rules that need types. `hack/verify-lint.sh` applies all, and proves that they bite.
import { readdirSync } from 'node:fs';
import { basename, dirname, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createNodeResolver, importX } from 'eslint-plugin-import-x';
import tseslint from 'typescript-eslint';

const root = dirname(fileURLToPath(import.meta.url));

/**
 * Which layers each layer may import, besides itself (ARCHITECTURE.md, "Layers").
 * Dependencies point one way; a folder under pkg/ that is missing here stops the linter.
 */
const mayImport = (() => {
  const core = [
    'api',
    'pkg/apimachinery',
    'pkg/storage',
    'pkg/cache',
    'pkg/management',
    'pkg/clusterclient',
    'pkg/tracing',
    'pkg/registry',
  ];
  const guards = ['pkg/admission', 'pkg/authentication', 'pkg/authorization'];
  return {
    api: [],
    'pkg/apimachinery': core.slice(0, 1),
    'pkg/hostclient': [...core.slice(0, 2), 'pkg/tracing'],
    'pkg/tracing': core.slice(0, 2),
    'pkg/clusterclient': core.slice(0, 2),
    'pkg/management': core.slice(0, 2),
    'pkg/pki': [...core.slice(0, 2), 'pkg/hostclient'],
    'pkg/storage': [...core.slice(0, 2), 'pkg/hostclient'],
    'pkg/cache': core.slice(0, 3),
    'pkg/registry': core.slice(0, 7),
    'pkg/admission': [...core, ...guards],
    'pkg/authentication': [...core, ...guards, 'pkg/hostclient', 'pkg/pki'],
    'pkg/authorization': [...core, ...guards, 'pkg/hostclient'],
    'pkg/audit': ['pkg/apimachinery'],
    'pkg/login': core,
    'pkg/clusteridentity': [...core, ...guards, 'pkg/pki'],
    'pkg/controllers': ['api', 'pkg/apimachinery', 'pkg/management', 'pkg/clusterclient'],
    'pkg/server': [...core, ...guards, 'pkg/audit', 'pkg/clusteridentity', 'pkg/hostclient', 'pkg/login'],
    'pkg/agent': [
      ...['api', 'pkg/apimachinery', 'pkg/management', 'pkg/authentication', 'pkg/authorization'],
      ...['pkg/clusterclient', 'pkg/hostclient', 'pkg/server'],
    ],
    'pkg/tunnel': ['pkg/apimachinery', 'pkg/authentication', 'pkg/agent', 'pkg/server'],
  };
})();

const layers = Object.keys(mayImport);
const unlisted = readdirSync(`${root}/pkg`, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && !layers.includes(`pkg/${entry.name}`))
  .map((entry) => `pkg/${entry.name}`);
if (unlisted.length > 0) {
  throw new Error(`eslint.config.js: say in mayImport which layers these may import: ${unlisted.join(', ')}`);
}

const zones = layers.map((layer) => ({
  target: `./${layer}`,
  from: [...layers, 'cmd', 'test', 'hack']
    .filter((other) => other !== layer && !mayImport[layer].includes(other))
    .map((other) => `./${other}`),
  message: `${layer} may import only ${[...mayImport[layer], 'itself'].join(', ')} (ARCHITECTURE.md, "Layers").`,
}));

zones.push({
  target: './cmd/platform',
  from: [
    ...layers.filter((layer) => !['api', 'pkg/apimachinery', 'pkg/server'].includes(layer)),
    'test',
    'hack',
  ]
    .concat('cmd/apiserver')
    .map((other) => `./${other}`),
  message: 'cmd/platform is a client: of the server it knows the API and the version.',
});

zones.push({
  target: './cmd/console',
  from: ['pkg', 'test', 'hack', 'cmd/apiserver', 'cmd/chart', 'cmd/platform'].map((other) => `./${other}`),
  message: 'cmd/console runs in browsers: of the server it knows the API.',
});

zones.push({
  target: './cmd/agent',
  from: [
    ...layers.filter(
      (layer) =>
        !['api', 'pkg/apimachinery', 'pkg/agent', 'pkg/hostclient', 'pkg/pki', 'pkg/server'].includes(layer),
    ),
    ...['test', 'hack', 'cmd/apiserver', 'cmd/platform'],
  ].map((other) => `./${other}`),
  message: 'cmd/agent puts pkg/agent together: it keeps no objects, and imports nothing of the API server.',
});

const vagueNames = /^(utils?|helpers?|common|misc|managers?)$/;

/** File and folder names: lower case, words run together or joined by hyphens, never a name that says nothing. */
const pathNames = {
  meta: {
    type: 'suggestion',
    schema: [],
    messages: {
      shape:
        "'{{name}}' is not a file name of this project: lower case letters, digits and hyphens, then .ts",
      vague: "'{{name}}' says nothing about what is in it",
      testing:
        'What tests share is in a folder testing/, which is not compiled into dist (tsconfig.build.json)',
    },
  },
  create(context) {
    const path = relative(root, context.filename).split(sep);
    const file = basename(context.filename);
    const stem = file.split('.')[0];
    return {
      Program(node) {
        if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*(\.[a-z]+)*\.(ts|tsx|js|mjs)$/.test(file)) {
          context.report({ node, messageId: 'shape', data: { name: file } });
        }
        for (const name of [...path.slice(0, -1), stem].filter((part) => vagueNames.test(part))) {
          context.report({ node, messageId: 'vague', data: { name } });
        }
        if (stem === 'testing') context.report({ node, messageId: 'testing' });
      },
    };
  },
};

const ONE_YIELD = 'Use pkg/apimachinery/eventloop: work yields by time, in one way.';

export default tseslint.config(
  {
    ignores: [
      'release/',
      'dist/',
      'node_modules/',
      'coverage/',
      'data/',
      '.tools/',
      '**/node_modules/',
      'test/conformance/',
    ],
  },
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  {
    plugins: { local: { rules: { 'path-names': pathNames } } },
    rules: {
      'local/path-names': 'error',
      'no-unused-vars': 'error',
      'no-var': 'error',
      'prefer-const': 'error',
    },
  },
  {
    files: ['**/*.ts', '**/*.tsx'],
    plugins: { '@typescript-eslint': tseslint.plugin, 'import-x': importX },
    languageOptions: { parser: tseslint.parser },
    settings: {
      'import-x/resolver-next': [createNodeResolver({ extensionAlias: { '.js': ['.ts', '.tsx', '.js'] } })],
    },
    rules: {
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      '@typescript-eslint/ban-ts-comment': 'error',
      'import-x/no-default-export': 'error',
      'import-x/no-restricted-paths': ['error', { basePath: root, zones }],
      'no-unused-vars': 'off', // the rule above knows types from values
      eqeqeq: ['error', 'always', { null: 'ignore' }],
    },
  },
  {
    files: ['**/*.ts'],
    ignores: ['**/*.test.ts', 'api/type.ts'],
    rules: {
      '@typescript-eslint/no-restricted-imports': [
        'error',
        {
          name: 'typebox',
          allowTypeImports: true,
          message: 'Import Type from api/type.ts: the package would be loaded at every start.',
        },
        {
          name: 'node:timers/promises',
          importNames: ['setImmediate', 'scheduler'],
          message: ONE_YIELD,
        },
      ],
      'no-restricted-globals': ['error', { name: 'setImmediate', message: ONE_YIELD }],
    },
  },
  {
    // The one way in which work yields to the event loop; what is no part of the server has another.
    files: ['pkg/apimachinery/eventloop/*.ts', 'api/**/*.ts', 'cmd/console/**', 'test/**/*.ts', 'hack/**'],
    rules: { 'no-restricted-globals': 'off' },
  },
  {
    files: ['pkg/apimachinery/eventloop/turns.ts', 'test/**/*.ts'],
    rules: { '@typescript-eslint/no-restricted-imports': 'off' },
  },
  {
    // The size at which to look for the second thing that a file does. A suite is one long list of cases.
    files: ['**/*.ts', '**/*.tsx'],
    ignores: ['**/*.test.ts', 'cmd/console/texts/*.ts', 'test/**', '**/testing/**'],
    rules: {
      'max-lines': ['error', { max: 250, skipBlankLines: true, skipComments: true }],
    },
  },
  {
    // A longer function is a class, or has a second thing to split out.
    files: ['api/**/*.ts', 'cmd/**/*.ts', 'cmd/**/*.tsx', 'pkg/**/*.ts', 'test/fixtures/**/*.ts'],
    ignores: ['**/*.test.ts'],
    rules: {
      'max-lines-per-function': ['error', { max: 60, skipBlankLines: true, skipComments: true }],
      'max-params': ['error', 5],
    },
  },
  {
    // A test may reach across layers (real engines, the server itself) and fixtures may throw what they like.
    files: ['**/*.test.ts', 'test/**/*.ts'],
    rules: { 'import-x/no-restricted-paths': 'off' },
  },
);
