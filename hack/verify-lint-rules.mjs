// Proves that the lint rules bite: lints small programs, each in a folder to which its rules apply, and expects the named rule.
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');

const LONG = `export function a(b: number[]): void {\n${'  b.push(1);\n'.repeat(59)}}`;
/** One line too long for what puts parts together. */
const LONGER = LONG.replace('{\n', `{\n${'  b.push(1);\n'.repeat(20)}`);
const PARAMETERS = 'export const a = (b: 1, c: 1, d: 1, e: 1, f: 1, g: 1): number => b + c + d + e + f + g;';
const SWITCH = `export const a = (b: 'x' | 'y') => { switch (b) { case 'x': return 1; } return 0; };`;
const YIELD = `import { setImmediate as later } from 'node:timers/promises'; export const a = later;`;

/** [folder or file, program, the rule that must refuse it or null where none may] */
const canaries = [
  ['api', `export const a = (b: any): unknown => b;`, 'no-explicit-any'],
  ['pkg', `import { B } from './b.js'; export type A = B;`, 'consistent-type-imports'],
  ['api', `const unused = 1;`, 'no-unused-vars'],
  ['api', `export const a = (_b: number): number => 1;`, null],
  ['hack/kinds.mjs', `const unused = 1;`, 'no-unused-vars'],
  [
    'pkg',
    `import type { A } from './b.js'; import { b } from './b.js'; export const a: A = b;`,
    'no-duplicates',
  ],
  ['api', `export default 1;`, 'no-default-export'],
  ['hack/kinds.mjs', `export default 1;`, null],
  ['api', `// @ts-ignore\nexport const a: number = '1';`, 'ban-ts-comment'],
  ['api', `export const a = (b: number): boolean => b == 1;`, 'eqeqeq'],
  ['api', `export const a = (b: number | undefined): boolean => b == null;`, null],
  ['api', `import { Type } from 'typebox'; export const a = Type;`, 'no-restricted-imports'],
  ['api', `import type { TSchema } from 'typebox'; export type A = TSchema;`, null],
  ['api/type.ts', `import { Type } from 'typebox'; export const a = Type;`, null],
  ['pkg/cache', YIELD, 'no-restricted-imports'],
  ['test/e2e', YIELD, null],
  ['pkg/cache', `setImmediate(() => undefined);`, 'no-restricted-globals'],
  ['pkg/apimachinery/eventloop', `setImmediate(() => undefined);`, null],
  ['cmd/console', `setImmediate(() => undefined);`, null],
  ['api', `export var a = 1;`, 'no-var'],
  ['api', `let a = 1; export { a };`, 'prefer-const'],
  ['pkg/cache', `export const a = [\n${'  1,\n'.repeat(249)}];`, 'max-lines'],
  ['pkg/cache', `export const a = [\n${'  1,\n\n  // 1\n'.repeat(248)}];`, null],
  ['cmd/console/texts', `export const a = [\n${'  1,\n'.repeat(249)}];`, null],
  ['pkg/cache', LONG, 'max-lines-per-function'],
  ['pkg/cache', LONG.replace('\n', '\n\n').replace('  b.push(1);\n', '  // 1\n'), null],
  ['pkg/cache/testing', LONG, 'max-lines-per-function'],
  ['cmd/platform', LONG, null],
  ['cmd/platform', LONGER, 'max-lines-per-function'],
  ['test/fixtures', LONGER, 'max-lines-per-function'],
  ['test/e2e', LONG, null],
  ['pkg/cache', `export const a = (...b: number[]): void => void b;`, null],
  ['pkg/cache', PARAMETERS, 'max-params'],
  ['pkg', `// eslint-disable-next-line eqeqeq\nexport const a = 1;`, 'unused directive'],
  ['pkg', `Promise.resolve();`, 'no-floating-promises'],
  [
    'pkg',
    `export const a = async () => { if (Promise.resolve(false)) return 1; return 2; };`,
    'no-misused-promises',
  ],
  ['pkg', `export const a = async (b: number) => await b;`, 'await-thenable'],
  ['pkg', `export const a = (): never => { throw 1; };`, 'only-throw-error'],
  ['pkg', SWITCH, 'switch-exhaustiveness-check'],
].map(([place, text, rule], at) => ({
  file: /\.m?[jt]s$/.test(place) ? place.replace(/kinds/, `kinds${at}`) : `${place}/canary${at}.ts`,
  text,
  rule,
}));

/** The rules that refuse each file, by its path. */
function findings() {
  const folder = mkdtempSync(join(tmpdir(), 'lint-rules-'));
  try {
    copyFileSync(join(root, '.oxlintrc.json'), join(folder, '.oxlintrc.json'));
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: { strict: true } }));
    for (const { file, text } of canaries) {
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      writeFileSync(join(folder, file), `${text}\n`);
    }
    const { lint } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).scripts;
    const PATH = `${join(root, 'node_modules/.bin')}:${process.env.PATH}`;
    const env = { ...process.env, PATH, OXLINT_TSGOLINT_PATH: join(root, 'node_modules/.bin/tsgolint') };
    const { stdout } = spawnSync('bash', ['-c', `${lint} --format=json`], {
      cwd: folder,
      encoding: 'utf8',
      env,
      maxBuffer: 1e8,
    });
    const found = new Map();
    for (const { code, message, filename } of JSON.parse(stdout).diagnostics) {
      const rule =
        /\((.*)\)/.exec(code ?? '')?.[1] ?? (/directive/.test(message) ? 'unused directive' : message);
      found.set(filename, [...(found.get(filename) ?? []), rule]);
    }
    return found;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const found = findings();
const failures = canaries.flatMap(({ file, text, rule }) => {
  const rules = found.get(file) ?? [];
  const asExpected = rule === null ? rules.length === 0 : rules.includes(rule);
  return asExpected
    ? []
    : [`${text}\n    expected ${rule ?? 'nothing'}, found ${rules.join(', ') || 'nothing'}`];
});
const { rules, overrides } = JSON.parse(readFileSync(join(root, '.oxlintrc.json'), 'utf8'));
const named = [rules, ...overrides.map((one) => one.rules)].flatMap((one) => Object.keys(one));
for (const rule of new Set(named.map((name) => name.replace(/.*\//, ''))))
  if (!canaries.some((canary) => canary.rule === rule)) failures.push(`the rule ${rule} has no canary`);

for (const failure of failures) console.error(`verify-lint-rules: ${failure}`);
if (failures.length === 0) console.log(`verify-lint-rules: ${canaries.length} canaries behave`);
process.exitCode = failures.length === 0 ? 0 : 1;
