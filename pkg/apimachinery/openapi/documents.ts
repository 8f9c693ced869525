import type { ResourceDefinition } from '../../../api/resource.js';
import { openapiV2, type OpenapiV2 } from './v2.js';
import { encodeOpenapiV2 } from './v2protobuf.js';
import { openapiV3, openapiV3Paths, type OpenapiV3 } from './v3.js';
import { encodeOpenapiV3 } from './v3protobuf.js';
import { VERSION_PATH, versionDocument } from './versiondocument.js';

/** The OpenAPI documents of a fixed set of kinds, built on each call. */
export interface OpenapiDocuments {
  /** `api/v1`, `apis/<group>/<version>`, `version`: all v3 documents, sorted. */
  readonly paths: readonly string[];
  v2(): OpenapiV2;
  /** {@link v2} in protobuf. */
  v2Protobuf(): Buffer;
  /** `path`: one of `paths`. */
  v3(path: string): OpenapiV3;
  /** {@link v3} in protobuf. */
  v3Protobuf(path: string): Buffer;
}

/** Creates the builders for the served kinds. */
export function openapiDocuments(definitions: readonly ResourceDefinition[]): OpenapiDocuments {
  const v3 = (path: string): OpenapiV3 =>
    path === VERSION_PATH ? versionDocument() : openapiV3(definitions, path);
  return {
    paths: [...openapiV3Paths(definitions), VERSION_PATH],
    v2: () => openapiV2(definitions),
    v2Protobuf: () => encodeOpenapiV2(openapiV2(definitions)),
    v3,
    v3Protobuf: (path) => encodeOpenapiV3(v3(path)),
  };
}
