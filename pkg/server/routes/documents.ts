import type { ResourceDefinition } from '../../../api/resource.js';
import { discoveryDocuments, type DiscoveryDocuments } from '../../apimachinery/discovery/documents.js';
import { openapiDocuments, type OpenapiDocuments } from '../../apimachinery/openapi/documents.js';

/** The discovery and OpenAPI documents. */
export interface ServedDocuments {
  readonly definitions: readonly ResourceDefinition[];
  readonly discovery: DiscoveryDocuments;
  readonly openapi: OpenapiDocuments;
}

/** `described`: whether OpenAPI contains a kind. */
export function servedDocuments(
  definitions: readonly ResourceDefinition[],
  described: (definition: ResourceDefinition) => boolean = () => true,
): ServedDocuments {
  return {
    definitions,
    discovery: discoveryDocuments(definitions),
    openapi: openapiDocuments(definitions.filter(described)),
  };
}
