import type { ResourceDefinition } from '../../api/resource.js';
import type { OpenapiDocuments } from './openapi.js';

/** No kind has a document yet. */
export function openapiDocuments(_definitions: readonly ResourceDefinition[]): OpenapiDocuments {
  return {
    paths: [],
    v2: () => ({
      swagger: '2.0',
      info: { title: 'management-apiserver', version: 'v1' },
      paths: {},
      definitions: {},
    }),
    v3: () => ({}),
  };
}
