/** The engine as JavaScript in a separate directory, for tests that run it in another process. */
import { transformFile } from '@swc/core';
import { mkdir, mkdtemp, readdir, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const PKG = fileURLToPath(new URL('../../..', import.meta.url));

/** What JavaScript imports by a relative path, also dynamically. */
const RELATIVE_IMPORT = /\b(?:from |import[ (])['"](\.[^'"]+)\.js['"]/g;

/** A program that writes: `node writer.mjs <engine directory> <data directory> …`. */
export const WRITER = fileURLToPath(new URL('./writer.mjs', import.meta.url));
/** A program that reads: `node reader.mjs <engine directory> <data directory> <times>`. */
export const READER = fileURLToPath(new URL('./reader.mjs', import.meta.url));

/** Returns the directory of the engine with all that it imports; the caller removes it. */
export async function transpileEngine(): Promise<string> {
  const target = await mkdtemp(path.join(tmpdir(), 'engine-'));
  await writeFile(path.join(target, 'package.json'), '{"type":"module"}');
  await symlink(path.join(PKG, '../node_modules'), path.join(target, 'node_modules'));
  const engine = (await readdir(path.join(PKG, 'storage/embedded'), { recursive: true })).filter(isSource);
  const files = new Set(engine.map((name) => path.join('storage/embedded', name)));
  for (const file of files) for (const imported of await transpile(file, target)) files.add(imported);
  return target;
}

/** Writes one file of pkg as JavaScript; answers the files that it imports, relative to pkg. */
async function transpile(file: string, target: string): Promise<string[]> {
  const { code } = await transformFile(path.join(PKG, file), {
    jsc: { target: 'es2023', parser: { syntax: 'typescript' } },
    module: { type: 'es6' },
  });
  const output = path.join(target, file.replace(/\.ts$/, '.js'));
  await mkdir(path.dirname(output), { recursive: true });
  await writeFile(output, code);
  return [...code.matchAll(RELATIVE_IMPORT)].map(([, name = '']) =>
    path.join(path.dirname(file), `${name}.ts`),
  );
}

function isSource(name: string): boolean {
  return name.endsWith('.ts') && !name.endsWith('.test.ts') && !name.startsWith('testing/');
}
