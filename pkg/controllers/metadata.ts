import type { ObjectMeta } from '../../api/resource.js';
import { partialMetadataBytes } from '../apimachinery/encoding/metadatabytes.js';
import type { CachedObject } from './interface.js';
import { parseStored } from '../apimachinery/encoding/parsestored.js';

/** Parses only the metadata. */
export function metadataOf(object: CachedObject): ObjectMeta {
  const text = partialMetadataBytes(object.bytes, 'v1').toString();
  return parseStored<{ metadata: ObjectMeta }>(text).metadata;
}
