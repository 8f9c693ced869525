/**
 * Legacy discovery, one document for each path: `/api`, `/apis`, and the paths below
 * (`k8s.io/apimachinery/pkg/apis/meta/v1`: APIVersions, APIGroupList, APIGroup, APIResourceList). Members have
 * Kubernetes' order.
 */
import { createHash } from 'node:crypto';
import { apiVersionOf, type ResourceDefinition } from '../../../api/resource.js';
import { compare, kindsOf, namedGroups, versionsOf } from './groupversions.js';

export interface ApiVersions {
  kind: 'APIVersions';
  versions: string[];
  serverAddressByClientCIDRs: { clientCIDR: string; serverAddress: string }[];
}

interface GroupVersion {
  /** `group/version`. */
  groupVersion: string;
  version: string;
}

interface GroupEntry {
  name: string;
  versions: GroupVersion[];
  preferredVersion: GroupVersion;
}

export interface ApiGroupList {
  kind: 'APIGroupList';
  apiVersion: 'v1';
  groups: GroupEntry[];
}

export type ApiGroup = { kind: 'APIGroup'; apiVersion: 'v1' } & GroupEntry;

interface ApiResource {
  /** `plural`, or `plural/subresource`. */
  name: string;
  /** `''` for subresources. */
  singularName: string;
  namespaced: boolean;
  /** Set for a kind of another group. */
  group?: string;
  version?: string;
  kind: string;
  verbs: string[];
  shortNames?: string[];
  categories?: string[];
  /** Set if objects are stored. */
  storageVersionHash?: string;
}

export interface ApiResourceList {
  kind: 'APIResourceList';
  /** Absent in the core group, as in Kubernetes. */
  apiVersion?: 'v1';
  groupVersion: string;
  resources: ApiResource[];
}

/** `/api`, or undefined if the core group is not served. `serverAddress`: `host:port` for clients. */
export function apiVersions(
  definitions: readonly ResourceDefinition[],
  serverAddress = '',
): ApiVersions | undefined {
  const versions = versionsOf(definitions, '');
  if (versions.length === 0) return undefined;
  return {
    kind: 'APIVersions',
    versions,
    serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress }],
  };
}

/** `/apis`. */
export function apiGroupList(definitions: readonly ResourceDefinition[]): ApiGroupList {
  const groups = namedGroups(definitions).map((group) => groupEntry(definitions, group));
  return { kind: 'APIGroupList', apiVersion: 'v1', groups };
}

/** `/apis/<group>`, or undefined if the group is not served. The core group has no such document. */
export function apiGroup(definitions: readonly ResourceDefinition[], group: string): ApiGroup | undefined {
  if (!namedGroups(definitions).includes(group)) return undefined;
  return { kind: 'APIGroup', apiVersion: 'v1', ...groupEntry(definitions, group) };
}

/** `/apis/<group>/<version>`, `/api/<version>` for the group `''`; undefined when it is not served. */
export function apiResourceList(
  definitions: readonly ResourceDefinition[],
  group: string,
  version: string,
): ApiResourceList | undefined {
  const kinds = kindsOf(definitions, group, version);
  if (kinds.length === 0) return undefined;
  const resources = kinds.flatMap((each) => [mainEntry(each), ...subresourceEntries(each)]);
  return {
    kind: 'APIResourceList',
    ...(group === '' ? {} : { apiVersion: 'v1' }),
    groupVersion: apiVersionOf({ group, version }),
    resources: resources.sort((a, b) => compare(a.name, b.name)),
  };
}

/**
 * Base64 of the first 8 bytes of the SHA-256 of `group/version/kind`
 * (`k8s.io/apiserver/pkg/endpoints/discovery/storageversionhash.go`); the core group gives `/v1/ConfigMap`.
 */
export function storageVersionHash({ group, version, kind }: ResourceDefinition): string {
  return createHash('sha256')
    .update(`${group}/${version}/${kind}`)
    .digest()
    .subarray(0, 8)
    .toString('base64');
}

function groupEntry(definitions: readonly ResourceDefinition[], name: string): GroupEntry {
  const versions = versionsOf(definitions, name).map((version) => ({
    groupVersion: `${name}/${version}`,
    version,
  }));
  return { name, versions, preferredVersion: versions[0]! };
}

function mainEntry(definition: ResourceDefinition): ApiResource {
  const { plural, singular, namespaced, kind, verbs, shortNames, categories } = definition;
  return {
    name: plural,
    singularName: singular,
    namespaced,
    kind,
    verbs: [...verbs].sort(),
    ...(shortNames.length > 0 && { shortNames: [...shortNames] }),
    ...(categories.length > 0 && { categories: [...categories] }),
    ...(verbs.includes('get') && { storageVersionHash: storageVersionHash(definition) }),
  };
}

function subresourceEntries({ plural, namespaced, kind, subresources }: ResourceDefinition): ApiResource[] {
  return subresources.map(({ name, verbs, object }) => ({
    name: `${plural}/${name}`,
    singularName: '',
    namespaced,
    ...(object !== undefined && { group: object.group, version: object.version }),
    kind: object?.kind ?? kind,
    verbs: [...verbs].sort(),
  }));
}
