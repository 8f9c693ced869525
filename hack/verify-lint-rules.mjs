// Proves that the lint rules bite: lints small wrong programs in the place of real files, and expects the named rule.
import { ESLint } from 'eslint';
import { existsSync } from 'node:fs';
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
    'pkg/cache/front.ts',
    `export function a(b: number[]): void {\n${'  b.push(1);\n'.repeat(59)}}`,
    'max-lines-per-function',
  ],
  [
    'pkg/cache/front.ts',
    `export function a(b: number[]): void {\n${'  b.push(1);\n\n  // 1\n'.repeat(58)}}`,
    null,
  ],
  ['pkg/cache/front.ts', `export const a = (...b: number[]): void => void b;`, null],
  [
    'pkg/cache/front.ts',
    `export const a = (b: 1, c: 1, d: 1, e: 1, f: 1, g: 1): number => b + c + d + e + f + g;`,
    'max-params',
  ],
  // What `cache.ts` imports, by way of others.
  [
    'pkg/cache/store/epoch.ts',
    `import { openCache } from '../cache.js'; export const a = openCache;`,
    'import-x/no-cycle',
  ],
  ['hack/utils.mjs', `export const a = 1;`, 'local/path-names'],
  ['hack/BadName.mjs', `export const a = 1;`, 'local/path-names'],
];

const eslint = new ESLint({ cwd: root });
const failures = [];
for (const [file, text, rule] of canaries) {
  if (file.endsWith('.ts') && !existsSync(join(root, file))) {
    failures.push(`${file} is gone: name a file that exists in hack/verify-lint-rules.mjs`);
    continue;
  }
  const [result] = await eslint.lintText(`${text}\n`, { filePath: join(root, file) });
  const found = (result?.messages ?? []).map((message) => message.ruleId ?? message.message);
  const asExpected = rule === null ? found.length === 0 : found.includes(rule);
  if (!asExpected)
    failures.push(
      `${file}: ${text}\n    expected ${rule ?? 'nothing'}, found ${found.join(', ') || 'nothing'}`,
    );
}
for (const failure of failures) console.error(`verify-lint-rules: ${failure}`);
if (failures.length === 0) console.log(`verify-lint-rules: ${canaries.length} canaries behave`);
process.exitCode = failures.length === 0 ? 0 : 1;
