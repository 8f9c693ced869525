/** Entries of a kubeconfig file: added and replaced by name, with all else left as it is, comments too. */
import { type Document, YAMLMap, YAMLSeq, parseDocument } from 'yaml';
import { yamlFault } from '../../../pkg/apimachinery/encoding/yaml/yamlfile.js';
import { checkYamlDepth } from '../../../pkg/apimachinery/encoding/yaml/yamltokens.js';
import { Failure } from '../failure.js';
import { readIfThere, replaceFile, whileLocked } from './atomicfile.js';

/** A cluster, a user and a context of one name. */
export interface KubeconfigEntry {
  readonly name: string;
  readonly cluster: { readonly server: string; readonly 'certificate-authority-data'?: string };
  readonly user: object;
  readonly namespace?: string;
}

/**
 * Writes the entry and makes it the current context. Others who write wait, by the same lock file as kubectl; who reads
 * sees the old file or the new one. Rejects with a Failure.
 */
export async function writeEntry(path: string, entry: KubeconfigEntry): Promise<void> {
  await whileLocked(path, async () => {
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
  });
}

async function readDocument(path: string): Promise<Document> {
  const text = (await readIfThere(path))?.toString() ?? '';
  checkYamlDepth(text);
  const document = parseDocument(
    text.trim() === '' ? 'apiVersion: v1\nkind: Config\npreferences: {}\n' : text,
  );
  const [error] = document.errors;
  if (error !== undefined || !(document.contents instanceof YAMLMap))
    throw new Failure(
      'failed',
      `${path} is no kubeconfig${error === undefined ? '' : `: ${yamlFault(error)}`}`,
    );
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
