// Proves that the lint rules bite: lints small wrong programs in the place of real files, and expects the named rule.
// Rules that need types are in eslint.types.config.js alone; the others, with the same options, in eslint.config.js too.
import { ESLint } from 'eslint';
import { existsSync, readdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import tseslint from 'typescript-eslint';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');

/** [file whose place the text takes, text, the rule that must refuse it or null where none may] */
const canaries = [
  ['api/resource.ts', `import '../pkg/apimachinery/errors.js';`, 'import-x/no-restricted-paths'],
  ['pkg/apimachinery/errors.ts', `import '../storage/interface.js';`, 'import-x/no-restricted-paths'],
  [
    'pkg/storage/interface.ts',
    `import type {} from '../cache/interface.js';`,
    'import-x/no-restricted-paths',
  ],
  ['pkg/cache/interface.ts', `import '../registry/strategy.js';`, 'import-x/no-restricted-paths'],
  ['pkg/registry/strategy.ts', `import '../authorization/interface.js';`, 'import-x/no-restricted-paths'],
  ['pkg/authorization/interface.ts', `import '../server/httpexchange.js';`, 'import-x/no-restricted-paths'],
  ['pkg/registry/strategy.ts', `import '../storage/interface.js';`, null],
  ['pkg/apimachinery/errors.ts', `import '../management/access/rights.js';`, 'import-x/no-restricted-paths'],
  ['pkg/pki/issue.ts', `import '../server/httpexchange.js';`, 'import-x/no-restricted-paths'],
  ['pkg/cache/interface.ts', `import '../../api/resource.js';`, null],
  ['pkg/admission/plugins.ts', `import '../server/dispatch.js';`, 'import-x/no-restricted-paths'],
  ['pkg/agent/handle.ts', `import '../storage/interface.js';`, 'import-x/no-restricted-paths'],
  ['pkg/audit/event.ts', `import '../server/dispatch.js';`, 'import-x/no-restricted-paths'],
  ['pkg/authentication/interface.ts', `import '../server/dispatch.js';`, 'import-x/no-restricted-paths'],
  ['pkg/clusterclient/interface.ts', `import '../registry/strategy.js';`, 'import-x/no-restricted-paths'],
  ['pkg/clusteridentity/cluster.ts', `import '../server/dispatch.js';`, 'import-x/no-restricted-paths'],
  ['pkg/controllers/interface.ts', `import '../registry/strategy.js';`, 'import-x/no-restricted-paths'],
  ['pkg/hostclient/interface.ts', `import '../storage/interface.js';`, 'import-x/no-restricted-paths'],
  ['pkg/login/flow.ts', `import '../server/dispatch.js';`, 'import-x/no-restricted-paths'],
  ['pkg/management/access/rights.ts', `import '../../cache/interface.js';`, 'import-x/no-restricted-paths'],
  ['pkg/server/dispatch.ts', `import '../controllers/interface.js';`, 'import-x/no-restricted-paths'],
  ['pkg/server/dispatch.ts', `import '../../cmd/apiserver/main.js';`, 'import-x/no-restricted-paths'],
  ['pkg/server/dispatch.ts', `import '../../test/fixtures/wait.js';`, 'import-x/no-restricted-paths'],
  ['pkg/tracing/interface.ts', `import '../server/dispatch.js';`, 'import-x/no-restricted-paths'],
  ['pkg/tunnel/session.ts', `import '../registry/strategy.js';`, 'import-x/no-restricted-paths'],
  ['cmd/agent/main.ts', `import '../../pkg/storage/interface.js';`, 'import-x/no-restricted-paths'],
  ['cmd/console/main.tsx', `import '../../pkg/apimachinery/errors.js';`, 'import-x/no-restricted-paths'],
  ['cmd/platform/main.ts', `import '../../pkg/registry/strategy.js';`, 'import-x/no-restricted-paths'],
  ['api/resource.ts', `Promise.resolve();`, '@typescript-eslint/no-floating-promises'],
  ['api/resource.ts', `export const a = (b: any): unknown => b;`, '@typescript-eslint/no-explicit-any'],
  [
    'api/resource.ts',
    `export const a = (b: 'x' | 'y'): number => { switch (b) { case 'x': return 1; } return 0; };`,
    '@typescript-eslint/switch-exhaustiveness-check',
  ],
  [
    'pkg/storage/interface.ts',
    `import { ApiResource } from '../../api/resource.js'; export type A = ApiResource;`,
    '@typescript-eslint/consistent-type-imports',
  ],
  ['api/resource.ts', `const unused = 1;`, '@typescript-eslint/no-unused-vars'],
  ['api/resource.ts', `export default 1;`, 'import-x/no-default-export'],
  [
    'api/resource.ts',
    `export const a = async (): Promise<number> => { if (Promise.resolve(false)) return 1; return 2; };`,
    '@typescript-eslint/no-misused-promises',
  ],
  [
    'api/resource.ts',
    `export const a = async (b: number): Promise<number> => await b;`,
    '@typescript-eslint/await-thenable',
  ],
  ['api/resource.ts', `export const a = (): never => { throw 1; };`, '@typescript-eslint/only-throw-error'],
  ['api/resource.ts', `// @ts-ignore\nexport const a: number = '1';`, '@typescript-eslint/ban-ts-comment'],
  ['api/resource.ts', `export const a = (b: number): boolean => b == 1;`, 'eqeqeq'],
  ['api/resource.ts', `export const a = (b: number | undefined): boolean => b == null;`, null],
  [
    'api/resource.ts',
    `import { Type } from 'typebox'; export const a = Type;`,
    '@typescript-eslint/no-restricted-imports',
  ],
  ['pkg/cache/front.ts', `setImmediate(() => undefined);`, 'no-restricted-globals'],
  ['api/resource.ts', `export var a = 1;`, 'no-var'],
  ['api/resource.ts', `let a = 1; export { a };`, 'prefer-const'],
  ['hack/kinds.mjs', `const unused = 1;`, 'no-unused-vars'],
  ['pkg/cache/front.ts', `export const a = [\n${'  1,\n'.repeat(249)}];`, 'max-lines'],
  ['pkg/cache/front.ts', `export const a = [\n${'  1,\n\n  // 1\n'.repeat(248)}];`, null],
  [
    'pkg/cache/front.ts',
    `export function a(b: number[]): void {\n${'  b.push(1);\n'.repeat(59)}}`,
    'max-lines-per-function',
  ],
  [
    'pkg/cache/front.ts',
    `export function a(b: number[]): void {\n${'  b.push(1);\n\n  // 1\n'.repeat(58)}}`,
    null,
  ],
  ...['pkg/cache/testing/conformance.ts', 'test/fixtures/wait.ts'].map((file) => [
    file,
    `export function a(b: number[]): void {\n${'  b.push(1);\n'.repeat(59)}}`,
    'max-lines-per-function',
  ]),
  ['pkg/cache/front.ts', `export const a = (...b: number[]): void => void b;`, null],
  [
    'pkg/cache/front.ts',
    `export const a = (b: 1, c: 1, d: 1, e: 1, f: 1, g: 1): number => b + c + d + e + f + g;`,
    'max-params',
  ],
  ['hack/utils.mjs', `export const a = 1;`, 'local/path-names'],
  ['hack/BadName.mjs', `export const a = 1;`, 'local/path-names'],
  ['hack/testing.mjs', `export const a = 1;`, 'local/path-names'],
];

const all = new ESLint({ cwd: root, overrideConfigFile: 'eslint.types.config.js' });
const withoutTypes = new ESLint({ cwd: root });
/** The rules that apply to the file, with their options as JSON. */
const rulesOf = async (eslint, file) => {
  const { rules } = await eslint.calculateConfigForFile(join(root, file));
  return new Map(
    Object.entries(rules)
      .filter(([, [severity]]) => severity !== 0)
      .map(([rule, options]) => [rule, JSON.stringify(options)]),
  );
};
const needsTypes = (rule) =>
  tseslint.plugin.rules[rule.replace('@typescript-eslint/', '')]?.meta.docs.requiresTypeChecking === true;

/** What is wrong with the answer to a canary, or undefined. */
async function mistake([file, text, rule]) {
  const eslint = rule !== null && needsTypes(rule) ? all : withoutTypes;
  const [result] = await eslint.lintText(`${text}\n`, { filePath: join(root, file) });
  const found = (result?.messages ?? []).map((message) => message.ruleId ?? message.message);
  const asExpected = rule === null ? found.length === 0 : found.includes(rule);
  return asExpected ? undefined : `expected ${rule ?? 'nothing'}, found ${found.join(', ') || 'nothing'}`;
}

const failures = [];
for (const canary of canaries) {
  const [file, text] = canary;
  if (/\.tsx?$/.test(file) && !existsSync(join(root, file))) {
    failures.push(`${file} is gone: name a file that exists in hack/verify-lint-rules.mjs`);
    continue;
  }
  const wrong = await mistake(canary);
  if (wrong !== undefined) failures.push(`${file}: ${text}\n    ${wrong}`);
}
/** Every layer, and every rule of a source file, has a canary. */
const refusing = canaries.filter(([, , rule]) => rule !== null);
const layers = readdirSync(join(root, 'pkg'), { withFileTypes: true }).filter((entry) => entry.isDirectory());
for (const { name } of layers) {
  const refused = ([file, , rule]) =>
    file.startsWith(`pkg/${name}/`) && rule === 'import-x/no-restricted-paths';
  if (!refusing.some(refused)) failures.push(`pkg/${name} has no canary that imports what it may not`);
}
for (const rule of (await rulesOf(all, 'pkg/cache/front.ts')).keys())
  if (!refusing.some(([, , refused]) => refused === rule)) failures.push(`the rule ${rule} has no canary`);
for (const file of new Set(canaries.map(([of]) => of))) {
  const quick = await rulesOf(withoutTypes, file);
  for (const [rule, options] of await rulesOf(all, file))
    if (quick.get(rule) !== (needsTypes(rule) ? undefined : options))
      failures.push(`${file}: ${rule} belongs in eslint.${needsTypes(rule) ? 'types.' : ''}config.js alone`);
}

for (const failure of failures) console.error(`verify-lint-rules: ${failure}`);
if (failures.length === 0) console.log(`verify-lint-rules: ${canaries.length} canaries behave`);
process.exitCode = failures.length === 0 ? 0 : 1;
