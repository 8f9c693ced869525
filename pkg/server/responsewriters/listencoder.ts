/** A page of a list in each of the forms that a client may ask for. */
import { partialMetadataBytes } from '../../apimachinery/encoding/metadatabytes.js';
import { partialObjectMetadata, type MetaVersion } from '../../apimachinery/table.js';
import type { Entry } from '../../cache/interface.js';
import type { Page } from '../../registry/generic/list.js';
import type { ResourceStore } from '../../registry/resourcestore.js';
import { prettyChunks, yamlChunks, type DocumentParts } from './indentedchunks.js';
import { itemOf, listMeta, listType } from './listbody.js';
import { joinChunks, walked, type WalkedPage } from './chunks.js';
import type { Representation } from './representation.js';
import { tableOf, tableChunks, tableRows } from './tables.js';

/**
 * A Table or a list of metadata as compact JSON in chunks. `limited`: its metadata, before the items, may have a
 * continue token.
 */
export function chunksOf(
  store: ResourceStore,
  { table, metadata }: Representation,
  page: Page,
  limited: boolean,
): Generator<Buffer> {
  const known = limited ? walked(page) : page;
  return table === undefined ? metadataChunks(known, metadata ?? 'v1') : tableChunks(store, known, table);
}

/** The same, and the list itself, as indented JSON or YAML in chunks. */
export function documentChunks(
  store: ResourceStore,
  representation: Representation,
  page: Page,
): Generator<Buffer> {
  const parts = partsOf(store, representation, walked(page));
  return representation.mediaType === 'yaml' ? yamlChunks(parts) : prettyChunks(parts);
}

function partsOf(store: ResourceStore, { table, metadata }: Representation, page: WalkedPage): DocumentParts {
  const { entries } = page;
  const count = entries.length;
  if (table !== undefined) {
    const head = tableOf(store, [], listMeta(page), table);
    return { head, member: 'rows', count, items: tableRows(store, entries, table) };
  }
  if (metadata === undefined) {
    const head = { ...listType(store), metadata: listMeta(page), items: [] };
    return { head, member: 'items', count, items: mapped(entries, (entry) => itemOf(store, entry)) };
  }
  const items = mapped(entries, (entry) => partialObjectMetadata(entry.object(), metadata));
  return { head: { ...metadataListHead(page, metadata), items: [] }, member: 'items', count, items };
}

function* mapped<T>(entries: Iterable<Entry>, item: (entry: Entry) => T): Generator<T> {
  for (const entry of entries) yield item(entry);
}

const metadataListHead = (page: Page, version: MetaVersion): object => ({
  kind: 'PartialObjectMetadataList',
  apiVersion: `meta.k8s.io/${version}`,
  metadata: listMeta(page),
});

function* metadataItems({ entries }: Page, version: MetaVersion): Generator<Buffer> {
  for (const { bytes } of entries) yield partialMetadataBytes(bytes, version);
}

function metadataChunks(page: Page, version: MetaVersion): Generator<Buffer> {
  const head = JSON.stringify(metadataListHead(page, version));
  return joinChunks(`${head.slice(0, -1)},"items":[`, metadataItems(page, version), ']}\n');
}
