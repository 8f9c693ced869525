/** The file of an administrator's kubeconfig: who wrote it, and how it is replaced. */
import { constants } from 'node:fs';
import { link, lstat, open, rm } from 'node:fs/promises';
import { writePrivate } from '../pki/files.js';
import type { KubeconfigContent } from '../pki/kubeconfig.js';
import { contentOf, formatKubeconfig } from '../pki/kubeconfig.js';
import { codeOf } from '../apimachinery/caught.js';

/** Larger files are nobody's of ours. */
const MOST_BYTES = 1024 * 1024;
const MARK = '# Written by management-apiserver for the store ';

export interface KubeconfigFile {
  /** Undefined: there is no file, or none to be read. */
  readonly text: string | undefined;
  /** What a server wrote for this store, and nobody has changed since; or nothing. */
  readonly own: boolean;
  /** Whether others on this machine may read or write it. */
  readonly shared: boolean;
}

const NONE: KubeconfigFile = { text: undefined, own: true, shared: false };

/** The text of a file for this store. It holds a secret. */
export const kubeconfigText = (content: KubeconfigContent, storeId: string | undefined): string =>
  (storeId === undefined ? '' : `${MARK}${storeId}.\n`) + formatKubeconfig(content);

/** Follows no link and waits for no pipe. Rejects with what the system says of a file that cannot be read. */
export async function readKubeconfig(path: string, storeId: string | undefined): Promise<KubeconfigFile> {
  const found = await lstat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (found === undefined) return NONE;
  if (found.isDirectory()) throw new Error('it is a directory');
  const foreign = { text: undefined, own: false, shared: false };
  if (!found.isFile() || found.size > MOST_BYTES) return foreign;
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const text = await file.readFile('utf8');
    return { text, own: isOwn(text, storeId), shared: (found.mode & 0o077) !== 0 };
  } finally {
    await file.close();
  }
}

/** Files of earlier releases have no mark; they are told by their form. An empty file is nobody's loss. */
function isOwn(text: string, storeId: string | undefined): boolean {
  if (text.trim() === '') return true;
  const content = contentOf(text);
  if (content === undefined) return false;
  return text === formatKubeconfig(content) || text === kubeconfigText(content, storeId);
}

/** Replaces what `before` found. Rejects with an Error where another file has come there since. */
export async function writeKubeconfig(path: string, text: string, before: KubeconfigFile): Promise<void> {
  if (before !== NONE) return writePrivate(path, text);
  const draft = `${path}.new-${process.pid}`;
  await writePrivate(draft, text);
  try {
    await link(draft, path);
  } catch (error) {
    const code = codeOf(error);
    if (code === 'EEXIST') throw new Error('a file came there meanwhile', { cause: error });
    // A file system without links.
    await writePrivate(path, text);
  } finally {
    await rm(draft, { force: true });
  }
}
