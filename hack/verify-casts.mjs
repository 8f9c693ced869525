// Counts the type assertions (`x as T`, but for `as const`) and non-null assertions (`x!`) outside tests, by folder. A folder
// has no more than it had when this was written. Types come from where a value is read: the definition of its kind
// (`cacheOf`, `storeOf`, `resourceOf`, `isKind`), `isKubeObject`, `membersOf`, `parseStored`, `messageOf` and `codeOf`.
// Each type assertion has its reason in a comment: on its line, right above it or its statement,
// or that of a cast on the line before.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import ts from 'typescript';

/** The most of each, by folder. To be lowered. */
const BUDGET = {
  api: { casts: 2, nonNull: 1 },
  'cmd/agent': { casts: 0, nonNull: 0 },
  'cmd/apiserver': { casts: 4, nonNull: 1 },
  'cmd/chart': { casts: 0, nonNull: 6 },
  'cmd/console': { casts: 14, nonNull: 0 },
  'cmd/executable': { casts: 0, nonNull: 0 },
  'cmd/platform': { casts: 1, nonNull: 0 },
  'pkg/admission': { casts: 0, nonNull: 0 },
  'pkg/agent': { casts: 4, nonNull: 5 },
  'pkg/apimachinery': { casts: 17, nonNull: 43 },
  'pkg/audit': { casts: 2, nonNull: 1 },
  'pkg/authentication': { casts: 0, nonNull: 8 },
  'pkg/authorization': { casts: 0, nonNull: 1 },
  'pkg/cache': { casts: 5, nonNull: 6 },
  'pkg/clusteridentity': { casts: 0, nonNull: 1 },
  'pkg/controllers': { casts: 1, nonNull: 5 },
  'pkg/hostclient': { casts: 0, nonNull: 2 },
  'pkg/management': { casts: 8, nonNull: 5 },
  'pkg/pki': { casts: 1, nonNull: 2 },
  'pkg/registry': { casts: 4, nonNull: 6 },
  'pkg/server': { casts: 16, nonNull: 17 },
  'pkg/storage': { casts: 9, nonNull: 8 },
  'pkg/tracing': { casts: 0, nonNull: 0 },
  'pkg/tunnel': { casts: 0, nonNull: 0 },
};
/** Of a folder that is not there yet. */
const NEW = { casts: 5, nonNull: 5 };

const files = execFileSync('git', ['ls-files', '--', 'api/*.ts', 'cmd/*.ts', 'cmd/*.tsx', 'pkg/*.ts'], {
  encoding: 'utf8',
})
  .split('\n')
  .filter((file) => file !== '' && !/\.test\.tsx?$|\/testing\//.test(file));

const folderOf = (file) => (file.startsWith('api/') ? 'api' : file.split('/').slice(0, 2).join('/'));

const COMMENT = /(^|[\s{])(\/\/|\/\*)|^\s*\*/;
const isOuter = (node) =>
  node.parent === undefined ||
  ts.isBlock(node.parent) ||
  ts.isSourceFile(node.parent) ||
  ts.isClassElement(node);

/** Whether a comment is on the first or last line of the cast, or right above it or a part of its statement that has it. */
function hasReason(cast, { source, lines, explained }) {
  const lineOf = (position) => source.getLineAndCharacterOfPosition(position).line;
  const [first, last] = [lineOf(cast.getStart(source)), lineOf(cast.end)];
  const above = [first];
  for (let part = cast; !isOuter(part); part = part.parent) above.push(lineOf(part.parent.getStart(source)));
  const has = (line) => COMMENT.test(lines[line] ?? '');
  if (!has(first) && !has(last) && !above.some((line) => has(line - 1)) && !explained.has(first - 1))
    return false;
  explained.add(last);
  return true;
}

function countIn(file) {
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true);
  const lines = source.text.split('\n');
  const explained = new Set();
  const found = { casts: 0, nonNull: 0 };
  const visit = (node) => {
    if (ts.isAsExpression(node) && node.type.getText(source) !== 'const') {
      found.casts += 1;
      if (!ts.isAsExpression(node.parent) && !hasReason(node, { source, lines, explained })) {
        const { line } = source.getLineAndCharacterOfPosition(node.getStart(source));
        unexplained.push(`${file}:${line + 1}: ${lines[line].trim()}`);
      }
    }
    if (ts.isNonNullExpression(node)) found.nonNull += 1;
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

const unexplained = [];
const counted = {};
for (const file of files) {
  const sum = (counted[folderOf(file)] ??= { casts: 0, nonNull: 0 });
  const { casts, nonNull } = countIn(file);
  sum.casts += casts;
  sum.nonNull += nonNull;
}

if (process.argv.includes('--print')) {
  for (const [folder, { casts, nonNull }] of Object.entries(counted).sort())
    console.log(`  '${folder}': { casts: ${casts}, nonNull: ${nonNull} },`);
  process.exit(0);
}

let failed = unexplained.length > 0;
for (const place of unexplained)
  console.error(
    `${place} : a cast needs its reason, in a comment on its line or right above (hack/verify-casts.mjs).`,
  );
for (const [folder, sum] of Object.entries(counted)) {
  const { casts, nonNull } = BUDGET[folder] ?? NEW;
  if (sum.casts <= casts && sum.nonNull <= nonNull) continue;
  failed = true;
  console.error(
    `${folder}: ${sum.casts} casts and ${sum.nonNull} non-null assertions, where ${casts} and ${nonNull} may be: let the type come from where the value is read (hack/verify-casts.mjs).`,
  );
}
process.exit(failed ? 1 : 0);
