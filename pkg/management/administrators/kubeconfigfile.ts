/** The file of an administrator's kubeconfig: its origin and its replacement. */
import { constants } from 'node:fs';
import { link, lstat, open, rm } from 'node:fs/promises';
import { writePrivate } from '../../pki/files.js';
import { contentOf, formatKubeconfig, type KubeconfigContent } from '../../pki/kubeconfig.js';
import { codeOf } from '../../apimachinery/caught.js';

/** Larger files are not ours. */
const MAX_BYTES = 1024 * 1024;
const MARK = '# Written by management-apiserver for the store ';

export interface KubeconfigFile {
  /** Undefined: the file does not exist, or cannot be read. */
  readonly text: string | undefined;
  /** Whether a server wrote it for this store and nobody changed it, or it is empty. */
  readonly own: boolean;
  /** Whether other users of this machine may read or write it. */
  readonly shared: boolean;
}

const NONE: KubeconfigFile = { text: undefined, own: true, shared: false };

/** The text of a file for this store. Contains a secret. */
export const kubeconfigText = (content: KubeconfigContent, storeId: string): string =>
  `${MARK}${storeId}.\n${formatKubeconfig(content)}`;

/** Follows no link and waits for no pipe. Rejects with the system's error for a file that cannot be read. */
export async function readKubeconfig(path: string, storeId: string): Promise<KubeconfigFile> {
  const found = await lstat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (found === undefined) return NONE;
  if (found.isDirectory()) throw new Error('it is a directory');
  const foreign = { text: undefined, own: false, shared: false };
  if (!found.isFile() || found.size > MAX_BYTES) return foreign;
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const text = await file.readFile('utf8');
    return { text, own: isOwn(text, storeId), shared: (found.mode & 0o077) !== 0 };
  } finally {
    await file.close();
  }
}

/** An empty file may be replaced. */
function isOwn(text: string, storeId: string): boolean {
  if (text.trim() === '') return true;
  const content = contentOf(text);
  return content !== undefined && text === kubeconfigText(content, storeId);
}

/** Replaces the file that `before` describes. Rejects with an Error if another file has replaced it since. */
export async function writeKubeconfig(path: string, text: string, before: KubeconfigFile): Promise<void> {
  if (before !== NONE) return writePrivate(path, text);
  const draft = `${path}.new-${process.pid}`;
  await writePrivate(draft, text);
  try {
    await link(draft, path);
  } catch (error) {
    const code = codeOf(error);
    if (code === 'EEXIST') throw new Error('a file came there meanwhile', { cause: error });
    // The file system has no links.
    await writePrivate(path, text);
  } finally {
    await rm(draft, { force: true });
  }
}
