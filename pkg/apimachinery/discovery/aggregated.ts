/**
 * Aggregated discovery: one document for `/api` and one for `/apis` (`k8s.io/api/apidiscovery/v2`), which newer
 * clients request by `application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList`.
 */
import type { ResourceDefinition } from '../../../api/resource.js';
import { compare, kindsOf, namedGroups, versionsOf } from './groupversions.js';

interface ResponseKind {
  group: string;
  version: string;
  kind: string;
}

interface SubresourceDiscovery {
  subresource: string;
  responseKind: ResponseKind;
  verbs: string[];
}

interface ResourceDiscovery {
  resource: string;
  responseKind: ResponseKind;
  scope: 'Cluster' | 'Namespaced';
  singularResource: string;
  verbs: string[];
  shortNames?: string[];
  categories?: string[];
  subresources?: SubresourceDiscovery[];
}

interface VersionDiscovery {
  version: string;
  resources: ResourceDiscovery[];
  /** Always `Current`: a server's own kinds are never stale. */
  freshness: 'Current';
}

interface GroupDiscovery {
  /** The core group has no name. */
  metadata: { name?: string };
  versions: VersionDiscovery[];
}

export interface GroupDiscoveryList {
  kind: 'APIGroupDiscoveryList';
  apiVersion: 'apidiscovery.k8s.io/v2';
  metadata: Record<string, never>;
  items: GroupDiscovery[];
}

/** The aggregated document of `/api`; without items if the core group is not served. */
export function aggregatedCore(definitions: readonly ResourceDefinition[]): GroupDiscoveryList {
  const versions = versionDiscoveries(definitions, '');
  return discoveryList(versions.length === 0 ? [] : [{ metadata: {}, versions }]);
}

/** The aggregated document of `/apis`. */
export function aggregatedGroups(definitions: readonly ResourceDefinition[]): GroupDiscoveryList {
  return discoveryList(
    namedGroups(definitions).map((name) => ({
      metadata: { name },
      versions: versionDiscoveries(definitions, name),
    })),
  );
}

function discoveryList(items: GroupDiscovery[]): GroupDiscoveryList {
  return { kind: 'APIGroupDiscoveryList', apiVersion: 'apidiscovery.k8s.io/v2', metadata: {}, items };
}

function versionDiscoveries(definitions: readonly ResourceDefinition[], group: string): VersionDiscovery[] {
  return versionsOf(definitions, group).map((version) => {
    const resources = kindsOf(definitions, group, version).map(resourceDiscovery);
    return { version, resources, freshness: 'Current' };
  });
}

function resourceDiscovery(definition: ResourceDefinition): ResourceDiscovery {
  const { plural, namespaced, singular, verbs, shortNames, categories } = definition;
  const subresources = subresourceDiscoveries(definition);
  return {
    resource: plural,
    responseKind: responseKind(definition),
    scope: namespaced ? 'Namespaced' : 'Cluster',
    singularResource: singular,
    verbs: [...verbs].sort(),
    ...(shortNames.length > 0 && { shortNames: [...shortNames] }),
    ...(categories.length > 0 && { categories: [...categories] }),
    ...(subresources.length > 0 && { subresources }),
  };
}

function subresourceDiscoveries(definition: ResourceDefinition): SubresourceDiscovery[] {
  return [...definition.subresources]
    .sort((a, b) => compare(a.name, b.name))
    .map(({ name, verbs, object }) => ({
      subresource: name,
      responseKind: object === undefined ? responseKind(definition) : gvkOf(object),
      verbs: [...verbs].sort(),
    }));
}

/** Never null, as clients would skip the resource. Kubernetes' own kinds take group and version from the context. */
function responseKind({ builtIn, group, version, kind }: ResourceDefinition): ResponseKind {
  return builtIn ? { group: '', version: '', kind } : { group, version, kind };
}

const gvkOf = ({ group, version, kind }: ResourceDefinition): ResponseKind => ({ group, version, kind });
