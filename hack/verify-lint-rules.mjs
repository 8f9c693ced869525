// Proves that the lint rules bite: lints small wrong programs in the place of real files, and expects the named rule.
// Those of .oxlintrc.json need types, which come from a project: their programs are in one of their own.
import { spawnSync } from 'node:child_process';
import { ESLint } from 'eslint';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

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
  ['api/resource.ts', `export const a = (b: any): unknown => b;`, '@typescript-eslint/no-explicit-any'],
  [
    'pkg/storage/interface.ts',
    `import { ApiResource } from '../../api/resource.js'; export type A = ApiResource;`,
    '@typescript-eslint/consistent-type-imports',
  ],
  ['api/resource.ts', `const unused = 1;`, '@typescript-eslint/no-unused-vars'],
  ['api/resource.ts', `export default 1;`, 'import-x/no-default-export'],
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

/** For each rule that needs types a program that it must refuse. */
const typed = {
  'no-floating-promises': `Promise.resolve();`,
  'no-misused-promises': `export const a = async () => { if (Promise.resolve(false)) return 1; return 2; };`,
  'await-thenable': `export const a = async (b: number) => await b;`,
  'only-throw-error': `export const a = (): never => { throw 1; };`,
  'switch-exhaustiveness-check': `export const a = (b: 'x' | 'y') => { switch (b) { case 'x': return 1; } return 0; };`,
};

const eslint = new ESLint({ cwd: root });
/** The rules that apply to the file. */
const rulesOf = async (file) => {
  const { rules } = await eslint.calculateConfigForFile(join(root, file));
  return Object.keys(rules).filter((rule) => rules[rule][0] !== 0);
};

/** What is wrong with the answer to a canary, or undefined. */
async function mistake([file, text, rule]) {
  const [result] = await eslint.lintText(`${text}\n`, { filePath: join(root, file) });
  const found = (result?.messages ?? []).map((message) => message.ruleId ?? message.message);
  const asExpected = rule === null ? found.length === 0 : found.includes(rule);
  return asExpected ? undefined : `expected ${rule ?? 'nothing'}, found ${found.join(', ') || 'nothing'}`;
}

/** What is wrong with the answers to all programs that need types. */
function typedMistakes() {
  const folder = mkdtempSync(join(tmpdir(), 'lint-rules-'));
  const config = join(root, '.oxlintrc.json');
  writeFileSync(join(folder, 'tsconfig.json'), readFileSync(join(root, 'tsconfig.json')));
  for (const [rule, text] of Object.entries(typed)) writeFileSync(join(folder, `${rule}.ts`), `${text}\n`);
  const args = ['--type-aware', '--format=json', `--config=${config}`];
  const env = { ...process.env, OXLINT_TSGOLINT_PATH: join(root, 'node_modules/.bin/tsgolint') };
  const program = join(root, 'node_modules/.bin/oxlint');
  const { stdout } = spawnSync(program, args, { cwd: folder, encoding: 'utf8', env });
  rmSync(folder, { recursive: true });
  const found = JSON.parse(stdout).diagnostics.map(({ code, filename }) => `${filename} ${code}`);
  const expected = Object.keys(JSON.parse(readFileSync(config, 'utf8')).rules).map((rule) => {
    const name = rule.replace('typescript/', '');
    return `${name}.ts typescript(${name})`;
  });
  return expected
    .filter((line) => !found.includes(line))
    .map((line) => `${line}: not found among ${found.join(', ') || 'nothing'}`);
}

const failures = typedMistakes();
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
for (const rule of await rulesOf('pkg/cache/front.ts'))
  if (!refusing.some(([, , refused]) => refused === rule)) failures.push(`the rule ${rule} has no canary`);

for (const failure of failures) console.error(`verify-lint-rules: ${failure}`);
if (failures.length === 0)
  console.log(`verify-lint-rules: ${canaries.length + Object.keys(typed).length} canaries behave`);
process.exitCode = failures.length === 0 ? 0 : 1;
