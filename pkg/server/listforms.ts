/** A page of a list in each of the forms that a client may ask for. */
import { partialMetadataBytes } from '../apimachinery/encoding/metadatabytes.js';
import type { MetaVersion } from '../apimachinery/table.js';
import { partialObjectMetadata } from '../apimachinery/table.js';
import type { Page } from '../registry/list.js';
import type { ResourceStore } from '../registry/resourcestore.js';
import { listDocument, listMeta } from './listbody.js';
import { joinPieces, walked } from './pieces.js';
import type { Representation } from './representation.js';
import { tableOf, tablePieces } from './tables.js';

/** A Table or a list of metadata as compact JSON in pieces. `limited`: the page may go on, which its metadata tells before the items. */
export function piecesOf(
  store: ResourceStore,
  { table, metadata }: Representation,
  page: Page,
  limited: boolean,
): Generator<Buffer> {
  const known = limited ? walked(page) : page;
  return table === undefined ? metadataPieces(known, metadata ?? 'v1') : tablePieces(store, known, table);
}

/** The same as one value, for other encodings. */
export function documentOf(store: ResourceStore, { table, metadata }: Representation, page: Page): object {
  if (table === undefined && metadata === undefined) return listDocument(store, page);
  const known = walked(page);
  if (table !== undefined) return tableOf(store, known.entries, listMeta(known), table);
  const items = Array.from(known.entries, (entry) => partialObjectMetadata(entry.object(), metadata));
  return { ...metadataListHead(known, metadata ?? 'v1'), items };
}

const metadataListHead = (page: Page, version: MetaVersion): object => ({
  kind: 'PartialObjectMetadataList',
  apiVersion: `meta.k8s.io/${version}`,
  metadata: listMeta(page),
});

function* metadataItems({ entries }: Page, version: MetaVersion): Generator<Buffer> {
  for (const { bytes } of entries) yield partialMetadataBytes(bytes, version);
}

function metadataPieces(page: Page, version: MetaVersion): Generator<Buffer> {
  const head = JSON.stringify(metadataListHead(page, version));
  return joinPieces(`${head.slice(0, -1)},"items":[`, metadataItems(page, version), ']}\n');
}
