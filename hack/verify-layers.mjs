// Every file imports only what its layer may (hack/layers.mjs), and every folder of pkg/ is a layer.
import { readdirSync } from 'node:fs';
import { importsIn, sources } from './imports.mjs';
import { COMMANDS, LAYERS, UPPER } from './layers.mjs';

const PARTS = { ...LAYERS, ...COMMANDS };
const isBelow = (path, part) => path.startsWith(`${part}/`);
const isUpper = (path) => UPPER.some((part) => isBelow(path, part));
/** The released client names the kinds of the product. */
const CLIENT = 'api/client/index.ts';
const isGeneric = (file) => /^(api|pkg)\//.test(file) && !isUpper(file) && file !== CLIENT;

/** What is wrong with an import, or undefined. A part that `PARTS` does not name may import everything but tests and hack. */
function mistake(file, path) {
  if (isGeneric(file) && isUpper(path)) return `${file} imports ${path}: it knows no kind of the product`;
  const part = Object.keys(PARTS).find((one) => isBelow(file, one));
  const allowed = part === undefined ? ['api', 'cmd', 'pkg'] : [part, ...PARTS[part]];
  if (allowed.some((one) => isBelow(path, one))) return undefined;
  return `${file} imports ${path}: ${part ?? 'it'} may import only ${allowed.join(', ')}`;
}

const CANARIES = [
  ['api/resource.ts', 'pkg/apimachinery/errors.js', false],
  ['pkg/apimachinery/errors.ts', 'api/resource.js', true],
  ['pkg/registry/strategy.ts', 'pkg/authorization/interface.js', false],
  ['pkg/server/dispatch.ts', 'cmd/apiserver/main.js', false],
  ['pkg/server/dispatch.ts', 'pkg/management/kinds.js', false],
  ['pkg/registry/strategy.ts', 'api/management.svc.example/v1/team.js', false],
  ['pkg/management/kinds.ts', 'pkg/registry/findkinds.js', true],
  ['pkg/management/kinds.ts', 'pkg/tunnel/accept.js', false],
  ['pkg/server/dispatch.ts', 'test/fixtures/wait.js', false],
  ['cmd/platform/main.ts', 'pkg/registry/strategy.js', false],
  ['cmd/console/main.tsx', 'pkg/apimachinery/errors.js', false],
  ['cmd/agent/main.ts', 'pkg/storage/interface.js', false],
  ['cmd/apiserver/main.ts', 'pkg/storage/interface.js', true],
];
const wrong = CANARIES.filter(([file, path, good]) => (mistake(file, path) === undefined) !== good);
const folders = readdirSync('pkg', { withFileTypes: true }).filter((entry) => entry.isDirectory());
const files = sources('api', 'cmd', 'pkg').filter((file) => !file.includes('/testing/'));
const imports = files.flatMap((file) => importsIn(file, { later: true }).map((path) => [file, path]));
const mistakes = [
  ...wrong.map((canary) => `this script decides wrongly: ${canary.join(' ')}`),
  ...folders
    .filter(({ name }) => LAYERS[`pkg/${name}`] === undefined)
    .map(({ name }) => `pkg/${name} is in no layer: add it to hack/layers.mjs`),
  ...imports.map(([file, path]) => mistake(file, path)).filter((text) => text !== undefined),
];
if (imports.length < 1000) mistakes.push(`only ${imports.length} imports were read`);
for (const text of mistakes) console.error(`verify-layers: ${text}`);
if (mistakes.length === 0) console.log(`verify-layers: ${imports.length} imports keep to their layers`);
process.exitCode = mistakes.length === 0 ? 0 : 1;
