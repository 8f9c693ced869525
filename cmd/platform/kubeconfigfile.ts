/** Entries of a kubeconfig file: added and replaced by name, with all else left as it is, comments too. */
import { mkdir, open, readFile, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Document, YAMLMap, YAMLSeq, parseDocument } from 'yaml';
import { replaceFile } from './config.js';
import { Failure } from './failure.js';

/** A cluster, a user and a context of one name. */
export interface KubeconfigEntry {
  readonly name: string;
  readonly cluster: { readonly server: string; readonly 'certificate-authority-data'?: string };
  readonly user: object;
  readonly namespace?: string;
}

const LOCK_TRIES = 20;
const LOCK_WAIT_MS = 100;

/**
 * Writes the entry and makes it the current context. Others who write wait, by the same lock file as kubectl; who reads
 * sees the old file or the new one. Rejects with a Failure.
 */
export async function writeEntry(path: string, entry: KubeconfigEntry): Promise<void> {
  const unlock = await lock(path);
  try {
    const document = await readDocument(path);
    put(document, 'clusters', entry.name, 'cluster', entry.cluster);
    put(document, 'users', entry.name, 'user', entry.user);
    const context = { cluster: entry.name, user: entry.name, namespace: entry.namespace };
    put(document, 'contexts', entry.name, 'context', context);
    document.set('current-context', entry.name);
    // kubectl reads YAML 1.1, to which a bare `n` is a boolean.
    await replaceFile(
      path,
      document.toString({ defaultStringType: 'QUOTE_DOUBLE', defaultKeyType: 'PLAIN' }),
    );
  } finally {
    await unlock();
  }
}

async function readDocument(path: string): Promise<Document> {
  let text = '';
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT')
      throw new Failure('failed', `${path}: ${(error as Error).message}`, { cause: error });
  }
  const document = parseDocument(
    text.trim() === '' ? 'apiVersion: v1\nkind: Config\npreferences: {}\n' : text,
  );
  const [error] = document.errors;
  if (error !== undefined || !(document.contents instanceof YAMLMap))
    throw new Failure('failed', `${path} is no kubeconfig${error === undefined ? '' : `: ${error.message}`}`);
  return document;
}

function put(document: Document, list: string, name: string, member: string, value: object): void {
  const found = document.get(list);
  const entries = found instanceof YAMLSeq ? found : new YAMLSeq();
  if (entries !== found) document.set(list, entries);
  const node = document.createNode({ name, [member]: value });
  const at = entries.items.findIndex((item) => item instanceof YAMLMap && item.get('name') === name);
  if (at === -1) entries.add(node);
  else entries.items[at] = node;
}

/** A lock that a crashed program left behind is said, not broken. */
async function lock(path: string): Promise<() => Promise<void>> {
  const file = `${path}.lock`;
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  for (let tries = 1; ; tries += 1) {
    try {
      await (await open(file, 'wx', 0o600)).close();
      return () => rm(file, { force: true });
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      if (code !== 'EEXIST')
        throw new Failure('failed', `cannot write ${file}: ${message}`, { cause: error });
      if (tries === LOCK_TRIES)
        throw new Failure(
          'failed',
          `${file} is held since ${await sinceWhen(file)}; remove it if nobody writes`,
        );
      await sleep(LOCK_WAIT_MS);
    }
  }
}

async function sinceWhen(file: string): Promise<string> {
  try {
    return (await stat(file)).mtime.toISOString();
  } catch {
    return 'a moment ago';
  }
}
