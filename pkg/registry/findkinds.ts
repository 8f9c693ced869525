/** Finds the kinds below a folder, so that a new kind is registered by its file alone. */
import { readdirSync } from 'node:fs';
import { sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Registration } from './registry.js';

const KIND_FILE = /^(.+)\/kind\.[jt]s$/;

type KindFile = { readonly kind?: Registration };

/**
 * The {@link Registration} that each `kind.ts` (or, compiled, `kind.js`) below the folder of a module exports as `kind`.
 * `module`: its `import.meta.url`; `load` imports a path that is relative to it. Rejects for a file without one.
 */
export async function findKinds(
  module: string,
  load: (path: string) => Promise<KindFile>,
): Promise<Registration[]> {
  const files = readdirSync(fileURLToPath(new URL('.', module)), { recursive: true, encoding: 'utf8' });
  const folders = files.flatMap((file) => KIND_FILE.exec(file.replaceAll(sep, '/'))?.[1] ?? []).sort();
  const kinds: Registration[] = [];
  for (const folder of folders) {
    const { kind } = await load(`./${folder}/kind.js`);
    if (kind === undefined) throw new Error(`${folder}/kind.ts does not export its kind`);
    kinds.push(kind);
  }
  return inOrder(kinds);
}

/** In the order of their groups and names. */
export function inOrder(kinds: readonly Registration[]): Registration[] {
  const place = ({ definition: { group, kind } }: Registration): string =>
    `${group === '' ? 'core' : group}/${kind.toLowerCase()}`;
  return kinds.toSorted((one, other) => (place(one) < place(other) ? -1 : 1));
}
