/** Documents of every server, independent of its kinds, by kind. */
import { codecOf, type Codec } from './codec.js';
import { apiGroup, apiGroupDiscoveryList, apiGroupList, apiResourceList, apiVersions } from './discovery.js';
import { seal, type TypeMeta } from './envelope.js';
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

/** Metadata of one or several objects, which have a protobuf form for every kind. */
export const PARTIAL_OBJECT_METADATA = CODECS.PartialObjectMetadata!;

/**
 * Encodes a document in its envelope: a Status, metadata, discovery, or a kind of `own`. Throws RangeError for other
 * kinds.
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
