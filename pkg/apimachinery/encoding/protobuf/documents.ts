/** Documents that every server writes, whatever its kinds, by the name of their kind. */
import type { Codec } from './codec.js';
import { codecOf } from './codec.js';
import { apiGroup, apiGroupDiscoveryList, apiGroupList, apiResourceList, apiVersions } from './discovery.js';
import type { TypeMeta } from './envelope.js';
import { seal } from './envelope.js';
import { deleteOptions, listOf, partialObjectMetadata, status } from './meta.js';

const CODECS: Readonly<Record<string, Codec>> = {
  Status: codecOf(() => status),
  PartialObjectMetadata: codecOf(partialObjectMetadata),
  PartialObjectMetadataList: codecOf(() => listOf(partialObjectMetadata())),
  APIGroup: codecOf(() => apiGroup),
  APIGroupList: codecOf(() => apiGroupList),
  APIResourceList: codecOf(() => apiResourceList),
  APIVersions: codecOf(() => apiVersions),
  APIGroupDiscoveryList: codecOf(apiGroupDiscoveryList),
};

export const DELETE_OPTIONS: Codec = codecOf(() => deleteOptions);

/** Metadata of an object, or of several: what protobuf can say of every kind. */
export const PARTIAL_OBJECT_METADATA = CODECS.PartialObjectMetadata!;

/**
 * A document in its envelope: a Status, metadata, discovery, or what `own` knows by its kind. RangeError for another
 * kind.
 */
export function encodeDocument(
  document: Partial<TypeMeta>,
  own: Readonly<Record<string, Codec>> = {},
): Buffer {
  const { kind = '', apiVersion = 'v1' } = document;
  const codec = own[kind] ?? CODECS[kind];
  if (codec === undefined) throw new RangeError(`${kind} has no protobuf form`);
  return seal({ kind, apiVersion }, codec.encode(document));
}
