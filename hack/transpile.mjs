// Brings dist/ up to date with the sources in about a second, without checking types: `make test TESTS=path`.
// `make build` compiles and checks.
import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { transformFile } from '@swc/core';

process.chdir(join(dirname(fileURLToPath(import.meta.url)), '..'));

const ROOTS = ['api', 'cmd', 'pkg', 'hack/bench'];
/** What tsconfig.build.json leaves out. */
const LEFT_OUT = /\.test\.ts$|\.d\.ts$|^pkg\/(.*\/)?testing\/|^cmd\/console\/|^hack\/bench\/aggregated\//;

const filesBelow = (root) => {
  try {
    return readdirSync(root, { recursive: true, encoding: 'utf8' }).map((name) => join(root, name));
  } catch (error) {
    if (error.code === 'ENOENT') return [];
    throw error;
  }
};
const changedAt = (path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
const outputOf = (source) => join('dist', source.replace(/\.ts$/, '.js'));

const sources = ROOTS.flatMap(filesBelow).filter((path) => path.endsWith('.ts') && !LEFT_OUT.test(path));
const outputs = new Set(sources.map(outputOf));

for (const output of ROOTS.flatMap((root) => filesBelow(join('dist', root)))) {
  const program = output.replace(/\.map$/, '');
  if (/\.js$/.test(program) && !outputs.has(program)) rmSync(output, { force: true });
}

const stale = sources.filter((source) => changedAt(source) > changedAt(outputOf(source)));
await Promise.all(
  stale.map(async (source) => {
    const { code, map } = await transformFile(source, {
      sourceMaps: true,
      jsc: { target: 'es2023', parser: { syntax: 'typescript' } },
      module: { type: 'es6' },
    });
    const output = outputOf(source);
    mkdirSync(dirname(output), { recursive: true });
    writeFileSync(output, code);
    if (map !== undefined) writeFileSync(`${output}.map`, map);
  }),
);
if (stale.length > 0)
  console.error(`transpile: ${stale.length} of ${sources.length} files were stale in dist/`);
