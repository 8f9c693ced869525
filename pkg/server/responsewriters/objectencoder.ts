import { entryOf, type ResourceStore, type Stored } from '../../registry/resourcestore.js';
import { writeDocument, writeObject, type Representation } from './representation.js';
import { tableOf } from './tables.js';

/** One stored object as the client wants it, later where that takes long: the answer to a get and to a write. Throws StatusError 406. */
export function objectBody(
  store: ResourceStore,
  { revision, bytes }: Stored,
  { namespace, name }: { readonly namespace: string; readonly name: string },
  representation: Representation,
): Buffer | Promise<Buffer> {
  const { table, refusal } = representation;
  if (refusal !== undefined) throw refusal;
  if (table === undefined) return writeObject(bytes, representation);
  const entry = entryOf({ namespace, name }, revision, bytes);
  // Nothing has a revision that is not stored: the answer to a dry run.
  const meta = revision === 0 ? {} : { resourceVersion: String(revision) };
  return writeDocument(tableOf(store, [entry], meta, table), representation);
}
