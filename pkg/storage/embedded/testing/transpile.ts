/** The engine as JavaScript in a separate directory, for tests that run it in another process. */
import { transformFile } from '@swc/core';
import { mkdir, mkdtemp, readdir, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const PKG = fileURLToPath(new URL('../../..', import.meta.url));

/** What the engine imports from outside its folder. */
const IMPORTED = [
  'storage/interface.ts',
  'storage/changes.ts',
  'storage/commitlimits.ts',
  'storage/pages.ts',
  'storage/revisioncoalescer.ts',
  'storage/remote/bytes.ts',
  'storage/remote/messages.ts',
  'storage/remote/open.ts',
  'storage/remote/owner.ts',
  'storage/remote/socketport.ts',
  'storage/remote/watch.ts',
  'storage/format/storeformat.ts',
  'storage/backup/unfinished.ts',
  'apimachinery/caught.ts',
  'apimachinery/encoding/members.ts',
  'apimachinery/encoding/parsestored.ts',
];

/** A program that writes: `node writer.mjs <engine directory> <data directory> …`. */
export const WRITER = fileURLToPath(new URL('./writer.mjs', import.meta.url));
/** A program that reads: `node reader.mjs <engine directory> <data directory> <times>`. */
export const READER = fileURLToPath(new URL('./reader.mjs', import.meta.url));

/** Returns the directory of the engine; the caller removes it. */
export async function transpileEngine(): Promise<string> {
  const target = await mkdtemp(path.join(tmpdir(), 'engine-'));
  await writeFile(path.join(target, 'package.json'), '{"type":"module"}');
  await symlink(path.join(PKG, '../node_modules'), path.join(target, 'node_modules'));
  const engine = (await readdir(path.join(PKG, 'storage/embedded'), { recursive: true })).filter(isSource);
  for (const file of [...IMPORTED, ...engine.map((name) => path.join('storage/embedded', name))]) {
    const { code } = await transformFile(path.join(PKG, file), {
      jsc: { target: 'es2023', parser: { syntax: 'typescript' } },
      module: { type: 'es6' },
    });
    const output = path.join(target, file.replace(/\.ts$/, '.js'));
    await mkdir(path.dirname(output), { recursive: true });
    await writeFile(output, code);
  }
  return target;
}

function isSource(name: string): boolean {
  return name.endsWith('.ts') && !name.endsWith('.test.ts') && !name.startsWith('testing/');
}
