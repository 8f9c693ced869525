/**
 * All kinds of this server: each folder `<group>/<kind>/` with a `kind.ts` (or, compiled, `kind.js`) that exports its
 * {@link Registration} as `kind`. A new kind only adds its folder and its file under api/.
 */
import { readdirSync } from 'node:fs';
import { sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Registration } from './registry.js';

const KIND_FILE = /^([^/]+\/[^/]+)\/kind\.[jt]s$/;

/** In the order of the folders' names. */
export const KINDS: readonly Registration[] = await findKinds();

async function findKinds(): Promise<Registration[]> {
  const files = readdirSync(fileURLToPath(new URL('.', import.meta.url)), {
    recursive: true,
    encoding: 'utf8',
  });
  const folders = files.flatMap((file) => KIND_FILE.exec(file.replaceAll(sep, '/'))?.[1] ?? []).sort();
  const kinds: Registration[] = [];
  for (const folder of folders) kinds.push(await load(folder));
  return kinds;
}

async function load(folder: string): Promise<Registration> {
  const { kind }: { kind?: Registration } = await import(`./${folder}/kind.js`);
  if (kind === undefined) throw new Error(`pkg/registry/${folder}/kind.ts does not export its kind`);
  return kind;
}
